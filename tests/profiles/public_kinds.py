"""Tables of the kinds that are published about people, with the roles that an expert would accept for each column.

Names and codes are as such tables have them, all values made up. The first list was written by somebody who had not
read how Sfumato recognizes columns. A line is ``column | roles | how its cells are made``. The roles are letters, the
best first: I identifier, P person, Q quasi-identifier, S sensitive, A plain, W weight. A column whose only roles are
I and P names people: any other role would let somebody out. ``@`` before the recipe makes one value per person in a
table with several rows per person; ``~0.2`` after it leaves that share of the cells empty.
"""

from __future__ import annotations

import datetime as dt
import random
import re
from collections.abc import Callable
from typing import NamedTuple

import pyarrow as pa

ROLES = {"I": "identifier", "P": "person", "Q": "quasi-identifier", "S": "sensitive", "A": "plain", "W": "weight"}

LISTS = {
    "FIRST": "Alice Bruno Carmen Dieter Elena Farah George Hanna Ivan Julia Kofi Laura Milan Nadia Oscar"
    " Petra Quentin Rita"
    " Samuel Teresa Ulrich Vera Wanda Xavier Yusuf Zoe Aaron Beate Cedric Dora Emil Fatma Gino Heidi Igor"
    " Jana Kurt Lena Max",
    "LAST": "Albrecht Brown Clark Dupont Evans Fernandez Garcia Hoffmann Ito Johnson Kowalski Lopez Martin"
    " Nguyen Okafor"
    " Pereira Quinn Rossi Schmidt Taylor Ueda Vogel Williams Xu Young Zimmermann Baker Cruz Diaz Ekström Fischer Gupta",
    "CITY": "Springfield Riverton Lakewood Fairview Greenville Oakdale Milton Georgetown Salem Clayton Dover Ashland",
    "STATE": "CA TX NY FL IL PA OH GA NC MI NJ VA",
    "COUNTRY": "USA Germany India Brazil France Spain Italy Poland Canada Nigeria Mexico Netherlands",
    "ICD10": "I10 E11.9 J18.9 K35.80 C50.911 F32.9 S72.001A N18.3 J44.1 I50.9 O80 Z38.00 M16.11 B20 G40.909",
    "ICD9": "401.9 250.00 486 V30.00 428.0 414.01 038.9 E885.9 311 272.4 584.9 V58.61 410.71 434.91",
    "YESNO": "Yes No",
    "STREET": "Oak_Street Main_Street Elm_Avenue Mill_Lane Park_Road High_Street Church_Road Station_Road",
    "COUNTY": "Adams Baker Clark Douglas Essex Franklin Grant Harris Jackson Kent Lake Marion",
    "DRUG": "metoprolol aspirin insulin heparin furosemide vancomycin acetaminophen lisinopril",
    "OCCUPATION": "Teacher Nurse Clerk Driver Engineer Cook Farmer Salesperson Electrician Manager Cleaner"
    " Lawyer Retired Student",
}
WORDS = (
    "called about the matter and asked to be seen again next week because the first answer was not clear to the family"
)


class Column(NamedTuple):
    """A column and what it may be taken for."""

    name: str
    roles: tuple[str, ...]
    recipe: str

    @property
    def direct(self) -> bool:
        """Names people, so that every other role is dangerous."""
        return set(self.roles) <= {"identifier", "person"}


class Kind(NamedTuple):
    """A table of a kind."""

    name: str
    rows: int
    people: int
    columns: tuple[Column, ...]

    def table(self) -> pa.Table:
        """Make it, the same one every time."""
        draw = random.Random(self.name)
        # The rows of a person stand together or apart, as visits do.
        who = [draw.randrange(self.people) for _ in range(self.rows)] if self.people else list(range(self.rows))
        return pa.table(
            {one.name: pa.array(_cells(one.recipe, who, self.people or self.rows, draw)) for one in self.columns}
        )


def kind(name: str, rows: int, lines: str, people: int = 0) -> Kind:
    """Read the lines of a table."""
    parts = [[part.strip() for part in line.split("|")] for line in lines.strip().splitlines()]
    return Kind(
        name, rows, people, tuple(Column(name, tuple(ROLES[r] for r in roles), how) for name, roles, how in parts)
    )


def _cells(recipe: str, who: list[int], people: int, draw: random.Random) -> list[object]:
    recipe, _, lacking = recipe.partition("~")
    make = RECIPES[recipe.split()[0].lstrip("@")]
    arguments = recipe.split()[1:]
    if recipe.startswith("@"):
        of_person = make(people, draw, *arguments)
        cells = [of_person[one] for one in who]
    else:
        cells = make(len(who), draw, *arguments)
    share = float(lacking or 0)
    return [None if share and draw.random() < share else cell for cell in cells]


def _choices(text: str) -> list[object]:
    found = LISTS[text[1:]].split() if text.startswith("$") else text.split("/")
    words = [word.replace("_", " ") for word in found]
    numbers = [int(word) for word in words if word.lstrip("-").isdigit() and not (word[0] == "0" and len(word) > 1)]
    if all(re.fullmatch(r"\d+\.\d+", word) for word in words):
        return [float(word) for word in words]
    return list(numbers) if len(numbers) == len(words) else list(words)


def _among(rows: int, draw: random.Random, text: str, shape: str = "") -> list[object]:
    values = _choices(text)
    weights = [1 / (1 + at) for at in range(len(values))] if shape != "even" else None
    return draw.choices(values, weights, k=rows)


def _date(rows: int, draw: random.Random, first: str, last: str, form: str = "%Y-%m-%d") -> list[object]:
    start = dt.datetime.fromisoformat(first)
    seconds = (dt.datetime.fromisoformat(last) - start).total_seconds()
    return [
        (start + dt.timedelta(seconds=int(draw.random() * seconds))).strftime(form.replace("_", " "))
        for _ in range(rows)
    ]


def _pattern(rows: int, draw: random.Random, form: str) -> list[object]:
    def one() -> str:
        made = (
            str(draw.randrange(10)) if c == "#" else draw.choice("ABCDEFGHJKLMNPRSTUVWXYZ") if c == "?" else c
            for c in form
        )
        return "".join(made).replace("_", " ")

    return [one() for _ in range(rows)]


def _digits(rows: int, draw: random.Random, count: str) -> list[object]:
    return [draw.randrange(10 ** (int(count) - 1), 10 ** int(count)) for _ in range(rows)]


