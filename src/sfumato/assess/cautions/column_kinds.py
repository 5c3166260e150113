"""The kind that every column was read as, and cautions where that looks like a mistake."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.assess.cautions.caution import CautionFinding, after, before, quoted
from sfumato.assess.cautions.view import ReleaseView, RequestView, ViewedColumn
from sfumato.assess.meaning.words import COUNTED, says_code, words
from sfumato.common.grouping import look_alikes
from sfumato.errors import listed
from sfumato.hierarchies import Domain, IntervalDomain, Prefix
from sfumato.table.schema import Declared

#: The everyday word for a hierarchy, by its name.
WORDS = {"numeric": "number", "dates": "date", "categorical": "category", "ordered": "order"}

#: With fewer distinct values, digits alone are no reason to suspect codes.
FEWEST_CODES = 20
#: Whole numbers up to the largest may number categories, if there are as few.
LARGEST_CATEGORY, FEWEST_CATEGORIES, MOST_CATEGORIES = 20, 3, 12
_QUANTITY = re.compile(
    r"(^| )(age|alter|number|count|n|num|anzahl|children|kids|kinder|size|years?|months?|weeks?|days?|hours?|minutes?|"
    r"score|total|sum|rooms?|persons?|people|cars?|visits?|times|stay|grade|stage|level|class|rank|cycle|wave|width|"
    r"height|length|weight|temperature|pressure|dose|income|pay|price|amount|rate|ratio|quantity|of)( |$)"
)
_BAND = (
    r"^\s*(?:[\[(]?\s*\d+(?:\.\d+)?\s*(?:-|–|,|to|bis|a|à)\s*\d+(?:\.\d+)?\s*[\])]?|[<>≤≥]=?\s*\d+(?:\.\d+)?|"
    r"\d+(?:\.\d+)?\s*\+)\s*$"
)
_DAY_NUMBER = r"^(19|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$"


def kinds(view: RequestView) -> dict[str, str]:
    """Find the kind of every column that is released in some form."""
    found = {name: kind_of_type(column.values.type) for name, column in view.columns.items()}
    return found | {name: kind_of(domain, view.declared.get(name)) for name, domain in view.domains.items()}


def kind_of(domain: Domain, declared: Declared) -> str:
    """Find the kind of a quasi-identifier: as declared, or by its values."""
    if declared is not None:
        return WORDS.get(declared.name, declared.name)
    if isinstance(domain, IntervalDomain) and not domain.averageable:
        return "order"
    return kind_of_type(domain.values.type)


def kind_of_type(kind: pa.DataType) -> str:
    """Find the kind of a column without a declaration."""
    if pa.types.is_temporal(kind):
        return "date"
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return "number" if is_number else "category"


def undeclared(view: RequestView, kind: str) -> list[Domain]:
    """List the undeclared quasi-identifiers of a kind."""
    return [
        domain
        for name, domain in view.domains.items()
        if view.declared.get(name) is None and kind_of(domain, None) == kind
    ]


@before("code-as-number")
def code_as_number(view: RequestView) -> Iterator[CautionFinding]:
    """Find whole numbers that are probably codes, so that an interval of them is meaningless."""
    for domain in undeclared(view, "number"):
        name, texts = domain.name, domain.values.cast(pa.string())
        if not _are_whole(domain.values):
            if says_code(name):
                yield _found(name, len(texts), "codes, by its name", _code_kinds(texts), "warning")
            continue
        if _all(texts, _DAY_NUMBER):
            yield _found(name, len(texts), "days written as numbers, such as 20241231", "'dates:%Y%m%d'", "warning")
        elif says_code(name):
            yield _found(name, len(texts), "codes, by its name", _code_kinds(texts), "warning")
        elif looks_like_code(texts):
            yield _found(name, len(texts), "codes, all with as many digits", _code_kinds(texts), "note")


@before("few-numbers")
def few_numbers(view: RequestView) -> Iterator[CautionFinding]:
    """Find small whole numbers that may number categories, so that an interval of them means nothing."""
    names = [domain.name for domain in undeclared(view, "number") if _may_be_categories(view.columns[domain.name])]
    if names:
        one = len(names) == 1
        yield CautionFinding(
            "note",
            tuple(names),
            len(names),
            f"{listed(names)} {'holds' if one else 'hold'} few small whole numbers, and {'is' if one else 'are'} shown "
            "as intervals of numbers: right for counts and grades, wrong for codes such as 1 'married', 2 'widowed'.",
            f"Declare codes as 'categorical' (on the command line --hierarchy {names[0]}=categorical).",
        )


def _may_be_categories(column: ViewedColumn) -> bool:
    if not _are_whole(column.values) or not FEWEST_CATEGORIES <= len(column.values) <= MOST_CATEGORIES:
        return False
    numbers = column.values.to_numpy(zero_copy_only=False)
    in_reach = bool(np.min(numbers) >= 0 and np.max(numbers) <= LARGEST_CATEGORY)
    name = words(column.name)
    return in_reach and not _QUANTITY.search(name) and not COUNTED.search(name)


def _are_whole(values: pa.Array) -> bool:
    """Whether numbers are whole, also if a program keeps them as fractions because some are missing."""
    if not pa.types.is_floating(values.type):
        return bool(pa.types.is_integer(values.type))
    return bool(pc.all(pc.equal(pc.floor(values), values)).as_py())


def _found(name: str, count: int, what: str, kind: str, severity: str) -> CautionFinding:
    return CautionFinding(
        severity,
        (name,),
        count,
        f"{quoted(name)} is taken for a number and shown as intervals, but its {count:,} values look like {what}.",
        f"Declare it as {kind}, or as 'numeric' if intervals are right.",
    )


def _code_kinds(texts: pa.StringArray) -> str:
    """Name what codes can be declared as; with only a few codes, first digits hardly mean anything."""
    return "'categorical'" if len(texts) < FEWEST_CODES else "'categorical', or 'prefix' if first digits mean something"


@before("code-as-category")
def code_as_category(view: RequestView) -> Iterator[CautionFinding]:
    """Find codes of equal length without a level between the code and ``*``."""
    for domain in undeclared(view, "category"):
        if pa.types.is_string(domain.values.type) and looks_like_code(domain.values):
            yield CautionFinding(
                "note",
                (domain.name,),
                len(domain.values),
                f"{quoted(domain.name)} holds {len(domain.values):,} codes of one length, taken as categories with "
                "nothing between a code and '*'.",
                f"If their first digits mean something, as in postcodes, declare {quoted(domain.name)} as 'prefix'.",
            )


@before("bands")
def bands(view: RequestView) -> Iterator[CautionFinding]:
    """Find bands of numbers in text, such as [70-80), which have an order that nobody declared."""
    for domain in undeclared(view, "category"):
        texts = domain.values
        if not pa.types.is_string(texts.type) or len(texts) < FEWEST_CATEGORIES or not _all(texts, _BAND):
            continue
        yield CautionFinding(
            "note",
            (domain.name,),
            len(texts),
            f"{quoted(domain.name)} holds {len(texts):,} bands of numbers as text, taken as categories without an "
            "order.",
            f"Declare their order, and neighbours are shown as an interval: {{{domain.name!r}: sf.Ordered([…])}} (on "
            f"the command line --hierarchy '{domain.name}=ordered:…').",
        )


@before("short-codes")
def short_codes(view: RequestView) -> Iterator[CautionFinding]:
    """Find codes of digits that were once read as numbers and have lost their leading zeros."""
    for name, domain in view.domains.items():
        declared = view.declared.get(name)
        if isinstance(declared, Prefix) and declared.length is None and (count := lost_zeros(domain.values)):
            length = pc.max(pc.utf8_length(domain.values)).as_py()
            yield CautionFinding(
                "warning",
                (name,),
                count,
                f"{quoted(name)} holds {count:,} codes with fewer digits than others, and none that begins with 0: "
                "if zeros in front were lost, the first digits of these codes stand for something else.",
                f"If so, declare it as 'prefix:{length}', Prefix(length={length}), which puts them back; if not, "
                "confirm it.",
            )


def lost_zeros(texts: pa.StringArray) -> int:
    """Count the codes that are shorter than others, if that looks like lost leading zeros.

    Codes of groups are shorter too: then most of the shorter codes are prefixes of longer ones.

    >>> [lost_zeros(pa.array(codes)) for codes in (["2139", "53715"], ["1", "12", "123"], ["02139", "5371"])]
    [1, 0, 0]
    """
    lengths = pc.utf8_length(texts)
    longest = pc.max(lengths).as_py()
    shorter = texts.filter(pc.less(lengths, longest))
    if not len(shorter) or not _all(texts, r"^[1-9]\d*$"):
        return 0
    groups = 0
    for length in range(1, longest):
        codes = texts.filter(pc.equal(lengths, length))
        begins = pc.utf8_slice_codeunits(texts.filter(pc.greater(lengths, length)), 0, length)
        groups += pc.sum(pc.is_in(codes, value_set=begins)).as_py() or 0
    return len(shorter) if 2 * groups < len(shorter) else 0


@before("row-numbers")
def row_numbers(view: RequestView) -> Iterator[CautionFinding]:
    """Report the unnamed columns that were dropped because they only number the rows."""
    for name in view.row_numbers:
        yield CautionFinding(
            "note",
            (name,),
            view.rows,
            f"The unnamed column {quoted(name)} numbers the rows of the original, or holds nothing; it is dropped.",
            "Nothing needs to be done; in pandas, to_csv(..., index=False) leaves it out.",
        )


@after("look-alikes")
def written_alike(view: ReleaseView) -> Iterator[CautionFinding]:
    """Find values that a reader takes for one: blanks, invisible characters, forms of Unicode; capitals are a note."""
    for column in view.with_role("quasi-identifier", "sensitive", "plain"):
        yield from written_alike_in(column)


def written_alike_in(column: ViewedColumn) -> Iterator[CautionFinding]:
    """The same in one column."""
    for case in (False, True):
        numbers = look_alikes(column.values, case)
        alike = len(numbers) - len(np.unique(numbers))
        if alike:
            yield _look_alikes(column, alike, case)
            return


def _look_alikes(column: ViewedColumn, alike: int, case: bool) -> CautionFinding:
    differ = "capital and small letters" if case else "blanks, invisible characters or forms of Unicode"
    one = "one value looks like another and differs" if alike == 1 else f"{alike:,} values look like others and differ"
    harm = {
        "sensitive": "They count as different, so a class can seem more diverse than it is.",
        "quasi-identifier": "They count as different, so people who look alike are kept apart.",
    }.get(column.role, "They count as different.")
    fold = "Fold(case=True)" if case else "Fold()"
    return CautionFinding(
        "note" if case or column.role == "plain" else "warning",
        (column.name,),
        alike,
        f"In {quoted(column.name)} {one} only in {differ}. {harm}",
        f"Make them one: transform={{{column.name!r}: sf.{fold}}} (on the command line --transform "
        f"{column.name}=fold{':case' if case else ''}).",
    )


@before("reading")
def reading(view: RequestView) -> Iterator[CautionFinding]:
    """Report what had to be guessed or left out when the table was read."""
    for columns, found, advice, severity in view.remarks:
        yield CautionFinding(severity, columns, len(columns), found, advice)


def looks_like_code(texts: pa.StringArray) -> bool:
    """Whether the texts look like codes: digits of one length, with enough distinct values, and not years."""
    if len(texts) < FEWEST_CODES:
        return False
    lengths = pc.min_max(pc.utf8_length(texts)).as_py()
    if lengths["min"] != lengths["max"] or lengths["max"] < 4 or not _all(texts, r"^\d+$"):
        return False
    return not _all(texts, r"^(1[89]|20)\d\d$")


def _all(texts: pa.StringArray, pattern: str) -> bool:
    # The first values decide most columns.
    parts = (texts.slice(0, 100), texts)
    return len(texts) > 0 and all(pc.all(pc.match_substring_regex(part, pattern)).as_py() for part in parts)
