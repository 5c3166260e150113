"""Tables of surveys whose names mean little without a codebook, of panels, of flags, and of attitudes; see `public_kinds`.

Run for the first time, 76.7 % of the columns were right, with three dangerous misses; what is asserted is after that.
"""

# ruff: noqa: E501

from __future__ import annotations

from tests.profiles.public_kinds import kind

BATCH_FIVE = [
    kind(
        "nlswork",
        1800,
        """
idcode | P | @serial
year | Q | among 68/69/70/71/72/73/75/77/78/80/82/83/85/87/88 even
birth_yr | Q | @int 41 54
age | Q | int 18 46
race | Q | @among white/black/other
msp | Q | among 1/0
nev_mar | Q | among 0/1
grade | QS | @int 8 18
collgrad | Q | @among 0/1
not_smsa | Q | among 0/1
c_city | Q | among 0/1
south | Q | among 0/1
ind_code | Q | int 1 12
occ_code | Q | int 1 13
union | SQ | among 0/1 ~0.3
wks_ue | SQ | skew 0 76 ~0.2
ttl_exp | QS | norm 6 3 6
tenure | QS | norm 3 2 6
hours | QS | norm 37 9 0
wks_work | QS | int 0 104
ln_wage | S | norm 1.67 0.5 6
""",
        people=300,
    ),
    kind(
        "eusilc_p",
        1500,
        """
PB010 | QA | const 2013
PB020 | Q | among AT/DE/FR
PB030 | IP | serial 100001
PB040 | W | money 800 4
PB110 | QA | const 2013
PB130 | Q | int 1 4
PB140 | Q | int 1932 1997
PB150 | Q | among 1/2
PB190 | Q | among 2/1/4/3/5
PB210 | Q | among LOC/EU/OTH
PB220A | Q | among LOC/EU/OTH
PE010 | QS | among 2/1
PE040 | Q | among 300/500/200/100/400/0
PL031 | Q | among 1/7/2/5/6/3/10/8
PL051 | Q | int 10 96
PL060 | QS | int 10 60
PH010 | S | among 2/1/3/4/5
PH020 | S | among 2/1
PH030 | S | among 3/2/1
PY010G | S | money 20000
PY050G | S | money 3000 ~0.5
HY020 | S | money 32000
HX040 | Q | among 2/1/3/4/5/6
DB040 | Q | among AT11/AT12/AT13/AT21/DE1/FR1
DB090 | W | money 700 5
""",
    ),
    kind(
        "nhanes_lab",
        1200,
        """
SEQN | IP | serial 62161
SDDSRVYR | QA | const 7
RIAGENDR | Q | among 1/2
RIDAGEYR | Q | skew 0 80
RIDRETH1 | Q | among 3/4/1/2/5
DMDCITZN | Q | among 1/2
DMDEDUC2 | Q | among 4/5/3/2/1/9
DMDMARTL | Q | among 1/5/3/6/2/4
INDHHIN2 | SQ | among 14/6/7/8/15/9/5/4/3/10/2/12/1
INDFMPIR | SQ | norm 2.3 1.2 2
WTINT2YR | W | money 20000 6
WTMEC2YR | W | money 21000 6
SDMVPSU | QA | among 1/2/3
SDMVSTRA | QA | int 90 103
BMXWT | QS | norm 75 18 1
BMXHT | QS | norm 166 10 1
BMXBMI | QS | norm 27 6 1
BPXSY1 | S | norm 121 17 0
BPXDI1 | S | norm 70 11 0
LBXTC | S | norm 190 40 0
LBDHDD | S | norm 53 15 0
LBXGH | S | norm 5.6 0.8 1
DIQ010 | S | among 2/1/3/9
SMQ020 | S | among 2/1
ALQ101 | S | among 1/2
DPQ010 | S | among 0/1/2/3
HUQ010 | S | among 2/3/1/4/5
HIQ011 | S | among 1/2
PAQ605 | S | among 2/1
SXQ700 | S | among 1/2 ~0.5
""",
    ),
    kind(
        "dhs_ir",
        1200,
        """
CASEID | IP | pattern _______1__##__#_2
V000 | QA | const KE6
V001 | QA | blocks 12
V002 | I | int 1 120
V003 | QA | among 2/1/3
V005 | W | digits 6
V006 | Q | among 5/6/7
V007 | QA | const 2014
V008 | Q | among 1373/1374/1375
V011 | Q | int 790 1190
V012 | Q | int 15 49
V013 | Q | int 1 7
V021 | QA | blocks 12
V022 | QA | blocks 40
V024 | Q | int 1 8
V025 | Q | among 2/1
V106 | Q | among 1/2/0/3
V130 | SQ | among 2/1/3/4
V131 | Q | int 1 12
V136 | Q | skew 1 12
V190 | SQ | int 1 5
V201 | Q | skew 0 9
V312 | S | among 0/3/1/5/8
V501 | Q | among 1/0/2/5/3/4
V714 | Q | among 1/0
V463Z | S | among 1/0
""",
    ),
    kind(
        "pnad",
        1500,
        """
Ano | QA | const 2019
Trimestre | QA | among 1/2
UF | Q | among 35/33/31/29/41
UPA | QA | blocks 30
Estrato | QA | blocks 200
V1008 | QAI | int 1 14
V1014 | QA | int 1 8
V1016 | QA | among 1/2/3/4/5
V1022 | Q | among 1/2
V1028 | W | money 500 8
V2001 | Q | skew 1 9
V2003 | QA | skew 1 9
V2005 | Q | skew 1 17
V2007 | Q | among 1/2
V2008 | Q | int 1 31
V20081 | Q | int 1 12
V20082 | Q | int 1930 2018
V2009 | Q | skew 0 95
V2010 | Q | among 1/4/2/3/5
VD3004 | Q | among 2/5/7/1/3
VD4001 | QS | among 1/2
VD4019 | S | money 1800 0
V403312 | S | money 1700 0
V4010 | Q | among 4110/5223/5221/9111/8322/2341/5120
""",
    ),
    kind(
        "panel_clinic",
        1600,
        """
pid_hash | P | @pattern #a#f#?9b#c##
visit_no | QA | int 1 8
visit_date | Q | date 2015-01-01 2018-12-31
sexo | Q | @among H/M
edad_ingreso | Q | @int 18 90
cp | Q | @among 28001/28002/28040/08001/08025/41001
peso_kg | QS | norm 75 14 1
talla_cm | QS | norm 168 9 0
tas | S | norm 130 18 0
tad | S | norm 80 10 0
hba1c | S | norm 6.2 1 1
fumador | S | among Si/No/Ex
tratamiento | S | among A/B
evento_cv | S | among 0/1
observaciones | I | text
medico | I | full
num_historia | IP | @pattern HC######
""",
        people=400,
    ),
    kind(
        "hh_survey_en",
        1000,
        """
hhid | I | blocks 4
memid | QA | int 1 6
relhead | Q | among head/spouse/son/daughter/other
head_age | Q | int 20 80
sp_age | Q | int 20 80
mother_alive | SQ | among yes/no
n_goats | SQ | skew 0 30
n_cows | SQ | skew 0 12
land_acres | SQ | norm 3 1.5 2
roof_type | QS | among iron/thatch/tile
water_source | QS | among piped/well/river
toilet | QS | among pit/flush/none
electricity | QS | among 0/1
hh_wgt | W | money 200 3
gps_lat | QI | norm -1.2 0.4 5
gps_lon | QI | norm 36 0.4 5
enumerator | I | among Achieng/Kamau/Otieno/Mwangi
enum_id | IQA | int 1 12
interview_start | QA | date 2016-03-01 2016-05-30 %Y-%m-%d_%H:%M:%S
phone1 | I | pattern +2547########
remarks | I | text ~0.7
village | Q | among Kisumu/Bondo/Siaya/Ugunja
dep_ratio | QS | share
asset_index | S | norm 0 1 5
cons_pc | S | money 90 4
food_insec | S | int 0 9
""",
    ),
    kind(
        "onehot",
        1500,
        """
age | Q | int 18 70
female | Q | among 0/1
black | Q | among 0/1
hisp | Q | among 0/1
asian | Q | among 0/1
married | Q | among 0/1
divorced | Q | among 0/1
nodegree | Q | among 0/1
ne | Q | among 0/1
midwest | Q | among 0/1
west | Q | among 0/1
urban | Q | among 0/1
union | SQ | among 0/1
educ_hs | Q | among 0/1
educ_college | Q | among 0/1
race_black | Q | among 0/1
race_white | Q | among 0/1
re74 | S | money 4000 3
re75 | S | money 4000 3
re78 | S | money 6000 3
treat | SA | among 0/1
arr86 | S | skew 0 5
inc86 | S | money 60 1
pcnv | S | share
tottime | S | norm 10 4 1
qemp86 | QS | int 0 4
""",
    ),
    kind(
        "attitudes",
        900,
        """
respid | I | serial 500
v1 | SA | int 1 5
therm_trump | S | int 0 100
therm_biden | S | int 0 100
agree_immig | SA | among Agree/Disagree/Strongly_agree/Strongly_disagree/Neither
agree_taxes | SA | among Agree/Disagree/Strongly_agree/Strongly_disagree/Neither
import_env | SA | among Very_important/Somewhat_important/Not_important
ideo7 | S | int 1 7
pid3 | S | among Democrat/Republican/Independent
votechoice | S | among Biden/Trump/Other
birthyr | Q | int 1935 2002
gender | Q | among Male/Female
race4 | Q | among White/Black/Hispanic/Other
educ | Q | among HS/Some_college/4-year/Post-grad
faminc_new | S | int 1 16
inputstate | Q | among Ohio/Texas/Maine/Iowa/Utah
urbancity | Q | int 1 4
newsint | SA | int 1 4
presapp | SA | int 1 5
employ | Q | among Full-time/Part-time/Retired/Student
marstat | Q | among Married/Single/Widowed
child18 | Q | among Yes/No
commonweight | W | norm 1 0.3 8
starttime | QA | date 2020-10-01 2020-10-30 %Y-%m-%d_%H:%M:%S
open_most_important | I | text
ownhome | Q | among Own/Rent
trust_gov | SA | int 1 5
sdo1 | SA | int 1 7
sdo2 | SA | int 1 7
pol_know | SA | int 0 8
""",
    ),
]
