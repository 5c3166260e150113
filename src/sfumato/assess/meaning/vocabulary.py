"""Topics of column names in a dozen languages, and the kind of column that each suggests.

Names are normalized first: ``PatientID``, ``patient-id`` and ``Patient Id`` are all ``patient id``.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from sfumato.assess.meaning.names import read_name
from sfumato.assess.meaning.words import COUNTED, words


class Topic(NamedTuple):
    """The topic of a column, by its name.

    Attributes
    ----------
    name
        The topic in words, as reasons use it.
    group
        ``"names"`` a person directly, ``"known"`` to others, ``"secret"``, or ``"technical"``.
    """

    name: str
    group: str


#: Topics in the order in which they are tried; the first that fits counts. Alternatives are whole words of a name.
_TOPICS: tuple[tuple[str, str, str], ...] = (
    # Names that look like another topic by one of their words.
    (
        "free text",
        "text",
        r"comments?|remarks?|notes?|free ?text|open ended|description|narrative|anamnesis|verbatim|bemerkung(en)?|"
        r"kommentar\w*|notiz(en)?|freitext|anmerkung(en)?|beschreibung|commentaires?|remarques?|observations?|"
        r"observaciones|comentarios?|notas|commenti?|osservazioni|opmerking(en)?|toelichting|uwagi|feedback|"
        r"message|reason text",
    ),
    (
        "survey weight",
        "weight",
        r"(sampling|survey|person|design|post ?strat\w*|final|analysis|replicate|household) ?w(eigh)?ts?|"
        r"p ?wgt ?p?|w ?gt ?p?|fnlwgt|weighting|hochrechnungsfaktor|gewichtung\w*|pond(eration)?|"
        r"factor de expansion|expansion factor|pweight|pesi?|weight|wt|gewicht|poids|peso|wt\w* \d+ ?(yr|years?)|"
        r"full sample .*weight",
    ),
    # Who it is.
    (
        "e-mail address",
        "names",
        r".*\be ?mail( .*)?|.*\bmail ?address|courriel|correo( .*)?|posta elettronica|\w*email\w*",
    ),
    (
        "telephone number",
        "names",
        r".*\b(phone|telephone|tel|mobile|cell|cellphone|fax|telefon\w*|handy\w*|rufnummer|telefono|movil|"
        r"cellulare|portable|msisdn|gsm|mobiel)( (no|nr|number|nummer))?",
    ),
    (
        "internet address",
        "names",
        r"(.* )?(ip|ip ?v[46]|ip ?addr(ess)?|adresse ip|mac( address)?|hostname|user agent|cookie( .*)?)",
    ),
    (
        "account number",
        "names",
        r"(.* )?(iban|bic|bban|account( (no|nr|number|iban))?|acct( .*)?|konto\w*|bankverbindung|"
        r"credit card( .*)?|card( (no|nr|number))|payment card|pan|sort code|routing( .*)?|compte|cuenta|conto)",
    ),
    (
        "national number",
        "names",
        r"(.* )?(ssn|nhs( .*)?|nin|nino|national (id|insurance|number).*|social security.*|passport.*|"
        r"pass(nummer)?|reisepass\w*|ausweis\w*|id ?card.*|driv\w+ licen[cs]e.*|tax ?(id|no|number)|tin|vat ?(id|"
        r"no)|steuer ?(id|nummer)\w*|sozialversicherungs\w*|sv ?nummer|ahv\w*|bsn|burgerservicenummer|"
        r"codice fiscale|dni|nie|nif|cpf|rut|curp|pesel|personnummer|cpr|hetu|nir|numero de securite.*|aadhaar|"
        r"medicare (no|number).*|insurance (no|nr|number|id)|versicherten\w*|versicherungs(nummer|nr)|"
        r"krankenversichertennummer|health card.*)",
    ),
    ("number of a medical record", "names", r"(.* )?(mrn|medical record.*)"),
    (
        "street address",
        "names",
        r"(.* )?(street|address|addr|adresse|anschrift|strasse|str|hausnummer|house (no|number)|rue|calle|"
        r"direccion|domicilio|indirizzo|via|straat|adres|ulica|gatuadress|endereco|rua)( (line )?\d*)?",
    ),
    (
        "person's name",
        "names",
        r"(full|first|last|given|family|middle|maiden|sur|user|nick|login|legal|patient|customer|passenger|client|"
        r"student|pupil|employee|person|contact|mother|father|spouse|doctor|physician|teacher|guardian|parent|"
        r"child) ?name( .*)?|surname|forename|firstname|lastname|fullname|name|names|username|initials|signature|"
        r"vorname\w*|nachname\w*|familienname|zuname|geburtsname|benutzername|nom( .*)?|prenom( .*)?|nombres?|"
        r"apellidos?|cognome|nome|voornaam|achternaam|naam|imie|nazwisko|fornamn|efternamn|fornavn|etternavn|"
        r"sobrenome|passenger|pax|(class )?teacher|lehrer\w*|hausarzt|physician|doctor|arzt|treating .*|medecin|"
        r"interviewer|caseworker|contact( person)?|guardian|author",
    ),
    (
        "device number",
        "names",
        r"(.* )?(imei|imsi|iccid|device( id)?|serial( ?(no|nr|number))?|mac id|advertising id|idfa|gaid|vin|plate|"
        r"licen[cs]e plate|kennzeichen|matricula|targa|immatriculation|geratenummer|seriennummer)",
    ),
    (
        "web address",
        "names",
        r"(.* )?(url|website|homepage|web ?site|link|profile|twitter|facebook|instagram|linkedin|handle)",
    ),
    # Where it is, exactly.
    (
        "latitude",
        "known",
        r"(.* )?(lat|latitude|breite|breitengrad|latitud|latitudine|y ?coord(inate)?|northing)",
    ),
    (
        "longitude",
        "known",
        r"(.* )?(lon|long|lng|longitude|lange|langengrad|longitud|longitudine|x ?coord(inate)?|easting)",
    ),
    (
        "coordinates",
        "known",
        r"(.* )?(coord(inate)?s?|gps|geo( ?(point|loc|location|m|metry))?|position|koordinaten|lat ?lon|latlng)",
    ),
    (
        "postcode",
        "known",
        r"(.* )?(zip( ?code)?|zip ?\d|post(al)? ?(code)?|postcode|plz|postleitzahl|code postal|cp|codigo postal|"
        r"cap|codice postale|pincode|psc|cep|zcta|kod pocztowy|postnummer|postnr)( .*)?",
    ),
    # When, and how old: before what is secret, so that the date of a diagnosis is a date.
    (
        "date of birth",
        "known",
        r"(.* )?(dob|d ?o ?b|birth ?(date|day|month|dt)|date of birth|bday|geb(urts)?(datum|tag|dat)?|geboren|"
        r"date (de )?naissance|naissance|fecha (de )?nac(imiento)?|data (di )?nascita|geboortedatum|"
        r"data urodzenia|fodelsedatum|data (de )?nascimento|nascita)",
    ),
    (
        "year of birth",
        "known",
        r"(.* )?(yob|birth ?(year|yr)?|year of birth|born|geburtsjahr|jahrgang|annee (de )?naissance|"
        r"ano (de )?nac(imiento)?|anno (di )?nascita|geboortejaar)",
    ),
    (
        "date or time",
        "known",
        r".*\b(date|dates|datum|day|tag|dt|fecha|data|jour|dia|giorno|dato|since|seit|depuis|month|monat|mois|mes|"
        r"mese|week|woche|quarter|quartal|timestamp|time|zeit|heure|hora|ora|tijd|uhrzeit|datetime|at|on|\w+datum|"
        r"\w+zeit|\w+date)",
    ),
    (
        "age",
        "known",
        r"(.* )?(age|ages|agep|age ?(group|band|class|range|cat(egory)?|at .*|in .*|yrs?|years?)|alter(sgruppe|"
        r"sklasse)?|edad|eta|leeftijd\w*|wiek|alder|idade)( .*)?",
    ),
    # How people were asked, before what they were asked.
    ("language", "known", r"(.* )?interpreter( .*)?"),
    ("conduct of the study", "technical", r"(.* )?proxy( .*)?|interview( .*)? status"),
    # What people keep to themselves.
    (
        "disease",
        "secret",
        r"(.* )?(icd ?\d*( .*)?|diagnos\w*|dx( .*)?|disease\w*|illness\w*|condition|disorder\w*|comorbid\w*|"
        r"cancer|tumou?r( .*)?|stage|staging|krank\w*|maladie|enfermedad|malattia|patholog\w*|symptom\w*|"
        r"allerg\w*|disabilit\w*|disabled|dis|handicap\w*|behinder\w*|schwerbehind\w*|special needs|sen|"
        r"impairment|mental .*|hiv.*|pregnan\w*|schwanger\w*|infect\w*|injur\w*|severity|drg|ziekte|discapacidad|"
        r"asthma|diabetes|depress\w*|stroke|hypertension|copd|bed ?days|(acute|chron(ic)?) ?ill(ness)?|hopeless\w*|"
        r"(little|no|lost) interest|feeling (down|sad|blue)|(phys\w*|ment\w*|gen\w*) (hlth|health)( .*)?)",
    ),
    (
        "treatment",
        "secret",
        r"(.* )?(outpatient|inpatient|emergency( .*)?|"
        r"drug|drugs|medic\w+|atc( .*)?|prescri\w*|dose|dosage|therap\w*|treat\w*|arm|procedure|surgery|"
        r"operation|vaccin\w*|cpt|hcpcs|opioid\w*|insulin|chemo\w*|behandlung\w*|medikament\w*|traitement|"
        r"tratamiento|readmi\w+|readmitted|icu|ventilat\w*|transfus\w*|cabin meal|special meal|meal|diet)",
    ),
    (
        "outcome",
        "secret",
        r"(.* )?(p?outcome|died|death|deceased|dead|mortality|surviv\w*|relapse|recurrence|response|status at .*|"
        r"result|results|befund|event|complication\w*|churn|churned|attrition|default|defaulted|fraud|"
        r"late payment|target|label)",
    ),
    (
        "laboratory value",
        "secret",
        r"(.* )?(serum|a ?1 ?c( ?result)?)|"
        r"(hb|hgb|haemoglobin|hemoglobin|wbc|rbc|plt|platelets?|crp|alt|ast|ggt|alp|bilirubin|creatinine|crea|"
        r"egfr|gfr|hba1c|hb a 1 c|glucose|glu|ldl|hdl|cholesterol|chol|trig\w*|tsh|ft ?[34]|sodium|potassium|na|k|"
        r"ca|calcium|magnesium|chloride|ferritin|iron|vitamin( \w+)?|psa|albumin|urea|bun|inr|ptt|troponin|bnp|"
        r"lactate|ph|pco ?2|po ?2|spo ?2|saturation|bp|sbp|dbp|(sys|dia)\w*( bp)?|blood( pressure)?|heart rate|"
        r"pulse|hr|temp(erature)?|resp(iratory)?( rate)?|lab|labor\w*|titer|viral load|cd ?4|gene|genotype|snp|"
        r"rs\d+|mutation|biomarker)( .*)?",
    ),
    (
        "habits",
        "secret",
        r"(.* )?(smok\w*|tobacco|cigar\w*|rauch\w*|fum(a|eur).*|alcohol|drink\w*|alkohol|cannabis|substance|"
        r"exercise|gambl\w*|marij\w*|marihuana|hashish|hard drugs|vap(e|ing))",
    ),
    (
        "income",
        "secret",
        r"(.* )?(income|salary|wage|wages|wagp|pincp|hincp|pay|earning\w*|gehalt\w*|lohn|einkommen|salaire|"
        r"revenus?|salario|ingresos?|reddito|stipendio|salaris|inkomen|compensation|bonus|pension|dochod|"
        r"remuneration|verdienst|brutto|netto)( .*)?",
    ),
    (
        "money",
        "secret",
        r"(.* )?(money|amount|amt|balance|saldo|debt|loan|credit( .*)?|savings?|mortgage|price|cost|costs|charges?|fee|"
        r"fees|fare|payment|paid|spent|spend|spending|expens\w*|bill|billing|invoice|revenue|turnover|sales|"
        r"profit|loss|gain|capital( .*)?|wealth|assets?|deposit|premium|claim|claims|limit|betrag|kosten|preis|"
        r"montant|prix|cout|importe|precio|coste|importo|prezzo|costo|bedrag|prijs|kwota|umsatz|schulden|"
        r"kredit\w*|purchase\w*|basket|benefit\w*|welfare|free lunch|subsid\w*|grant|donation\w*|tax(es)?|"
        r"steuerklasse|chf|eur|euro|usd|gbp)( .*)?",
    ),
    (
        "insurance",
        "secret",
        r"(.* )?(insurance( .*)?|hins|insured|payer( code)?|coverage|medicaid|medicare|versicherung\w*|krankenkasse|"
        r"assurance|seguro)",
    ),
    (
        "performance",
        "secret",
        r"(.* )?(grade|grades|gpa|mark|marks|score|scores|points|punkte|note|zensur|rating|bewertung|beurteilung|"
        r"performance|test( .*)?|exam\w*|percentile|rank|iq|absent|absence\w*|sick ?(days|leave)|fehltage|"
        r"krankheitstage|fehlzeit\w*|days absent|resultat|nota|voto|puntaje|disciplin\w*|suspen\w*|punct\w*|"
        r"evaluation|appraisal|warning\w*)( .*)?|"
        r"read|reading|write|writing|maths?|mathematics|science|soc ?st|social studies|spelling|vocab(ulary)?",
    ),
    (
        "opinion",
        "secret",
        r"(.* )?(vote\w*|party|politic\w*|opinion|attitude|trust( .*)?|satisf\w*|zufrieden\w*|approval|"
        r"support for .*|likert|agree\w*|relig\w*|faith|church|konfession|belief\w*|union|gewerkschaft|ideolog\w*|"
        r"happiness|wellbeing|life .*|preference|nps|complain\w*|confession)( .*)?",
    ),
    (
        "survey question",
        "secret",
        r"(q|qu|question|item|frage|v|var|x|f) ?\d+( \w+)*",
    ),
    (
        "sexual life",
        "secret",
        r"(.* )?(sexual\w*|orientation|partners?|contracept\w*|abortion|gender identity|hiv)( .*)?",
    ),
    (
        "crime",
        "secret",
        r"(.* )?(priors?( .*)?|fel(ony|onies)?( .*)?|misdemeanou?rs?|"
        r"crim\w*|convict\w*|arrest\w*|offen[cs]e\w*|prison|sentence|charge type|violation\w*|police|"
        r"victim\w*|straf\w*|delito|juvenile|recidiv\w*)( .*)?",
    ),
    (
        "use of a service",
        "secret",
        r"(.* )?(usage|used|calls?|support( .*)?|minutes|data ?(used|usage|gb|mb)|gb|mb|clicks?|views?|visited|"
        r"visits|poi|pois|destination visited|search\w*|page|session\w*|speed( .*)?|kmh|steps|borrowed|book|title|"
        r"genre|watched|listened|purpose|zweck|reason|motive)( .*)?",
    ),
    # What others can know or see.
    (
        "sex",
        "known",
        r"(.* )?(sex|gender|geschlecht|sexe|genre|sexo|genero|sesso|genere|geslacht|plec|kon|kjonn|m f)",
    ),
    (
        "marital status",
        "known",
        r"(.* )?(marital( .*)?|mar|married|civil status|familienstand|zivilstand|etat civil|situation familiale|"
        r"estado civil|stato civile|burgerlijke staat|spouse)",
    ),
    (
        "ethnic group",
        "known",
        r"(.* )?(race|rac ?\d? ?p?|rac1p|ethnic\w*|hisp\w*|origin country|migration( .*)?|skin|caste|tribe|"
        r"ancestry|herkunft|etnia|raza)( .*)?",
    ),
    (
        "nationality",
        "known",
        r"(.* )?(national\w*|citizen\w*|cit|staatsangehorig\w*|nationalite|nacionalidad|nazionalita|nationaliteit|"
        r"pobp|birth ?place|place of birth|birth ?country|native ?country|country of .*|country|land|pays|pais|"
        r"paese|geburtsort|geburtsland|lieu de naissance|immigra\w*|visa)( .*)?",
    ),
    (
        "language",
        "known",
        r"(.* )?(language\w*|mother tongue|tongue|sprache|muttersprache|langue|idioma|lingua|taal|english|eng)",
    ),
    (
        "place",
        "known",
        r"(.* )?(city|town|village|municipality|county|state|st|region|province|district|borough|neighbou?rhood|"
        r"area|place|location|locality|puma|nuts\d?|lsoa|msoa|tract|block|fips|cbsa|msa|ort|wohnort|stadt|"
        r"gemeinde|kreis|landkreis|bundesland|bezirk|ville|commune|departement|region|quartier|ciudad|municipio|"
        r"provincia|comunidad|citta|comune|regione|stad|gemeente|provincie|miasto|gmina|powiat|kommune|lan|cidade|"
        r"estado|geo ?code|urban( .*)?|rural|residence|home( .*)?)( .*)?",
    ),
    (
        "education",
        "known",
        r"(.* )?(educ\w*|schl|school ?leaving|degree|qualification|schooling|bildung\w*|schulabschluss|abschluss|"
        r"diplome|etudes|estudios|istruzione|opleiding|wyksztalcenie|literacy|university|major|subject|"
        r"field of study|years of school\w*)( .*)?",
    ),
    (
        "occupation",
        "known",
        r"(.* )?(occup\w*|occp|job( .*)?|profession\w*|isco\d*|soc\d*|work ?class|cow|indp|industry|naics|nace|"
        r"sector|employ\w*|unemploy\w*|esr|beruf\w*|stellung|erwerb\w*|metier|emploi|profesion|ocupacion|empleo|"
        r"lavoro|professione|beroep|zawod|position|title|department|dept|division|abteilung|service|departamento|"
        r"reparto|afdeling|team|unit|manager|employer|company|firm|arbeitgeber|rank|function|funktion|hours( .*)?|"
        r"wkhp|hours per week|wochenstunden|arbeitszeit|full ?time|part ?time|vollzeit|teilzeit|shift|seniority|"
        r"tenure( .*)?|experience)",
    ),
    (
        "household",
        "known",
        r"(.* )?(hh ?(size|type)?|household( (size|type|members))?|family( .*)?|relationship|relp|rel|children|"
        r"child|kids|kinder|enfants|hijos|figli|kinderen|dependa?[ne]?nts?|siblings|persons|people|npf|"
        r"haushalt\w*|menage|hogar|parity|housing|dwelling|tenancy|rent|own(er)?( .*)?|rooms?|ten|home ?owner\w*|"
        r"car|cars|vehicles?|pets?|senior( citizen)?|veteran|military|mil)( .*)?",
    ),
    (
        "body",
        "known",
        r"(.* )?(height( .*)?|weight (kg|lb|lbs|pounds|g)|body ?weight|body ?mass( .*)?|bmi|groesse|grosse|"
        r"korpergrosse|taille|talla|altura|statura|altezza|lengte|waist|eye ?colou?r|hair ?colou?r|blood ?type|"
        r"blutgruppe|shoe.*|handed\w*)",
    ),
    (
        "institution",
        "known",
        r"(.* )?(hospital|clinic|klinik|ward|station|site|cent(er|re)|facility|practice|school|schule|class|"
        r"klasse|classe|grade level|college|campus|branch|filiale|store|shop|court|station|provider|plan|contract|"
        r"subscription|product|service ?type|internet ?service|membership|club|ospedale|ecole|escuela|scuola|"
        r"ziekenhuis|szpital|specialty|fach\w*)( .*)?",
    ),
    (
        "stay",
        "known",
        r"(.* )?(los|length of stay|stay|duration|verweildauer|liegedauer|duree|duracion|durata|nights|"
        r"admission( type)?|discharge( .*)?|admitted|transfer\w*|arrival( .*)?|departure)( .*)?",
    ),
    (
        "journey",
        "known",
        r"(.* )?(origin|dest|destination|from|to|airport|flight( .*)?|train|route|cabin|seat|bags?|baggage|"
        r"luggage|carrier|airline|trip ?(type|purpose)|transport( .*)?|travel ?mode|vehicle|stop|gate|"
        r"ticket class|fare class|booking class|line)",
    ),
    (
        "year",
        "known",
        r"(.* )?(year|yr|jahr|annee|ano|anno|jaar|rok)",
    ),
    # What is about the data.
    (
        "conduct of the study",
        "technical",
        r"(.* )?(wave|round|version|mode|method|batch|source|file|release|consent|valid|status|flag|complete\w*|"
        r"language of interview|stratum|strata|psu|cluster|replicate|accuracy( .*)?|quality|row|created|updated|"
        r"welle|modus)",
    ),
)


#: Kinds of the recogniser that name a person directly, as topics.
_NAMING = {
    "name": "person's name",
    "telephone": "telephone number",
    "fax": "telephone number",
    "email": "e-mail address",
    "social": "national number",
    "record": "number of a medical record",
    "plan": "insurance number",
    "account": "account number",
    "licence": "number of a licence",
    "vehicle": "device number",
    "device": "device number",
    "website": "web address",
    "internet": "internet address",
    "biometric": "biometric identifier",
    "photo": "photograph",
}
#: Other kinds and topics of the recogniser, as others may know them or not.
_TOLD = {
    "birth": Topic("date of birth", "known"),
    "year of birth": Topic("year of birth", "known"),
    "date": Topic("date or time", "known"),
    "age": Topic("age", "known"),
    "zip": Topic("postcode", "known"),
    "place": Topic("place", "known"),
    "survey weight": Topic("survey weight", "weight"),
    "sex": Topic("sex", "known"),
    "race": Topic("ethnic group", "known"),
    "family": Topic("marital status", "known"),
    "language": Topic("language", "known"),
    "country": Topic("nationality", "known"),
    "state": Topic("place", "known"),
    "education": Topic("education", "known"),
    "occupation": Topic("occupation", "known"),
    "household": Topic("household", "known"),
    "religion": Topic("opinion", "secret"),
    "insurance": Topic("insurance", "secret"),
    "habits": Topic("habits", "secret"),
    "disease": Topic("disease", "secret"),
    "treatment": Topic("treatment", "secret"),
    "laboratory": Topic("laboratory value", "secret"),
    "outcome": Topic("outcome", "secret"),
    "opinion": Topic("opinion", "secret"),
    "money": Topic("money", "secret"),
}


#: Topics of names that may say something private as well: the age at which somebody began to smoke is a habit.
_WEAK = frozenset({"age", "year", "date or time", "household", "sex"})
#: What is private whatever stands beside it.
_PRIVATE = {
    Topic("sexual life", "secret"): re.compile(
        r".*\b(sex (ever|life|activ\w*|num(ber)? \w+)|same sex|(first|ever|had) sex|sexual \w+)\b.*"
    ),
    Topic("habits", "secret"): re.compile(
        r".*\b(smok\w*|cigar\w*|tobacco|alcohol|drinks?|drinking|drunk|binge|marij\w*|cannabis|cocaine|heroin|vaping|"
        r"(tv|television|screen|computer|comp|video|gaming) ?(hrs?|hours?|time))\b.*"
    ),
}


@cache
def _patterns() -> tuple[tuple[Topic, re.Pattern[str]], ...]:
    return tuple((Topic(name, group), re.compile(pattern)) for name, group, pattern in _TOPICS)


def _found(said: str) -> Topic | None:
    return next((topic for topic, pattern in _patterns() if pattern.fullmatch(said)), None)


def _private(said: str, found: Topic | None) -> Topic | None:
    """What a name says that nobody else knows, if the topic that was found for it is a weak one."""
    if found is not None and found.name not in _WEAK:
        return found
    return next((topic for topic, pattern in _PRIVATE.items() if pattern.fullmatch(said)), found)


def topic_of(name: str) -> Topic | None:
    """Find the topic of a column by its name; None if the name says nothing.

    What names a person directly counts before all else; then the words as they are, then in English.

    >>> topic_of("Geburtsdatum").name, topic_of("hh_income").name, topic_of("no. of children").name, topic_of("xyzzy")
    ('date of birth', 'income', 'household', None)
    >>> topic_of("nameLast"), topic_of("Krankenaktennummer").group
    (Topic(name="person's name", group='names'), 'names')
    """
    says = read_name(name)
    said = words(name)
    counted = COUNTED.sub("", said)
    found = _found(counted) or _found(re.sub(r"[ \d]+$", "", counted))
    if found is None and says.kind == "text":
        return Topic("free text", "text")
    found = _private(said, found)
    if found is not None and found.group in {"names", "text", "weight"}:
        return found
    of_things = says.kind == "name" and (says.topics or {"place", "institution"} & set(says.kinds))
    if says.kind in _NAMING and not of_things:
        return Topic(_NAMING[says.kind], "names")
    if found is None and counted == said:
        meant = " ".join(says.words)
        told = (_TOLD[one] for one in says.topics if one in _TOLD)
        found = _TOLD.get(says.kind or "") or _found(COUNTED.sub("", meant)) or next(told, None)
    return Topic("count", "known") if found is None and counted != said else found


def labelled_topic(name: str, label: str | None) -> Topic | None:
    """Find the topic of a column by its name, or by its label where a file has one and the name says nothing.

    >>> labelled_topic("DMDMARTL", "Marital status").name, labelled_topic("v1", "Name of the patient").group
    ('marital status', 'names')
    """
    by_name, by_label = topic_of(name), topic_of(label) if label else None
    if by_label is None:
        return by_name
    says_nothing = by_name is None or by_name.name == "survey question"
    return by_label if says_nothing or by_label.group == "names" else by_name
