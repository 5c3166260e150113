"""The words of a column's name, and what they say of its numbers: of whom, of what, how many."""

from __future__ import annotations

import re
import unicodedata

#: Beginnings of the names of columns that count something.
COUNTED = re.compile(
    r"^(number|no|nr|num|n|count|anzahl|zahl|nombre|numero|aantal|liczba)( (of|de|der|di|d|van|des))+ |"
    r"^anzahl |^num |^n |^(nb|anz|aant|qtde?|cant|cantidad|quantita|ilosc)( (of|de|di|d|van|des|der))? "
)

#: Words anywhere in a name that say that a column numbers people or things.
_NUMBERS = re.compile(
    r"(^|.* )(id|ids|uid|uuid|guid|key|code no|pk|no|nr|number|num|nummer|numero|num|ref|reference|identifier|"
    r"pseudonym|pseudo|hash|token|record|pnr|locator|ff|loyalty|frequent flyer|customer|cust|client|kunde|"
    r"kunden|user|member|patient|subject|respondent|participant|person|proband|case|fall|trip|visit ?id|order|"
    r"transaction|invoice no|booking|ticket|folio|docket|aktenzeichen|serial|serialno|household|hhid|employee|"
    r"student|pupil|worker|insee|\w+(nummer|nr)|idno|seq|"
    r"(patient|person|case|user|client|customer|member|record)(id|no|key))( .*)?$"
)
#: Words that end like a number joined to another word, such as 'respid', and are none.
_NO_NUMBERS = frozenset(
    """
    acid aid amid amyloid android arachnoid avoid bid bifid candid carotid comorbid corticosteroid covid did
    fluid grid humid hybrid invalid kid lipid lymphoid madrid mastoid medicaid morbid opioid orchid paid
    paranoid prepaid rapid rheumatoid rigid said scaphoid schizoid sigmoid solid splendid squid steroid stupid
    thyroid typhoid unpaid valid void
    """.split()  # noqa: SIM905
)
_JOINED = re.compile(
    r"\w{2,}(id|idno|nbr|pid)|[phui]id|id(code|num|nr|nummer)|(case|claim|pol|policy|docket|acc(oun)?t|file|rec|inv)(no|nr|num)"
)
#: Short words for people that are joined to 'id' or 'no'.
_JOINED_PEOPLE = re.compile(
    r"(u|un|unique|cnt|src|orig)?(subj(ect)?|pat(ient)?|pt|pers(on)?|stu(d|dent)?|pupil|cust(omer)?|client|mem(ber)?|"
    r"resp(ondent)?|emp(loyee)?|part(icipant)?|ind(iv)?|bene?|user|p)(id|idno|no|nr|num|nbr|key|code)"
)
#: Those of them that number people rather than visits, orders or households.
_PEOPLE = re.compile(
    r"(^|.* )(patient\w*|person\w*|customer|cust|client\w*|kunde\w*|user|member|subject|respondent|"
    r"participant|proband\w*|employee|student|pupil|passenger|device|card|card ?holder|insured|versicherte\w*|"
    r"mrn|pseudonym|pid|athlete|rider|driver|worker|resident|citizen|individual|panelist|applicant|borrower|"
    r"donor|claimant|host|guest|seller|buyer|tenant|player|voter|prisoner|inmate|offender|defendant|victim|volunteer|candidate|"
    r"beneficiary|pensioner|taxpayer|subscriber|spiller|spieler|joueur|jugador|giocatore)( .*)?$"
)

#: How long somebody has been something is no number of theirs.
_LASTS = re.compile(r"(months|years|days|weeks|hours|time|tenure|duration|since) .*")
#: A few digits of a number, which several people share.
_PARTS = re.compile(r".* (last|first|letzte|dernier\w*|ultim\w*|laatste) ?(\d|four|digits?|vier|quatre|cuatro)( .*)?")
#: What is measured of somebody or something is no number of theirs either: 'trip seconds', 'Fahrt Minuten'.
_MEASURES = re.compile(
    r".* (seconds?|secs?|minutes?|mins?|hours?|hrs|days|weeks|months|years|miles|mi|km|kms|kilomet(er|re)s?|"
    r"met(er|re)s|sekunden|minuten|stunden|tage|secondes|heures|jours|segundos|minutos|horas|dias|secondi|minuti|ore|giorni|"
    r"seconden|uren|dagen|sekundy|minuty|godziny|dni|duration|length|distance|speed|fare|price|cost|amount|age)"
)
_HOUSEHOLDS = re.compile(
    r"(hh|household|haushalt\w*|foyer|menage|hogar|vivienda|domicilio|famil\w*|dwelling|serial) ?"
    r"(id|no|nr|num|number|nummer|key|code|x)|"
    r"(no|nr|num|numero|n) ?(house|hh|household|menage|foyer|hogar|vivi\w*)( .*)?|"
    r"(h|hh|ph|fh|ff|household|family) seq(num)?|"
    r"hhx|hhid|hid|hhno|serialno|numero (du |de )?(foyer|menage|hogar|vivienda)|haushaltsnummer"
)

