"""The cautions for people who decide: a title and what helps, without words of a programming language."""

from __future__ import annotations

from typing import NamedTuple


class InWords(NamedTuple):
    """A caution as a board reads it: its title, and what helps."""

    title: str
    helps: str


#: Every caution by its code.
IN_WORDS = {
    "code-as-number": InWords(
        "Codes that were read as numbers",
        "Ask whoever made the table whether this column counts something; if not, have it read as codes.",
    ),
    "few-numbers": InWords(
        "Small whole numbers that may be codes",
        "If they stand for categories, such as married or widowed, have them shown as such and not as intervals.",
    ),
    "bands": InWords(
        "Bands of numbers without an order",
        "Have their order declared, so that neighbouring bands are joined instead of hidden.",
    ),
    "odd-ages": InWords(
        "Ages that nobody has", "Have them corrected or taken as missing: they stretch every interval of ages."
    ),
    "same-words": InWords(
        "Several words for one thing", "Have the words made one, or people who are alike are kept apart by spelling."
    ),
    "code-as-category": InWords(
        "Codes of which beginnings may mean something",
        "If their first digits stand for a region or a group, have them shortened instead of hidden.",
    ),
    "short-codes": InWords(
        "Codes that seem to have lost zeros in front", "Compare with the source, and have the lost digits put back."
    ),
    "row-numbers": InWords("A column that only numbers the rows", "Nothing: it was left out."),
    "reading": InWords(
        "Something was guessed when the file was read", "Have somebody who knows the file confirm how it is to be read."
    ),
    "learned-hierarchy": InWords(
        "Groups of values that were learned from this table",
        "Have somebody who knows the column look at the groups before the table is published.",
    ),
    "new-values": InWords(
        "Values that no declared group knows", "Have them put into the groups by somebody who knows the column."
    ),
    "missing-codes": InWords(
        "Words or numbers that may stand for “no value”",
        "Ask whoever made the table what they mean; if they mean “no value”, have the table made again.",
    ),
    "numbers-as-text": InWords(
        "Numbers that were read as text", "Have the other entries of the column explained, and the table made again."
    ),
    "dates-as-text": InWords("Dates that were read as text", "Have their form declared, and the table made again."),
    "pseudonyms": InWords(
        "Pseudonyms that link rows",
        "Leave them out unless the recipient needs to link rows, and keep their key away from the table.",
    ),
    "near-unique": InWords(
        "A column that is as good as a name", "Leave the column out, or have its values grouped or protected."
    ),
    "sensitive-unprotected": InWords(
        "Nothing is promised about a sensitive column",
        "Have the table made with a promise about this column (l-diversity or t-closeness), or leave the column out.",
    ),
    "minimizes-label": InWords(
        "Groups that were made to have one sensitive value",
        "Have a promise added about this column (l-diversity), or have another loss minimized.",
    ),
    "look-alikes": InWords(
        "Values that look the same and count as different", "Have the spellings made one, and the table made again."
    ),
    "own-levels": InWords(
        "Steps of detail that nobody declared", "Have somebody who knows the column choose the steps."
    ),
    "lost-column": InWords(
        "A column that tells almost nothing any more",
        "Ask whether the recipient needs it; if so, protect fewer columns, or accept smaller groups.",
    ),
    "several-rows-per-person": InWords(
        "People who seem to have several rows",
        "Have people counted instead of rows: until then, groups may hold fewer people than promised.",
    ),
    "repeated-rows": InWords(
        "Every row occurs several times",
        "Ask whether the file was put together twice; if so, have the copies left out.",
    ),
    "tells-hidden": InWords(
        "A column that tells what another one hides", "Leave one of the two out, or have both protected."
    ),
    "unique-rows": InWords(
        "Rows that are unique in what is published unchanged",
        "Leave out the columns that an outsider might know, or have them protected too.",
    ),
}


def in_words(code: str, advice: str) -> InWords:
    """A caution for people who decide; one of another package keeps its own advice."""
    return IN_WORDS.get(code, InWords(code.replace("-", " ").capitalize(), advice))