def _each(make: Callable[[random.Random], object]) -> Callable[..., list[object]]:
    return lambda rows, draw: [make(draw) for _ in range(rows)]


def _name(draw: random.Random) -> str:
    return f"{draw.choice(LISTS['FIRST'].split())} {draw.choice(LISTS['LAST'].split())}"


def _text(draw: random.Random) -> str:
    return " ".join(draw.choice(WORDS.split()) for _ in range(draw.randrange(5, 16)))


def _whole(rows: int, draw: random.Random, low: str, high: str) -> list[object]:
    return [draw.randint(int(low), int(high)) for _ in range(rows)]


def _skewed(rows: int, draw: random.Random, low: str, high: str) -> list[object]:
    return [int(low) + int((int(high) - int(low) + 1) * draw.random() ** 3) for _ in range(rows)]


def _normal(rows: int, draw: random.Random, mean: str, spread: str, places: str = "1") -> list[object]:
    drawn = [round(draw.gauss(float(mean), float(spread)), int(places)) for _ in range(rows)]
    return [int(one) for one in drawn] if places == "0" else list(drawn)


def _money(rows: int, draw: random.Random, middle: str, places: str = "2") -> list[object]:
    drawn = [round(draw.lognormvariate(0, 0.6) * float(middle), int(places)) for _ in range(rows)]
    return [int(one) for one in drawn] if places == "0" else list(drawn)


RECIPES: dict[str, Callable[..., list[object]]] = {
    "serial": lambda rows, draw, start="1": [int(start) + at for at in range(rows)],
    "among": _among,
    "int": _whole,
    "skew": _skewed,
    "norm": _normal,
    "money": _money,
    "share": lambda rows, draw, places="3": [round(draw.random(), int(places)) for _ in range(rows)],
    "date": _date,
    "digits": _digits,
    "pattern": _pattern,
    "const": lambda rows, draw, value: [value] * rows,
    "empty": lambda rows, draw: [None] * rows,
    "blocks": lambda rows, draw, size: [1 + at // int(size) for at in range(rows)],
    "uuid": _each(lambda draw: str(__import__("uuid").UUID(int=draw.getrandbits(128), version=4))),
    "full": _each(_name),
    "comma": _each(lambda draw: ", ".join(reversed(_name(draw).split()))),
    "mail": _each(lambda draw: _name(draw).lower().replace(" ", ".") + f"{draw.randrange(999)}@example.org"),
    "street": _each(lambda draw: f"{draw.randrange(1, 900)} {draw.choice(LISTS['STREET'].split()).replace('_', ' ')}"),
    "text": _each(_text),
}

BATCH_ONE = [
    kind(
        "titanic",
        891,
        """
        PassengerId | I | serial
        Survived | SQ | among 0/1
        Pclass | Q | among 3/1/2
        Name | I | comma
        Sex | Q | among male/female
        Age | Q | skew 1 80 ~0.2
        SibSp | Q | skew 0 6
        Parch | Q | skew 0 5
        Ticket | IQ | pattern PC_#####
        Fare | SQA | money 20 4
        Cabin | QIS | pattern C## ~0.7
        Embarked | QA | among S/C/Q
        boat | QSA | among 1/2/3/4/5/6/7/8 ~0.6
        home.dest | Q | among London/New_York,_NY/Paris/Montreal,_PQ/Cornwall/Chicago,_IL ~0.3
        """,
    ),
    kind(
        "german_credit",
        1000,
        """
        checking_status | S | among <0/0<=X<200/>=200/no_checking
        duration | SQA | int 4 72
        credit_history | S | among existing_paid/critical_other/delayed/all_paid
        purpose | SQA | among radio_tv/new_car/furniture/used_car/business/education
        credit_amount | S | money 2500 0
        savings_status | S | among <100/100<=X<500/500<=X<1000/>=1000
        employment | QS | among 1<=X<4/>=7/4<=X<7/<1/unemployed
        installment_commitment | SQA | among 4/2/3/1
        personal_status | Q | among male_single/female_div_dep_mar/male_mar_wid/male_div_sep
        other_parties | SQA | among none/guarantor/co_applicant
        residence_since | QA | among 4/2/3/1
        property_magnitude | SQ | among car/real_estate/life_insurance/no_known_property
        age | Q | int 19 75
        other_payment_plans | S | among none/bank/stores
        housing | QS | among own/rent/for_free
        existing_credits | SQ | among 1/2/3/4
        job | Q | among skilled/unskilled_resident/high_qualif/self_emp/mgmt
        num_dependents | Q | among 1/2
        own_telephone | QA | among none/yes
        foreign_worker | QS | among yes/no
        class | S | among good/bad
        """,
    ),
    kind(
        "hmda",
        1500,
        """
        activity_year | QA | const 2021
        lei | QA | among 549300FGXN1K3HLB1R50/B4TYDEB6GKMZO031MB27/KB1H1DSPRFMYMCUFXT09/7H6GLXDRUGQFU57RNE97
        derived_msa_md | Q | among 31084/35614/16984/19124/12060
        state_code | Q | among $STATE
        county_code | Q | among 6037/36061/17031/48113/13121/4013
        census_tract | Q | pattern 0603720####
        derived_loan_product_type | QSA | among Conventional:First_Lien/FHA:First_Lien/VA:First_Lien
        action_taken | S | among 1/3/4/5/2
        loan_purpose | SQA | among 1/31/32/2/4
        loan_amount | S | money 205000 0
        interest_rate | S | norm 3.1 0.5 3
        loan_to_value_ratio | S | norm 80 12 2
        property_value | SQ | money 305000 0
        occupancy_type | QSA | among 1/3/2
        income | S | money 95 0
        debt_to_income_ratio | S | among 30%-<36%/20%-<30%/36/41/44/50%-60%/<20%
        applicant_credit_score_type | SA | among 1/2/3/9
        derived_ethnicity | Q | among Not_Hispanic_or_Latino/Hispanic_or_Latino/Joint
        derived_race | Q | among White/Black_or_African_American/Asian/Race_Not_Available
        derived_sex | Q | among Joint/Male/Female
        applicant_age | Q | among 35-44/45-54/25-34/55-64/65-74/<25/>74
        co-applicant_age | Q | among 9999/35-44/45-54/25-34/55-64
        denial_reason-1 | S | among 10/1/3/4
        tract_minority_population_percent | QA | norm 30 12 2
        """,
    ),
    kind(
        "compas",
        2000,
        """
        id | IP | serial
        name | I | full
        first | I | among $FIRST even
        last | I | among $LAST even
        compas_screening_date | QSA | date 2013-01-01 2014-12-31
        sex | Q | among Male/Female
        dob | Q | date 1940-01-01 1996-12-31
        age | Q | int 18 75
        age_cat | Q | among 25_-_45/Greater_than_45/Less_than_25
        race | Q | among African-American/Caucasian/Hispanic/Other
        juv_fel_count | S | skew 0 6
        decile_score | S | int 1 10
        priors_count | S | skew 0 30
        days_b_screening_arrest | SQA | norm 0 20 0
        c_jail_in | QS | date 2013-01-01 2014-12-31 %Y-%m-%d_%H:%M:%S ~0.1
        c_jail_out | QS | date 2013-01-01 2014-12-31 %Y-%m-%d_%H:%M:%S ~0.1
        c_case_number | I | pattern 13#####CF10A
        c_offense_date | QS | date 2012-01-01 2014-12-31 ~0.1
        c_charge_degree | S | among F/M
        c_charge_desc | S | among Battery/Grand_Theft/Possession_of_Cocaine/arrest_case_no_charge/DUI/Burglary
        is_recid | S | among 0/1
        r_case_number | I | pattern 14#####MM10A ~0.6
        vr_charge_desc | S | among Battery/Felony_Battery/Robbery/Assault ~0.9
        v_score_text | S | among Low/Medium/High
        two_year_recid | S | among 0/1
        """,
    ),
    kind(
        "mimic_admissions",
        1800,
        """
        ROW_ID | I | serial
        SUBJECT_ID | P | @digits 5
        HADM_ID | I | serial 100001
        ADMITTIME | Q | date 2130-01-01 2180-01-01 %Y-%m-%d_%H:%M:%S
        DISCHTIME | Q | date 2130-01-01 2180-01-01 %Y-%m-%d_%H:%M:%S
        DEATHTIME | Q | date 2130-01-01 2180-01-01 %Y-%m-%d_%H:%M:%S ~0.9
        ADMISSION_TYPE | QS | among EMERGENCY/NEWBORN/ELECTIVE/URGENT
        ADMISSION_LOCATION | QS | among EMERGENCY_ROOM_ADMIT/PHYS_REFERRAL/CLINIC_REFERRAL
        DISCHARGE_LOCATION | QS | among HOME/SNF/HOME_HEALTH_CARE/DEAD/EXPIRED
        INSURANCE | QS | @among Medicare/Private/Medicaid/Self_Pay
        LANGUAGE | Q | @among ENGL/SPAN/RUSS/PTUN ~0.3
        RELIGION | SQ | @among CATHOLIC/NOT_SPECIFIED/PROTESTANT_QUAKER/JEWISH
        MARITAL_STATUS | Q | @among MARRIED/SINGLE/WIDOWED/DIVORCED
        ETHNICITY | Q | @among WHITE/BLACK/HISPANIC/ASIAN
        DIAGNOSIS | S | among PNEUMONIA/SEPSIS/CORONARY_ARTERY_DISEASE/GASTROINTESTINAL_BLEED/STROKE
        HOSPITAL_EXPIRE_FLAG | SQ | among 0/1
        HAS_CHARTEVENTS_DATA | AS | among 1/0
        """,
        people=900,
    ),
    kind(
        "eicu",
        1500,
        """
        patientunitstayid | I | serial 141168
        patienthealthsystemstayid | IP | serial 128919
        uniquepid | P | @pattern 002-#####
        gender | Q | @among Female/Male
        age | Q | @int 18 89
        ethnicity | Q | @among Caucasian/African_American/Hispanic/Asian
        hospitalid | Q | among 73/264/338/443/420/188
        wardid | QS | among 369/646/267/413/236
        apacheadmissiondx | S | among Sepsis,_pulmonary/CHF/CVA/Diabetic_ketoacidosis
        admissionheight | QS | @norm 169 12 1
        hospitaladmittime24 | QA | date 2014-01-01 2015-12-31 %H:%M:%S
        hospitaldischargeyear | QA | among 2015/2014
        unittype | QS | among Med-Surg_ICU/CCU-CTICU/MICU/Neuro_ICU
        unitadmitsource | QS | among Emergency_Department/Floor/Operating_Room
        unitdischargestatus | SQ | among Alive/Expired
        unitvisitnumber | QSA | among 1/2/3
        admissionweight | QS | norm 82 20 1
        """,
        people=900,
    ),
    kind(
        "brfss",
        1500,
        """
        _STATE | Q | among 1/6/12/36/48
        FMONTH | AQ | int 1 12
        IDATE | AQ | date 2022-01-01 2022-12-31 %m%d%Y
        SEQNO | I | serial 2022000001
        _PSU | IAQ | serial 2022000001
        NUMADULT | Q | among 2/1/3/4
        SEXVAR | Q | among 1/2
        GENHLTH | S | among 2/3/1/4/5
        PHYSHLTH | S | among 88/30/2/5/10/15/77
        MENTHLTH | S | among 88/30/2/5/10/15/99
        MEDCOST1 | S | among 2/1
        BPHIGH6 | S | among 3/1/2/4
        CVDINFR4 | S | among 2/1/7
        ASTHMA3 | S | among 2/1
        DIABETE4 | S | among 3/1/2/4
        MARITAL | Q | among 1/5/2/3/4
        EDUCA | Q | among 6/5/4/3
        RENTHOM1 | Q | among 1/2/3
        VETERAN3 | Q | among 2/1
        EMPLOY1 | Q | among 1/7/2/8/3
        CHILDREN | Q | among 88/1/2/3
        INCOME3 | SQ | among 7/6/5/8/77/99
        WEIGHT2 | QS | int 110 280
        HEIGHT3 | Q | among 504/506/508/510/600
        SMOKE100 | S | among 2/1
        ALCDAY4 | S | among 888/101/201/205
        HIVTST7 | S | among 2/1
        _STSTR | AQ | int 11011 11099
        _LLCPWT | W | money 400 6
        _RACEGR3 | Q | among 1/2/5/3/4
        _AGEG5YR | Q | int 1 13
        _BMI5 | SQ | norm 2800 500 0
        """,
    ),
    kind(
        "ess",
        1500,
        """
        essround | A | const 10
        edition | A | const 3.1
        idno | IP | serial 10001
        cntry | Q | among DE/FR/PT/BE/NL
        dweight | W | money 1 6
        pspwght | W | money 1 6
        anweight | W | money 0.9 6
        psu | AQ | int 1 90
        stratum | AQ | int 1 25
        nwspol | SA | among 60/30/45/90/0
        ppltrst | S | int 0 10
        polintr | S | among 2/3/1/4
        vote | S | among 1/2/3
        prtvtde2 | S | among 1/2/3/4/5/6
        lrscale | S | int 0 10
        happy | S | int 0 10
        rlgdnm | SQ | among 1/2/4/6/66
        rlgdgr | S | int 0 10
        dscrgrp | S | among 2/1
        ctzcntr | Q | among 1/2
        cntbrth | Q | among DE/TR/PL/SY/IT
        hhmmb | Q | among 2/1/3/4/5
        gndr | Q | among 1/2
        yrbrn | Q | int 1932 2005
        agea | Q | int 15 90
        marsts | Q | among 6/1/4/5
        eisced | Q | among 4/3/5/7/6
        mnactic | Q | among 1/6/2/3
        isco08 | Q | among 5223/2341/4110/7231/9112/2310
        hinctnta | SQ | int 1 10
        region | Q | among DE1/DE2/DEA/DE7/DED
        """,
    ),
    kind(
        "allbus",
        1200,
        """
        za_nr | A | const 5270
        respid | IP | serial
        Erhebungsgebiet | Q | among West/Ost
        Geschlecht | Q | among Mann/Frau
        Geburtsjahr | Q | int 1930 2002
        Alter | Q | int 18 88
        Familienstand | Q | among verheiratet/ledig/geschieden/verwitwet
        Konfession | SQ | among evangelisch/katholisch/keine/andere
        Staatsangehoerigkeit | Q | among deutsch/türkisch/polnisch/italienisch
        Schulabschluss | Q | among Mittlere_Reife/Abitur/Hauptschule/ohne_Abschluss
        Berufsstellung | Q | among Angestellter/Arbeiter/Beamter/Selbstständig
        Haushaltsgroesse | Q | among 2/1/3/4/5
        Nettoeinkommen | S | money 1900 0 ~0.2
        Wahlabsicht | S | among CDU/SPD/Grüne/FDP/Linke/AfD
        Links_Rechts_Selbsteinstufung | S | int 1 10
        Gesundheitszustand | S | among gut/zufriedenstellend/sehr_gut/schlecht
        Lebenszufriedenheit | S | int 0 10
        Gemeindegroessenklasse | Q | among 1/2/3/4/5/6/7
        Bundesland | Q | among Bayern/Sachsen/Hessen/NRW/Berlin
        Interviewernummer | AIQ | int 1001 1060
        Ostwestgewicht | W | among 1.214/0.563
        """,
    ),
    kind(
        "soep",
        1800,
        """
        pid | P | @digits 7
        hid | IQA | @digits 6
        syear | QA | among 2018/2019/2020
        gebjahr | Q | @int 1930 2000
        sex | Q | @among 1/2
        migback | Q | @among 1/2/3
        pgstib | Q | among 520/430/110/10
        pgtatzeit | SQ | norm 37 9 1
        pglabgro | S | money 2800 0
        plh0182 | S | int 0 10
        ple0008 | S | int 1 5
        phrf | W | money 3000 4
        nuts1 | Q | @among DE1/DE2/DEA/DE7
        """,
        people=700,
    ),
    kind(
        "pisa",
        1500,
        """
        CNT | Q | among DEU/FRA/ESP/MEX/POL
        CNTSCHID | QA | int 27600001 27600090
        CNTSTUID | I | serial 27600001
        ST001D01T | Q | among 9/10/8
        ST003D02T | Q | int 1 12
        ST003D03T | Q | among 2002/2001
        ST004D01T | Q | among 1/2
        ESCS | SQ | norm 0 1 4
        IMMIG | Q | among 1/2/3
        HISEI | SQ | norm 50 20 2
        OCOD1 | Q | among 2341/5223/9112/4110/7231
        LANGN | Q | among 148/493/344
        BELONG | S | norm 0 1 4
        PV1MATH | S | norm 500 95 3
        PV1READ | S | norm 490 100 3
        W_FSTUWT | W | money 30 5
        W_FSTURWT1 | W | money 30 5
        SENWT | W | money 1 5
        """,
    ),
    kind(
        "insurance_claims",
        1200,
        """
        months_as_customer | QSA | int 0 480
        age | Q | int 19 64
        policy_number | I | digits 6
        policy_bind_date | QSA | date 1990-01-01 2015-01-01
        policy_state | Q | among OH/IN/IL
        policy_csl | SA | among 250-500/100-300/500-1000
        policy_deductable | SA | among 1000/500/2000
        policy_annual_premium | S | norm 1250 240 2
        umbrella_limit | SA | among 0/6000000/5000000
        insured_zip | Q | digits 6
        insured_sex | Q | among FEMALE/MALE
        insured_education_level | Q | among JD/MD/PhD/High_School/College
        insured_occupation | Q | among machine-op-inspct/prof-specialty/tech-support/sales
        insured_hobbies | QS | among reading/exercise/chess/golf
        insured_relationship | Q | among own-child/husband/wife/unmarried
        capital-gains | S | skew 0 100000
        incident_date | QS | date 2015-01-01 2015-03-01
        incident_type | SQ | among Multi-vehicle_Collision/Single_Vehicle_Collision/Vehicle_Theft
        incident_severity | S | among Minor_Damage/Total_Loss/Major_Damage
        incident_city | Q | among $CITY
        incident_location | IQ | street
        incident_hour_of_the_day | QSA | int 0 23
        bodily_injuries | S | among 0/1/2
        police_report_available | SA | among YES/NO/?
        total_claim_amount | S | money 52000 0
        auto_make | Q | among Saab/Dodge/Subaru/BMW
        auto_model | Q | among RAM/Wrangler/A3/Neon
        auto_year | Q | int 1995 2015
        VIN | I | pattern 1HGCM82633A######
        fraud_reported | S | among N/Y
        """,
    ),
    kind(
        "voter_file",
        1500,
        """
        county_id | Q | int 1 100
        voter_reg_num | I | digits 12
        ncid | I | pattern ??######
        last_name | I | among $LAST even
        first_name | I | among $FIRST even
        middle_name | I | among $FIRST even ~0.2
        name_suffix_lbl | QI | among JR/SR/III ~0.95
        status_cd | QSA | among A/I/R
        voter_status_desc | QSA | among ACTIVE/INACTIVE/REMOVED
        res_street_address | I | street
        res_city_desc | Q | among $CITY
        zip_code | Q | among 27513/28205/27701/28403/27858
        full_phone_number | I | pattern 919555####
        race_code | Q | among W/B/A/O
        ethnic_code | Q | among NL/HL/UN
        party_cd | SQ | among DEM/REP/UNA/LIB
        gender_code | Q | among F/M/U
        birth_year | Q | int 1930 2004
        birth_state | Q | among $STATE ~0.2
        registr_dt | QA | date 1980-01-01 2022-12-31 %m/%d/%Y
        precinct_abbrv | Q | pattern ##.#
        drivers_lic | QA | among Y/N
        """,
    ),
    kind(
        "police_stops",
        1500,
        """
        raw_row_number | I | serial
        date | QS | date 2014-01-01 2015-12-31
        time | QSA | date 2014-01-01 2015-12-31 %H:%M:%S
        location | QI | street
        lat | QI | norm 37.75 0.02 6
        lng | QI | norm -122.4 0.02 6
        district | Q | among A/B/C/D/E/F
        beat | QA | int 100 140
        officer_id_hash | IQAP | pattern a#f##c#e##
        subject_age | Q | int 15 80
        subject_race | Q | among white/black/hispanic/asian/pacific_islander
        subject_sex | Q | among male/female
        violation | S | among Speeding/DUI/Equipment/Registration
        arrest_made | S | among FALSE/TRUE
        citation_issued | S | among TRUE/FALSE
        outcome | S | among citation/warning/arrest
        contraband_found | S | among FALSE/TRUE ~0.8
        search_conducted | S | among FALSE/TRUE
        search_basis | S | among probable_cause/consent/other ~0.9
        vehicle_color | Q | among Black/White/Silver/Red
        vehicle_make | Q | among Toyota/Ford/Honda/BMW
        vehicle_registration_state | Q | among CA/NV/OR
        plate | I | pattern #???###
        """,
    ),
    kind(
        "cmbd_spain",
        1500,
        """
        num_historia | P | @digits 7
        cip | PI | @pattern ????##########
        fecha_nacimiento | Q | @date 1930-01-01 2015-12-31 %d/%m/%Y
        sexo | Q | @among 1/2
        provincia | Q | @among 28/08/41/46/15
        cod_postal | Q | @among 28001/28013/08002/41004/46001/15001
        municipio | Q | @among Madrid/Barcelona/Sevilla/Valencia
        regimen_financiacion | QS | among 1/2/3/6
        fecha_ingreso | Q | date 2018-01-01 2019-12-31 %d/%m/%Y
        fecha_alta | Q | date 2018-01-01 2019-12-31 %d/%m/%Y
        tipo_alta | QS | among 1/2/3/4
        servicio_alta | QS | among CAR/NRL/PED/GIN/TRA
        diagnostico_principal | S | among $ICD10
        procedimiento_1 | S | among 0SR9019/10E0XZZ/0DTJ4ZZ/4A023N7
        grd | S | among 540/139/194/720
        peso_grd | S | norm 1.2 0.4 4
        estancia | QS | skew 1 30
        coste | S | money 4500
        pais_nacimiento | Q | @among España/Marruecos/Ecuador/Rumanía
        """,
        people=1000,
    ),
    kind(
        "sih_brazil",
        1200,
        """
        N_AIH | I | digits 12
        CEP | Q | pattern 01######
        MUNIC_RES | Q | among 355030/330455/310620/292740
        NASC | Q | date 1930-01-01 2019-12-31 %Y%m%d
        SEXO | Q | among 1/3
        IDADE | Q | int 0 95
        RACA_COR | Q | among 01/03/02/99
        DT_INTER | Q | date 2019-01-01 2019-12-31 %Y%m%d
        DT_SAIDA | Q | date 2019-01-01 2019-12-31 %Y%m%d
        DIAG_PRINC | S | among I219/J189/O800/K359/A419
        VAL_TOT | S | money 900
        DIAS_PERM | QS | skew 0 30
        MORTE | SQ | among 0/1
        INSTRU | Q | among 0/1/2/3
        CNES | QA | among 2077396/2078015/2082187
        nome_mae | I | full
        """,
    ),
    kind(
        "pmsi_france",
        1200,
        """
        no_anonyme | P | @pattern ??##??##??####??##
        nom | I | @among $LAST even
        prenom | I | @among $FIRST even
        date_naissance | Q | @date 1930-01-01 2015-12-31 %d/%m/%Y
        sexe | Q | @among 1/2
        code_postal | Q | @among 75011/69003/13001/31000/44000
        commune | Q | @among Paris/Lyon/Marseille/Toulouse/Nantes
        finess | QA | among 750100018/690781810/130786049
        date_entree | Q | date 2019-01-01 2019-12-31 %d/%m/%Y
        date_sortie | Q | date 2019-01-01 2019-12-31 %d/%m/%Y
        mode_sortie | QS | among domicile/transfert/décès
        diag_principal | S | among $ICD10
        ghm | S | among 05M092/08C272/14Z14A/06C042
        duree_sejour | QS | skew 0 40
        medecin_traitant | IQ | full
        situation_familiale | Q | @among marié(e)/célibataire/veuf(ve)/divorcé(e)
        profession | Q | @among ouvrier/employé/cadre/retraité/agriculteur
        num_secu | IP | @digits 13
        """,
        people=800,
    ),
    kind(
        "school_records",
        1000,
        """
        student_number | IP | serial 400123
        UPN | I | pattern ?############
        surname | I | among $LAST even
        forename | I | among $FIRST even
        DOB | Q | date 2004-09-01 2010-08-31 %d/%m/%Y
        NCyear | Q | among 7/8/9/10/11
        form_group | QA | among 7A/7B/8A/8B/9A/10C
        FSM | SQ | among N/Y
        SEN_status | S | among N/K/E
        EAL | QS | among N/Y
        ethnic_code | Q | among WBRI/AIND/BCRB/MWBC
        home_language | Q | among English/Urdu/Polish/Bengali
        attendance_pct | S | norm 94 4 1
        exclusions | S | skew 0 5
        KS2_maths | S | norm 103 6 0
        GCSE_points | S | norm 46 12 1
        parent_email | I | mail
        looked_after | S | among 0/1
        house | QA | among Red/Blue/Green/Yellow
        bus_route | QA | among 12/14/7/3
        """,
    ),
    kind(
        "hr_attrition",
        1470,
        """
        Age | Q | int 18 60
        Attrition | SQ | among No/Yes
        BusinessTravel | QA | among Travel_Rarely/Travel_Frequently/Non-Travel
        DailyRate | S | int 100 1500
        Department | Q | among Sales/Research_&_Development/Human_Resources
        DistanceFromHome | Q | int 1 29
        Education | Q | among 3/4/2/1/5
        EducationField | Q | among Life_Sciences/Medical/Marketing
        EmployeeCount | A | const 1
        EmployeeNumber | IP | serial
        EnvironmentSatisfaction | S | among 3/4/2/1
        Gender | Q | among Male/Female
        JobLevel | QS | among 1/2/3/4/5
        JobRole | Q | among Sales_Executive/Research_Scientist/Manager
        JobSatisfaction | S | among 4/3/2/1
        MaritalStatus | Q | among Married/Single/Divorced
        MonthlyIncome | S | money 5500 0
        NumCompaniesWorked | QSA | int 0 9
        Over18 | A | const Y
        OverTime | SQA | among No/Yes
        PercentSalaryHike | S | int 11 25
        PerformanceRating | S | among 3/4
        TotalWorkingYears | Q | int 0 40
        YearsAtCompany | Q | skew 0 40
        """,
    ),
    kind(
        "loans",
        1500,
        """
        member_id | IP | serial 1077501
        loan_amnt | S | money 13000 0
        term | SA | among _36_months/_60_months
        int_rate | S | norm 13 4 2
        grade | S | among B/C/A/D/E
        emp_title | Q | among $OCCUPATION ~0.1
        emp_length | Q | among 10+_years/<_1_year/2_years/5_years
        home_ownership | QS | among MORTGAGE/RENT/OWN
        annual_inc | S | money 65000 2
        verification_status | SA | among Verified/Not_Verified/Source_Verified
        issue_d | QSA | among Dec-2014/Jan-2015/Feb-2015/Mar-2015
        loan_status | S | among Fully_Paid/Charged_Off/Current/Late_(31-120_days)
        pymnt_plan | SA | among n/y
        desc | IS | text
        purpose | SQ | among debt_consolidation/credit_card/home_improvement
        zip_code | Q | pattern ###xx
        addr_state | Q | among $STATE
        dti | S | norm 16 7 2
        delinq_2yrs | S | skew 0 5
        earliest_cr_line | QS | among Jan-1985/Apr-1999/Nov-2001/Feb-1996
        revol_util | S | norm 55 20 1
        pub_rec_bankruptcies | S | among 0/1/2
        fico_range_low | S | among 660/665/670/690/720
        """,
    ),
    kind(
        "telecom_churn",
        1500,
        """
        customerID | IP | pattern ####-?????
        SeniorCitizen | Q | among 0/1
        Partner | Q | among Yes/No
        Dependents | Q | among No/Yes
        tenure | QS | int 0 72
        PhoneService | QSA | among Yes/No
        InternetService | QSA | among Fiber_optic/DSL/No
        StreamingTV | SQA | among No/Yes/No_internet_service
        Contract | SQA | among Month-to-month/Two_year/One_year
        PaymentMethod | SQA | among Electronic_check/Mailed_check/Credit_card
        MonthlyCharges | S | norm 65 20 2
        TotalCharges | S | money 1400
        Churn | S | among No/Yes
        msisdn | I | pattern 4915########
        imei | I | digits 15
        """,
    ),
    kind(
        "stackoverflow",
        1500,
        """
        ResponseId | I | serial
        MainBranch | QA | among I_am_a_developer_by_profession/I_code_primarily_as_a_hobby/I_am_learning_to_code
        Age | Q | among 25-34_years_old/18-24_years_old/35-44_years_old/45-54_years_old
        Employment | Q | among Employed,_full-time/Student,_full-time/Independent_contractor
        RemoteWork | QA | among Remote/Hybrid/In-person ~0.1
        EdLevel | Q | among Bachelor's_degree/Master's_degree/Some_college/Secondary_school
        YearsCode | Q | int 1 50
        DevType | Q | among Developer,_full-stack/Developer,_back-end/Data_scientist
        OrgSize | Q | among 2_to_9_employees/10_to_19_employees/20_to_99_employees/10,000_or_more_employees
        Country | Q | among $COUNTRY
        Currency | QSA | among USD/EUR/INR/BRL
        CompTotal | S | money 65000 0 ~0.4
        LanguageHaveWorkedWith | QSA | among Python;SQL/JavaScript;HTML/CSS/C#/Java;Python/Rust;Go
        SurveyEase | A | among Easy/Neither_easy_nor_difficult/Difficult
        Sexuality | S | among Straight/Bisexual/Gay_or_Lesbian ~0.3
        MentalHealth | S | among None/Anxiety/Depression
        ConvertedCompYearly | S | money 70000 0 ~0.4
        """,
    ),
    kind(
        "adam_adsl",
        900,
        """
        STUDYID | A | const CDISCPILOT01
        USUBJID | IP | serial 7011001
        SUBJID | IP | serial 1001
        SITEID | QA | among 701/702/703/704/705
        ARM | SQA | among Placebo/Xanomeline_High_Dose/Xanomeline_Low_Dose
        TRT01P | SQA | among Placebo/Xanomeline_High_Dose/Xanomeline_Low_Dose
        TRTSDT | Q | date 2012-07-01 2014-09-01
        TRTEDT | Q | date 2013-01-01 2015-03-01
        AGE | Q | int 50 89
        AGEGR1 | Q | among 65-80/>80/<65
        AGEU | A | const YEARS
        SEX | Q | among F/M
        RACE | Q | among WHITE/BLACK_OR_AFRICAN_AMERICAN/ASIAN
        ETHNIC | Q | among NOT_HISPANIC_OR_LATINO/HISPANIC_OR_LATINO
        SAFFL | A | among Y/N
        ITTFL | A | among Y/N
        DTHFL | SQ | among Y ~0.95
        DCDECOD | S | among COMPLETED/ADVERSE_EVENT/DEATH
        DISCONFL | SQA | among Y ~0.4
        BMIBL | SQ | norm 25 4 1
        HEIGHTBL | Q | norm 165 10 1
        WEIGHTBL | QS | norm 67 14 1
        EDUCLVL | Q | among 12/14/16/8/18
        DISONSDT | SQ | date 2004-01-01 2013-12-31
        MMSETOT | S | int 10 24
        COUNTRY | Q | among USA/DEU/POL/JPN
        """,
    ),
    kind(
        "sdtm_ae",
        1500,
        """
        USUBJID | P | @pattern 01-70#-10##
        DOMAIN | A | const AE
        AESEQ | AQI | int 1 12
        AESPID | IA | pattern E##
        AETERM | S | among HEADACHE/NAUSEA/RASH/DIZZINESS/PRURITUS
        AEDECOD | S | among HEADACHE/NAUSEA/RASH/DIZZINESS/PRURITUS
        AEBODSYS | S | among NERVOUS_SYSTEM/SKIN/GASTROINTESTINAL
        AESEV | S | among MILD/MODERATE/SEVERE
        AESER | S | among N/Y
        AEREL | S | among POSSIBLE/NONE/PROBABLE
        AEOUT | S | among RECOVERED/NOT_RECOVERED/FATAL
        AESTDTC | QS | date 2012-07-01 2014-12-31
        AEENDTC | QS | date 2012-07-01 2014-12-31 ~0.3
        AESTDY | QSA | int 1 200
        """,
        people=250,
    ),
    kind(
        "nhis",
        1500,
        """
        HHX | IQAP | pattern H######
        SRVY_YR | A | const 2021
        WTFA_A | W | money 8000 3
        PSTRAT | AQ | int 100 151
        PPSU | AQ | int 1 40
        REGION | Q | among 3/4/2/1
        URBRRL | Q | among 2/1/4/3
        AGEP_A | Q | int 18 85
        SEX_A | Q | among 2/1
        HISPALLP_A | Q | among 2/1/3/4
        EDUCP_A | Q | among 8/4/5/10
        MARSTAT_A | Q | among 1/7/5/4
        PHSTAT_A | S | among 2/1/3/4/5
        HYPEV_A | S | among 2/1
        CANEV_A | S | among 2/1
        DIBEV_A | S | among 2/1
        SMKEV_A | S | among 2/1
        NOTCOV_A | SQ | among 2/1
        POVRATTC_A | SQ | money 3.2 2
        EMPWRKLSWK1_A | Q | among 1/2
        """,
    ),
    kind(
        "payroll",
        1500,
        """
        Fiscal Year | QA | among 2021/2022/2023
        Agency Name | Q | among POLICE_DEPARTMENT/FIRE_DEPARTMENT/DEPT_OF_ED/SANITATION
        Last Name | I | @among $LAST even
        First Name | I | @among $FIRST even
        Mid Init | IQ | @among A/B/M/J/R
        Agency Start Date | Q | @date 1985-01-01 2020-12-31 %m/%d/%Y
        Work Location Borough | Q | @among MANHATTAN/QUEENS/BRONX/BROOKLYN
        Title Description | Q | @among TEACHER/POLICE_OFFICER/CLERK/FIREFIGHTER
        Leave Status | QSA | among ACTIVE/CEASED/ON_LEAVE
        Base Salary | S | @money 65000
        Pay Basis | SQA | among per_Annum/per_Day/per_Hour
        Regular Hours | SQ | norm 1820 100 2
        OT Hours | S | money 120
        Total OT Paid | S | money 6000
        Employee ID | P | @digits 7
        """,
        people=700,
    ),
]


#: A second list, written after the misses of the first had been mended, and then run once.
BATCH_TWO = [
    kind(
        "mexico_covid",
        1500,
        """
        ID_REGISTRO | I | pattern ?####a#
        ORIGEN | QSA | among 2/1
        SECTOR | QS | among 12/4/6/9
        ENTIDAD_UM | Q | among 9/15/14/19
        SEXO | Q | among 1/2
        ENTIDAD_NAC | Q | among 9/15/14/19/30
        MUNICIPIO_RES | Q | int 1 120
        TIPO_PACIENTE | SQ | among 1/2
        FECHA_INGRESO | Q | date 2020-03-01 2020-12-31
        FECHA_SINTOMAS | QS | date 2020-03-01 2020-12-31
        FECHA_DEF | Q | date 2020-03-01 2020-12-31 ~0.9
        INTUBADO | S | among 97/2/1
        NEUMONIA | S | among 2/1
        EDAD | Q | int 0 95
        EMBARAZO | SQ | among 97/2/1
        HABLA_LENGUA_INDIG | Q | among 2/1/99
        DIABETES | S | among 2/1/98
        HIPERTENSION | S | among 2/1/98
        OBESIDAD | S | among 2/1/98
        TABAQUISMO | S | among 2/1/98
        RESULTADO_LAB | S | among 1/2/3/97
        PAIS_NACIONALIDAD | Q | among México/Estados_Unidos/Guatemala/Cuba
        UCI | S | among 97/2/1
        """,
    ),
    kind(
        "hes_england",
        1500,
        """
        ENCRYPTED_HESID | P | @pattern ?##?####?##?####
        EPIKEY | I | digits 12
        ADMIDATE | Q | date 2015-04-01 2016-03-31 %d/%m/%Y
        DISDATE | Q | date 2015-04-01 2016-03-31 %d/%m/%Y
        STARTAGE | Q | @int 0 95
        MYDOB | Q | @among 011950/061962/091980/121971/031999
        SEX | Q | @among 1/2
        ETHNOS | Q | @among A/B/H/M/N/Z
        LSOA11 | Q | @pattern E0100####
        RESGOR | Q | @among E12000001/E12000007/E12000008
        IMD04_DECILE | QS | @int 1 10
        GPPRAC | Q | @pattern A8####
        PROCODE3 | Q | among RJ1/RYJ/RA9/RM1
        DIAG_01 | S | among $ICD10
        OPERTN_01 | S | among W371/H011/K401/R249
        ADMIMETH | QS | among 11/21/31/2A
        DISDEST | QS | among 19/29/51/79
        SPELDUR | QS | skew 0 40
        MAINSPEF | QS | among 100/110/300/430
        NEWNHSNO | IP | @digits 10
        """,
        people=900,
    ),
    kind(
        "acs_pums",
        1500,
        """
        SERIALNO | IP | pattern 2019HU#######
        SPORDER | QA | among 1/2/3/4
        PUMA | Q | int 100 180
        ST | Q | among 6/36/48/12
        ADJINC | A | const 1010145
        PWGTP | W | int 5 300
        AGEP | Q | int 0 95
        CIT | Q | among 1/4/5/2
        COW | Q | among 1/3/6/7
        DDRS | SQ | among 2/1
        DEAR | SQ | among 2/1
        FER | QS | among 2/1 ~0.6
        JWMNP | Q | skew 1 120
        JWTRNS | Q | among 1/11/2/10
        MAR | Q | among 1/5/3/2
        MIL | Q | among 4/2/3
        SCHL | Q | int 1 24
        SEX | Q | among 1/2
        WAGP | S | money 40000 0
        HICOV | SQ | among 1/2
        PINCP | S | money 42000 0
        RAC1P | Q | among 1/2/6/8
        POVPIP | SQ | int 0 501
        OCCP | Q | int 10 9800
        NATIVITY | Q | among 1/2
        """,
    ),
    kind(
        "prison_inmates",
        1200,
        """
        DOC_Number | IP | digits 7
        Inmate_Name | I | comma
        Alias | I | full ~0.8
        Gender | Q | among MALE/FEMALE
        Race | Q | among WHITE/BLACK/HISPANIC
        Date_of_Birth | Q | date 1950-01-01 2000-12-31 %m/%d/%Y
        Hair_Color | Q | among BROWN/BLACK/BLONDE/GRAY
        Eye_Color | Q | among BROWN/BLUE/GREEN
        Height_in | Q | int 58 78
        Tattoos | QS | text ~0.5
        Facility | Q | among North_Unit/South_Camp/East_Center
        Custody_Level | S | among MEDIUM/MINIMUM/MAXIMUM
        Sentence_Years | S | int 1 40
        Offense | S | among ROBBERY/BURGLARY/FRAUD/ASSAULT
        Sentencing_County | Q | among $COUNTY
        Release_Date | QS | date 2020-01-01 2045-12-31 %m/%d/%Y
        Gang_Affiliation | S | among None/A/B
        Prior_Commitments | S | skew 0 6
        """,
    ),
    kind(
        "bank_marketing",
        1500,
        """
        client_id | IP | serial 1
        age | Q | int 18 90
        job | Q | among admin./blue-collar/technician/services/management
        marital | Q | among married/single/divorced
        education | Q | among university.degree/high.school/basic.9y
        default | S | among no/unknown/yes
        balance | S | norm 1400 900 0
        housing | SQ | among yes/no
        loan | S | among no/yes
        contact | QAS | among cellular/telephone
        month | QA | among may/jul/aug/jun
        duration | SQA | skew 5 2000
        campaign | SQA | skew 1 20
        poutcome | SA | among nonexistent/failure/success
        y | S | among no/yes
        """,
    ),
    kind(
        "sdo_italy",
        1200,
        """
        codice_fiscale | IP | pattern ??????##?##?###?
        cognome | I | among $LAST even
        nome | I | among $FIRST even
        data_nascita | Q | date 1930-01-01 2015-12-31 %d/%m/%Y
        comune_residenza | Q | among Roma/Milano/Napoli/Torino
        cittadinanza | Q | among italiana/rumena/marocchina
        stato_civile | Q | among coniugato/celibe/nubile/vedovo
        titolo_studio | Q | among licenza_media/diploma/laurea
        reparto | QS | among cardiologia/ortopedia/pediatria
        data_ricovero | Q | date 2019-01-01 2019-12-31 %d/%m/%Y
        data_dimissione | Q | date 2019-01-01 2019-12-31 %d/%m/%Y
        diagnosi_principale | S | among $ICD9
        intervento_principale | S | among 8154/3722/741/4701
        onere_degenza | SQ | among 1/2/4
        medico_curante | IQ | full
        numero_cartella | I | pattern 2019######
        tariffa_drg | S | money 3000
        giorni_degenza | QS | skew 1 30
        """,
    ),
    kind(
        "dhs",
        1200,
        """
        caseid | I | pattern ____1___#_##_#
        v000 | A | const KE7
        v001 | AQ | int 1 150
        v002 | AQI | int 1 90
        v005 | W | money 900000 0
        v012 | Q | int 15 49
        v021 | AQ | int 1 150
        v023 | AQ | int 1 40
        v024 | Q | among 1/2/3/4/5
        v025 | Q | among 2/1
        v106 | Q | among 1/2/0/3
        v190 | SQ | among 1/2/3/4/5
        v201 | Q | skew 0 9
        v312 | S | among 0/3/1/11
        v501 | Q | among 1/0/2/4
        v714 | Q | among 1/0
        v761 | S | among 0/1
        """,
    ),
    kind(
        "heart_uci",
        700,
        """
        patient | IP | serial 1
        age | Q | int 29 77
        sex | Q | among 1/0
        cp | S | among 0/2/1/3
        trestbps | S | norm 131 17 0
        chol | S | norm 246 50 0
        fbs | S | among 0/1
        restecg | S | among 1/0/2
        thalach | S | norm 149 22 0
        exang | S | among 0/1
        oldpeak | S | norm 1.2 0.6 1
        thal | S | among 2/3/1
        num | S | among 0/1/2/3/4
        smoker | S | among yes/no
        """,
    ),
    kind(
        "fitness_members",
        1200,
        """
        member_no | P | @digits 6
        join_date | QA | @date 2015-01-01 2022-12-31
        branch | Q | @among City/North/Harbour
        date_of_birth | Q | @date 1950-01-01 2005-12-31
        gender | Q | @among f/m/x
        visit_start | QS | date 2022-01-01 2022-12-31 %Y-%m-%d_%H:%M
        minutes | SQA | skew 5 180
        membership_type | QSA | @among basic/plus/family
        fee_paid | S | @money 40
        resting_hr | S | @norm 65 9 0
        weight_kg | QS | @norm 78 14 1
        emergency_contact | I | @full
        instructor | IQ | among Alice_B/Bruno_C/Carmen_D/Dieter_E
        locker | QAI | int 1 200
        """,
        people=400,
    ),
    kind(
        "schueler_de",
        900,
        """
        SchuelerNr | IP | serial 20001
        Nachname | I | among $LAST even
        Rufname | I | among $FIRST even
        GebDat | Q | date 2005-01-01 2014-12-31 %d.%m.%Y
        Klasse | QA | among 5a/5b/6a/6b/7c
        Konfession | SQ | among rk/ev/ohne
        Muttersprache | Q | among deutsch/türkisch/arabisch
        Foerderbedarf | S | among nein/ja
        Fehltage | S | skew 0 40
        Note_Mathe | S | among 2/3/1/4/5
        Erziehungsberechtigte | I | full
        Telefon_Eltern | I | pattern 0171/#######
        Anschrift | I | street
        PLZ | Q | among 04109/10115/20095/50667
        Herkunftsland | Q | among Deutschland/Syrien/Türkei
        BuT_Leistungen | S | among nein/ja
        """,
    ),
]
