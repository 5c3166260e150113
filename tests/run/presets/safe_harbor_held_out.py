"""More columns for HIPAA Safe Harbor, by the customs of other hospitals; no part in how Sfumato recognizes columns.

They were kept apart until the rules for the columns of `safe_harbor_columns` were finished, and run once: how many of
them came out as they should says how the recognition fares with exports that nobody has seen.
"""

from __future__ import annotations

import datetime as dt

from tests import people as p
from tests.run.presets.safe_harbor_columns import Column


def _must_not(kind: str, may_show: str, *columns: tuple[str, p.Maker, str]) -> list[Column]:
    return [Column(name, make, why, kind, may_show) for name, make, why in columns]


HELD_OUT_FORBIDDEN = [
    *_must_not(
        "A names",
        "nothing",
        ("PID.5.1", p.last, "HL7"),
        ("PATIENT_NAME_FULL_FORMATTED", p.inverted, "Cerner"),
        ("nameFullFormatted", p.inverted, "Cerner"),
        ("mom_nm", p.full, "of a relative"),
        ("babysFather", p.full, "of a relative"),
        ("POA", p.full, "power of attorney"),
        ("roommate", p.full, "of a household member"),
        ("Company", p.firm, "of an employer"),
        ("insured", p.inverted, "the patient or a relative"),
        ("witness", p.full, "a name"),
        ("ORDERING_PROV", p.doctor, "a name"),
        ("nurse_assigned", p.full, "a name"),
        ("Familienname", p.last, "German"),
        ("nom_jeune_fille", p.last, "French: maiden name"),
        ("imię", p.first, "Polish"),
        ("患者姓名", p.of("王伟", "李娜", "张敏", "刘洋", "陈静"), "Chinese"),
        ("g2", p.inverted, "telling content"),
        ("colB", p.first, "first names under a name that says nothing"),
    ),
    *_must_not(
        "B places below a state",
        "nothing",
        ("PID_11_3", p.town, "HL7"),
        ("res_addr", p.street, "street"),
        ("RUCA_CD_TRACT", p.tract, "geocode"),
        ("twp", p.joined("{} Township", p.town), "below a state"),
        ("FACILITY_ALIAS", p.hospital, "says in which town"),
        ("shelter", p.joined("{} Street Shelter", p.town), "the address of the patient"),
        ("injury_place", p.joined("corner of {} and {}", p.of(*p.STREETS), p.of(*p.STREETS)), "below a state"),
        ("ambulance_base", p.town, "below a state"),
        ("county_name_res", p.county, "below a state"),
        ("x_coord", p.longitude, "geocode"),
        ("northing", p.whole(800_000, 960_000), "geocode"),
        ("localité", p.of("Lyon", "Lille", "Nantes", "Brest"), "French: town"),
        ("barrio", p.of("Santurce", "Hato Rey", "Ocean Park"), "Spanish: neighbourhood"),
        ("dorm", p.joined("{} Hall room {}", p.last, p.whole(100, 499)), "the address of the patient"),
        ("p9", p.county, "telling content"),
    ),
    *_must_not(
        "B zip codes",
        "zip",
        ("DIEM_ZIP", p.zip5, "three digits at most"),
        ("ZipAtDx", p.zip9, "three digits at most"),
        ("patZip5", p.zip5, "three digits at most"),
        ("guarantor_zipcode", p.zip5, "of a relative"),
    ),
    *_must_not(
        "C dates",
        "year",
        ("BIRTH_DT_TM", p.moment("%d-%b-%Y %H:%M", p.birthday), "Cerner"),
        ("PID-7", p.written("%Y%m%d", p.birthday), "HL7"),
        ("ADMIT_DTTM", p.moment("%m/%d/%Y %I:%M:%S %p"), "12 hours"),
        ("dxDate", p.written("%Y/%m/%d"), "slashes"),
        ("arrival", p.moment("%A, %B %d, %Y %H:%M"), "in words"),
        ("surg_dt", p.written("%d%b%y"), "17May24"),
        ("fu_visit2", p.written("%m.%d.%Y"), "dots"),
        ("ENTLASSDAT", p.written("%Y%m%d"), "German"),
        ("date_sortie", p.written("%d/%m/%y"), "French"),
        ("infection_onset", p.written("wk %V/%G"), "a week"),
        ("rx_mon", p.written("%m/%Y"), "a month"),
        ("discharged_sas", p.since(dt.date(1960, 1, 1), 86_400), "seconds as SAS counts"),
        ("h5", p.written("%Y.%m.%d"), "telling content"),
        ("YOB", p.whole(1916, 2001), "a year of birth over 89 years ago"),
        ("fiscal_q", p.quarter("FY{year}-Q{quarter}"), "a quarter"),
    ),
    *_must_not(
        "C parts of dates",
        "nothing",
        ("bmonth", p.whole(1, 12), "a month"),
        ("DMONTH", p.whole(1, 12), "HCUP's month of discharge"),
        ("arr_day", p.of("Mo", "Tu", "We", "Th", "Fr"), "day of the week"),
        ("mese_ricovero", p.whole(1, 12), "Italian: month of admission"),
    ),
    *_must_not(
        "C ages over 89",
        "age",
        ("AGE_AT_ADM", p.old, "whole years"),
        ("ageDx", p.aged("{} yrs"), "in words"),
        ("pt_age_cat", p.band, "bands beyond 89"),
        ("Lebensalter", p.old, "German"),
        ("grandmother_age", p.old, "of a relative"),
    ),
    *_must_not(
        "D to Q numbers",
        "nothing",
        ("PID.13", p.phone_long, "HL7: telephone"),
        ("kin_cell", p.phone_dotted, "of a relative"),
        ("ptContactEmail", p.email, "mail"),
        ("SSSN", p.ssn_digits, "VistA: social security number"),
        ("scrssn", p.ssn_digits, "VA: social security number"),
        ("EDIPI", p.number(10), "military"),
        ("ALT_MRN", p.like("E#######"), "record"),
        ("FIN", p.number(9), "Cerner: financial number of an encounter"),
        ("PATIENT_NUM", p.number(7), "i2b2"),
        ("PATID", p.guid, "PCORnet"),
        ("Aufnahmenummer", p.number(8), "German"),
        ("medicare_claim_no", p.like("#########A"), "health plan"),
        ("rx_bin_group_member", p.like("######-@@@-#########"), "health plan"),
        ("credit_card_on_file", p.checked("4", 16), "account"),
        ("lic#", p.number(8), "licence"),
        ("stent_lot_serial", p.like("@@######-##"), "device"),
        ("dicom_uid", p.like("1.2.840.113619.2.########.####"), "of an image of the patient"),
        ("mychart_link", p.url, "web"),
        ("ws_addr", p.ipv4, "network"),
    ),
]


def _may(*columns: tuple[str, p.Maker, str]) -> list[Column]:
    return [Column(name, make, why) for name, make, why in columns]


HELD_OUT_ALLOWED = _may(
    ("PID.8", p.of("F", "M", "U"), "HL7: sex"),
    ("SEX_CD", p.of("1", "2"), "claims"),
    ("RACE1", p.of("01", "02", "05"), "registry"),
    ("hispanic", p.of("Y", "N", "NI"), "PCORnet"),
    ("relationship_status", p.of("partnered", "single", "widowed"), "demographic"),
    ("interpreter_needed", p.of("Yes", "No"), "flag"),
    ("res_state", p.of("MA", "NH", "VT", "ME", "CT"), "a state"),
    ("year_dx", p.whole(2004, 2023), "a year"),
    ("ADMYR", p.whole(2015, 2023), "a year"),
    ("LOS_DAYS", p.whole(1, 25), "a duration"),
    ("hours_ventilated", p.whole(0, 20), "a duration"),
    ("I10_DX1", p.of("I2510", "N179", "A419", "J189"), "HCUP"),
    ("DX_TYPE", p.of("09", "10"), "PCORnet"),
    ("ccsr", p.of("CIR007", "END002", "RSP008"), "HCUP"),
    ("chief_complaint", p.of("chest pain", "fever", "headache", "fall"), "clinical, a short list"),
    ("CPT1", p.of("99283", "99284", "99285"), "procedure"),
    ("px_code", p.of("0SR90JZ", "10D00Z1", "027034Z"), "ICD-10-PCS"),
    ("APRDRG", p.of("720", "540", "302"), "clinical"),
    ("severity", p.of("minor", "moderate", "major", "extreme"), "clinical"),
    ("tnm_t", p.of("T1", "T2", "T3", "T4"), "registry"),
    ("her2", p.of("pos", "neg"), "registry"),
    ("LAB_LDL", p.whole(60, 190), "laboratory"),
    ("potassium_meq", p.real(4.1, 0.4), "laboratory"),
    ("inr", p.real(1.2, 0.3), "laboratory"),
    ("egfr", p.whole(20, 90), "laboratory"),
    ("resp_rate", p.whole(10, 30), "measured"),
    ("ht_in", p.whole(58, 76), "measured"),
    ("nihss", p.whole(0, 30), "a score"),
    ("moca", p.whole(10, 30), "a score"),
    ("RX_GENERIC", p.of("warfarin", "insulin glargine", "sertraline"), "medication"),
    ("statin", p.of(0, 1), "flag"),
    ("readmit_30d", p.of(0, 1), "flag"),
    ("mortality", p.of("alive", "dead"), "flag"),
    ("ed_visits_12m", p.whole(0, 6), "a count"),
    ("PAYER_TYPE_PRIMARY", p.of("1", "2", "3", "5"), "PCORnet"),
    ("hmo", p.of("Y", "N"), "flag"),
    ("DISCHARGE_STATUS", p.of("HO", "SN", "EX"), "PCORnet"),
    ("TOTCHG", p.real(24_000, 9_000, -3), "HCUP: money"),
    ("Versorgungsart", p.of("stationär", "ambulant"), "German: kind of care"),
    ("groupe_sanguin", p.of("A", "B", "AB", "O"), "French: blood group"),
)
