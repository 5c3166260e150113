"""Random samples of a table: a share of its rows or people, of every stratum alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.common.randomness import Secret
from sfumato.errors import SchemaError, invalid_parameter, listed


@dataclass(frozen=True)
class Sample:
    """A random sample: the share of the table that takes part.

    The rows are drawn by the secret of the release, independently of their values.

    Parameters
    ----------
    share
        Above 0, at most 1. Of people, where the schema names a person: all rows of a person stay together.
    by
        The column whose values define the strata: the same share of each is drawn, up to one row or person.
    """

    share: float
    by: str | None = None

    def __post_init__(self) -> None:
        if parameters.share("Sample", "share", self.share) == 0:
            raise invalid_parameter("Sample", "share", "above 0", self.share)
        if self.by is not None:
            parameters.text("Sample", "by", self.by)

    def to_policy(self) -> float | dict[str, Any]:
        """Plain values, for a policy and the manifest."""
        return self.share if self.by is None else {"share": self.share, "by": self.by}

    def rows(self, table: pa.Table, secret: Secret, person: str | None = None) -> NDArray[np.int64]:
        """Draw the rows, in the order of the table."""
        random = secret.generator("sample")
        of_row = _numbers(table, person) if person is not None else np.arange(table.num_rows)
        units, first = np.unique(of_row, return_index=True)
        strata = np.zeros(len(units), np.int64) if self.by is None else _numbers(table, self.by)[first]
        chosen = np.zeros(len(units), bool)
        for stratum in np.unique(strata):
            members = np.flatnonzero(strata == stratum)
            wanted = self.share * len(members)
            # The fractional part is drawn, so that small strata are not always left out.
            count = int(wanted) + bool(random.random() < wanted - int(wanted))
            chosen[random.permutation(members)[:count]] = True
        return np.flatnonzero(chosen[of_row])


def sample_of(owner: str, name: str, value: object) -> Sample:
    """Normalize the argument: a share, or a share and a column."""
    if isinstance(value, Sample):
        return value
    if isinstance(value, Mapping):
        if not {"share"} <= set(value) <= {"share", "by"}:
            raise invalid_parameter(owner, name, "a share such as 0.1, or { share = 0.1, by = 'region' }", dict(value))
        return Sample(**value)
    share = parameters.share(owner, name, value)
    if share == 0:
        raise invalid_parameter(owner, name, "a share above 0", value)
    return Sample(share)


def _numbers(table: pa.Table, name: str) -> NDArray[np.int64]:
    """Number the values of all rows; missing ones share a number."""
    if name not in table.column_names:
        raise SchemaError(f"The sample is drawn by '{name}', which is not among {listed(table.column_names)}.")
    coded = table.column(name).combine_chunks()
    coded = coded if pa.types.is_dictionary(coded.type) else coded.dictionary_encode("encode")
    coded = coded.chunk(0) if isinstance(coded, pa.ChunkedArray) else coded
    found: NDArray[np.int64] = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return np.unique(found, return_inverse=True)[1].astype(np.int64)
