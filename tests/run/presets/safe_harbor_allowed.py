"""Columns that may come out under HIPAA Safe Harbor: none of the eighteen kinds, by name and by content.

A tool that drops these as well is safe and useless. Written from the rule, like `safe_harbor_columns`.
"""

from __future__ import annotations

from tests import people as p
from tests.run.presets.safe_harbor_columns import Column

YES_NO = p.of("Yes", "No")
FLAG = p.of(0, 1)
Y_N = p.of("Y", "N")
STATES = p.of("MA", "NY", "CA", "TX", "FL", "IL", "WA", "OH")


def _may(*columns: tuple[str, p.Maker, str]) -> list[Column]:
    return [Column(name, make, why) for name, make, why in columns]


WHO = _may(
    ("sex_at_birth", p.of("F", "M"), "demographic"),
    ("GENDER", p.of("F", "M"), "Synthea"),
    ("gender_concept_id", p.of(8507, 8532), "OMOP"),
    ("race", p.of("white", "black", "asian", "native", "other"), "demographic"),
    ("RACE_CD", p.of(1, 2, 3, 4, 5), "claims"),
    ("ETHNICITY", p.of("hispanic", "nonhispanic"), "Synthea"),
    ("marital_status", p.of("married", "single", "widowed", "divorced"), "demographic"),
    ("MARITAL", p.of("M", "S", "D", "W"), "Synthea"),
    ("language", p.of("English", "Spanish", "Chinese", "Portuguese"), "demographic"),
    ("religion", p.of("Catholic", "Protestant", "Jewish", "Muslim", "none"), "demographic"),
    ("education", p.of("high school", "college", "graduate", "none"), "demographic"),
    ("employment_status", p.of("employed", "unemployed", "retired", "student"), "not the employer"),
    ("income_bracket", p.of("<25k", "25-50k", "50-100k", ">100k"), "demographic"),
    ("veteran", YES_NO, "flag"),
    ("housing", p.of("own", "rent", "homeless"), "demographic"),
    ("num_children", p.whole(0, 5), "a count"),
    ("household_size", p.whole(1, 7), "a count"),
    ("age_under_89", p.whole(18, 79), "no age over 89"),
    ("agegroup10", p.of("20-29", "30-39", "40-49", "50-59", "60-69", "70-79"), "no age over 89"),
    ("STATE", STATES, "a state"),
    ("patient_state", p.of("Massachusetts", "New York", "California", "Texas"), "a state"),
    ("country", p.of("USA", "Mexico", "Canada"), "larger than a state"),
    ("census_region", p.of("Northeast", "Midwest", "South", "West"), "larger than a state"),
    ("birth_country", p.of("USA", "Mexico", "China", "India"), "larger than a state"),
)

WHEN = _may(
    ("admit_year", p.whole(2015, 2024), "a year"),
    ("YEAR", p.text(p.whole(2015, 2024)), "a year"),
    ("dx_year", p.whole(2001, 2024), "a year"),
    ("discharge_yr", p.whole(2015, 2024), "a year"),
    ("los", p.whole(0, 30), "length of stay"),
    ("LENGTH_OF_STAY", p.whole(0, 30), "length of stay"),
    ("icu_days", p.whole(0, 14), "a duration"),
    ("survival_months", p.whole(0, 120), "a duration"),
    ("days_to_readmission", p.sometimes(p.whole(1, 90)), "a duration"),
    ("followup_years", p.real(3, 1.5), "a duration"),
    ("waiting_minutes", p.whole(0, 240), "a duration"),
    ("gestational_weeks", p.whole(24, 42), "a duration"),
)

ILLNESS = _may(
    ("diagnosis", p.of("asthma", "diabetes", "hypertension", "influenza", "fracture"), "clinical"),
    ("icd10", p.of("I10", "E11.9", "J45.0", "K21.9", "F32.1", "M54.5"), "clinical"),
    ("DX1", p.of("4019", "25000", "49390", "53081"), "ICD-9 in claims"),
    ("PRINCIPAL_DX_CD", p.of("I10", "E119", "J450", "K219"), "ICD-10 without its dot"),
    ("ICD9_CODE", p.of("401.9", "250.00", "493.90"), "MIMIC"),
    ("secondary_diagnoses", p.of("E11.9;I10", "I10", "J45.0;K21.9"), "several codes"),
    ("CODE", p.of(44054006, 59621000, 195662009, 444814009), "Synthea: SNOMED"),
    ("DESCRIPTION", p.of("Viral sinusitis (disorder)", "Acute bronchitis (disorder)", "Prediabetes"), "Synthea"),
    ("REASONDESCRIPTION", p.sometimes(p.of("Hypertension", "Normal pregnancy", "Diabetes")), "Synthea"),
    ("condition_concept_id", p.of(320128, 201826, 317009), "OMOP"),
    ("snomed_code", p.of("44054006", "59621000", "195967001"), "clinical"),
    ("DRG", p.of(470, 871, 291, 392, 765), "clinical"),
    ("ms_drg_desc", p.of("HEART FAILURE & SHOCK W MCC", "CHEST PAIN", "SEPTICEMIA W MCC"), "clinical"),
    ("MDC", p.whole(1, 25), "major diagnostic category"),
    ("cpt", p.of("99213", "99214", "71046", "80053"), "procedure; five digits are no zip code"),
    ("HCPCS_CD", p.of("G0008", "J1100", "A0429"), "procedure"),
    ("procedure", p.of("appendectomy", "colonoscopy", "hip replacement"), "clinical"),
    ("loinc", p.of("4548-4", "2345-7", "718-7"), "laboratory"),
    ("test_name", p.of("Hemoglobin A1c", "Glucose", "Creatinine"), "laboratory"),
    ("comorbidity_count", p.whole(0, 8), "a count"),
    ("charlson_index", p.whole(0, 12), "clinical"),
    ("tumor_stage", p.of("I", "II", "III", "IV"), "registry"),
    ("histology", p.of("8140/3", "8500/3", "8070/3"), "registry"),
    ("grade", p.of("G1", "G2", "G3"), "registry"),
    ("er_status", p.of("positive", "negative"), "registry"),
    ("hiv_status", p.of("positive", "negative", "unknown"), "clinical"),
    ("allergy", p.of("penicillin", "latex", "peanuts", "none"), "clinical"),
    ("blood_type", p.of("A+", "O+", "B+", "AB-", "O-"), "clinical"),
    ("smoker", p.of("never", "former", "current"), "clinical"),
    ("alcohol_use", p.of("none", "moderate", "heavy"), "clinical"),
    ("cause_of_death_icd", p.sometimes(p.of("I21.9", "C34.9", "J18.9"), 0.7), "clinical"),
)

MEASURED = _may(
    ("bmi", p.real(27, 4), "measured"),
    ("height_cm", p.real(170, 9, 0), "measured"),
    ("weight_kg", p.real(78, 14), "measured; not a survey's weight"),
    ("sbp", p.whole(95, 180), "measured"),
    ("DBP_MMHG", p.whole(55, 110), "measured"),
    ("heart_rate", p.whole(50, 120), "measured"),
    ("temperature_c", p.real(37, 0.6), "measured"),
    ("spo2", p.whole(88, 100), "measured"),
    ("hba1c", p.real(6.5, 1.2), "laboratory"),
    ("glucose_mg_dl", p.whole(65, 260), "laboratory"),
    ("creatinine", p.real(1.1, 0.4, 2), "laboratory"),
    ("WBC", p.real(8, 2.5), "laboratory"),
    ("hemoglobin", p.real(13, 1.8), "laboratory"),
    ("sodium", p.whole(128, 148), "laboratory"),
    ("cholesterol_total", p.whole(120, 310), "laboratory"),
    ("psa_ng_ml", p.real(3, 2, 2), "laboratory"),
    ("ejection_fraction", p.whole(20, 70), "measured"),
    ("apgar5", p.whole(3, 10), "a score"),
    ("gcs_total", p.whole(3, 15), "a score"),
    ("pain_score", p.whole(0, 10), "a score"),
    ("phq9", p.whole(0, 27), "a score"),
    ("asa_class", p.of(1, 2, 3, 4), "a score"),
    ("ecog", p.whole(0, 4), "a score"),
    ("UNITS", p.of("mg/dL", "mmHg", "kg", "%"), "Synthea"),
)

TREATMENT = _may(
    ("drug_name", p.of("metformin", "lisinopril", "atorvastatin", "albuterol"), "medication"),
    ("medication", p.of("Amoxicillin 250 MG Oral Capsule", "Ibuprofen 200 MG Oral Tablet"), "medication"),
    ("NDC", p.of("00093-1048-01", "00378-1805-10", "16729-0168-17"), "a drug's code, not a person's"),
    ("rxnorm", p.of(860975, 314076, 617311), "a drug's code"),
    ("dose_mg", p.of(5, 10, 20, 40, 500, 1000), "medication"),
    ("route", p.of("oral", "iv", "im", "sc"), "medication"),
    ("frequency", p.of("daily", "bid", "tid", "prn"), "medication"),
    ("days_supply", p.of(30, 60, 90), "medication"),
    ("vaccine", p.of("influenza", "covid-19", "tetanus"), "medication"),
    ("treatment_arm", p.of("placebo", "active"), "trial"),
    ("readmitted", YES_NO, "flag"),
    ("hospital_expire_flag", FLAG, "MIMIC"),
    ("died", Y_N, "flag"),
    ("ventilated", p.of(True, False), "flag"),
    ("diabetic", YES_NO, "flag"),
    ("emergency", FLAG, "flag; no contact"),
    ("icu", Y_N, "flag"),
    ("num_procedures", p.whole(0, 9), "a count"),
    ("visit_count", p.whole(1, 20), "a count"),
    ("n_lab_procedures", p.whole(1, 90), "a count"),
)

ADMINISTRATION = _may(
    ("insurance_type", p.of("Medicare", "Medicaid", "Private", "Self-pay"), "administrative"),
    ("payer", p.of("Medicare", "Medicaid", "Aetna", "Self-pay"), "administrative"),
    ("PRIMARY_PAYER_CD", p.of("A", "B", "M", "Z"), "administrative"),
    ("admission_type", p.of("EMERGENCY", "ELECTIVE", "URGENT", "NEWBORN"), "administrative"),
    ("ADMIT_SOURCE", p.of("ER", "transfer", "referral"), "administrative"),
    ("discharge_disposition", p.of("home", "SNF", "expired", "AMA"), "administrative"),
    ("ENCOUNTERCLASS", p.of("ambulatory", "wellness", "inpatient", "emergency"), "Synthea"),
    ("specialty", p.of("cardiology", "oncology", "pediatrics"), "administrative"),
    ("total_charges", p.real(12_000, 5_000, -2), "money"),
    ("TOTAL_CLAIM_COST", p.real(900, 300, 2), "Synthea; exact, and no number of anybody"),
    ("copay", p.of(0, 10, 20, 35), "money"),
    ("paid_amt", p.real(800, 300, 0), "money"),
    ("bed_type", p.of("ICU", "med-surg", "telemetry"), "administrative"),
)

ELSEWHERE = _may(
    ("Geschlecht", p.of("m", "w", "d"), "German: sex"),
    ("Familienstand", p.of("ledig", "verheiratet", "geschieden"), "German: marital status"),
    ("Blutgruppe", p.of("A", "B", "AB", "0"), "German: blood group"),
    ("Hauptdiagnose", p.of("I10", "E11.9", "J45.0"), "German: diagnosis"),
    ("sexe", p.of("F", "H"), "French: sex"),
    ("poids_kg", p.real(74, 12), "French: weight"),
    ("diagnóstico", p.of("asma", "diabetes", "gripe"), "Spanish: diagnosis"),
    ("estado_civil", p.of("soltero", "casado", "viudo"), "Spanish: marital status"),
    ("性别", p.of("男", "女"), "Chinese: sex"),
    ("性別", p.of("男性", "女性"), "Japanese: sex"),
)

ALLOWED = [*WHO, *WHEN, *ILLNESS, *MEASURED, *TREATMENT, *ADMINISTRATION, *ELSEWHERE]