#: Names that say nothing but that the column identifies something.
_ONLY_NUMBERS = re.compile(
    r"((full )?names?|ids?|uid|uuid|guid|key|pk|no|nr|number|num|nummer|numero|identifiers?|ref|reference|record|"
    r"pseudonym|pseudo|hash|token|who|whose|wer|qui)( (ids?|key|no|nr|number|num|nummer|numero))?"
)

_CODES = """
airline airport branch carrier category cbsa census cip code codes county cpt cusip department dept diagnosis district
division drg ethnicity fips gender hcpcs icd id ids industry isco kind marital municipality naics nationality ndc nuts
occ occupation party phone plz post postal postcode procedure product profession race region religion route sector sex
sic site sku soc specialty species ssn state station status store tract type ward zcta zip zipcode
relat relation relationship
"""
#: Words in the name of a column whose numbers are codes: adding or averaging them is meaningless.
CODE_WORDS = frozenset(_CODES.split())

#: Letters that are no others with an accent.
_LETTERS = str.maketrans(
    {"ß": "ss", "ı": "i", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "œ": "oe", "æ": "ae"}
)

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")


def words(name: str) -> str:
    """Normalize a name to words in lower case without accents, separated by blanks.

    >>> words("PatientID"), words("Größe (cm)"), words("date_de_naissance")
    ('patient id', 'grosse cm', 'date de naissance')
    """
    plain = unicodedata.normalize("NFKD", name.translate(_LETTERS))
    letters = "".join(one for one in plain if not unicodedata.combining(one))
    return " ".join(_WORD.findall(letters)).lower()


def says_number(name: str) -> bool:
    """Whether a name says that the column numbers people, cases or things.

    >>> says_number("Patient-ID"), says_number("student_no"), says_number("number of rooms"), says_number("age")
    (True, True, False, False)
    """
    said = words(name)
    numbers = bool(_NUMBERS.match(said)) or says_joined_number(name)
    return numbers and not any(pattern.match(said) for pattern in (COUNTED, _LASTS)) and not _MEASURES.fullmatch(said)


def says_joined_number(name: str) -> bool:
    """Whether the last word of a name is a number of something, joined to it.

    >>> says_joined_number("USUBJID"), says_joined_number("respid"), says_joined_number("amount_paid")
    (True, True, False)
    """
    last = words(name).split()[-1:] or [""]
    return last[0] not in _NO_NUMBERS and _JOINED.fullmatch(last[0]) is not None


def says_household(name: str) -> bool:
    """Whether a column numbers households.

    >>> says_household("hhid"), says_household("household_no"), says_household("household_income")
    (True, True, False)
    """
    return bool(_HOUSEHOLDS.fullmatch(words(name)))


def says_person(name: str) -> bool:
    """Whether a column numbers people rather than cases or things.

    >>> says_person("Patient-ID"), says_person("trip")
    (True, False)
    """
    said = words(name)
    if _LASTS.match(said) or _PARTS.fullmatch(said):
        return False
    return bool(_PEOPLE.match(said)) or any(_JOINED_PEOPLE.fullmatch(word) for word in said.split())


def says_only_number(name: str) -> bool:
    """Whether a name says nothing but that the column identifies something.

    >>> says_only_number("ID"), says_only_number("ward_id")
    (True, False)
    """
    return bool(_ONLY_NUMBERS.fullmatch(words(name)))


def says_code(name: str) -> bool:
    """Whether a column's name suggests that its numbers are codes.

    >>> says_code("OCC_CODE"), says_code("zipCode"), says_code("age"), says_code("education-num")
    (True, True, False, False)
    """
    return any(word in CODE_WORDS for word in words(name).split())
