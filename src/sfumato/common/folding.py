"""Texts that look alike: what remains of a text without its blanks, invisible characters and forms of writing.

"flu" with and without a blank behind it is one word to every reader, as are the two ways in which Unicode writes é. To
a program they are different values, and a class with all of them seems to hold several diseases.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

#: Characters that nobody sees: controls, joiners and marks of direction, selectors of variants.
_INVISIBLE = r"[\p{Cc}\p{Cf}\x{034F}\x{FE00}-\x{FE0F}]"
_BLANKS = r"[\s\p{Z}\x{0B}\x{85}]+"


def folded(texts: pa.Array, case: bool = False) -> pa.Array:
    """Fold texts to what a reader sees: trimmed, blanks as one space, without invisible characters, in the form NFKC.

    Parameters
    ----------
    texts
        The texts.
    case
        Whether capital and small letters are one as well.

    Examples
    --------
    >>> folded(pa.array(["flu", " flu ", "ﬂu", "f" + chr(0x200B) + "lu", "Flu"])).to_pylist()
    ['flu', 'flu', 'flu', 'flu', 'Flu']
    """
    found = texts
    for _ in range(2):  # an invisible character may keep two others from being joined
        found = pc.utf8_normalize(found, form="NFKC")
        found = pc.replace_substring_regex(found, _BLANKS, " ")
        found = pc.replace_substring_regex(found, _INVISIBLE, "")
    found = pc.utf8_trim_whitespace(pc.replace_substring_regex(found, _BLANKS, " "))
    return pc.utf8_normalize(pc.utf8_lower(found), form="NFKC") if case else found


def look_alikes(values: pa.Array, case: bool = False) -> NDArray[np.int64]:
    """Number distinct values so that those that fold to one text have one number; what is no text stays as it is."""
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return np.arange(len(values), dtype=np.int64)
    coded = folded(values, case).dictionary_encode()
    numbers: NDArray[np.int64] = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers
