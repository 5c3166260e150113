"""Rows drawn by chance on an engine: a method draws those of each part, the engine counts them, few of a kind go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from sfumato.common.randomness import Secret
from sfumato.errors import InfeasibleError, VerificationError
from sfumato.loss.recoded_table import CountedTable
from sfumato.methods import Task
from sfumato.methods.on_engine import LevelsOfDrawnRows
from sfumato.privacy import Requirements
from sfumato.run.build import NOTHING_LEFT
from sfumato.run.large.coded_table import PART, CodedTable, coded_name
from sfumato.run.large.engine import Finished, Rows, counted, group_counts
from sfumato.run.large.full_domain import AtLevels, Chosen, counted_classes, frequencies, groups_at
from sfumato.run.large.recode import Recode
from sfumato.run.request import Request
from sfumato.table.recoding import Recoding

#: The column that says whether a row was drawn.
DRAWN = "drawn"


@dataclass(frozen=True)
class DrawRows:
    """Marks the rows of a part that are drawn; recoding the part later draws the same ones.

    Attributes
    ----------
    recode
        Recodes a part, and leaves out the rows that are not drawn.
    names
        The columns of codes.
    """

    recode: Recode = field(repr=False)
    names: Sequence[str]

    @property
    def parts(self) -> int:
        """The number of parts."""
        return self.recode.parts

    @property
    def schema(self) -> pa.Schema:
        """The columns of what it makes."""
        return pa.schema([*map(self.recode.table.schema.field, self.names), pa.field(DRAWN, pa.int8())])

    def __call__(self, part: int, rows: pa.Table) -> Finished:
        """Mark the rows of a part."""
        order, _, recoded = self.recode.recoded(part, rows)
        drawn = np.empty(len(order), np.int8)
        drawn[order] = recoded.classes.of_row >= 0
        return Finished(rows.select(list(self.names)).append_column(self.schema.field(DRAWN), pa.array(drawn)), None)


def choose_by_chance(
    rows: Rows,
    parts: Rows,
    sizes: Sequence[int],
    table: CodedTable,
    request: Request,
    support: LevelsOfDrawnRows,
    secret: Secret,
    left_out: int,
) -> Chosen:
    """Choose levels by the counts of all rows, draw rows, and leave out the classes that break a model when drawn.

    Parameters
    ----------
    rows, parts, sizes
        All encoded rows, the same with the part of each, and the sizes of the parts.
    table
        What the codes mean.
    request, support, secret
        What is asked for, how the method draws, and the source of its randomness.
    left_out
        How many rows a missing value kept from the method.
    """
    models = tuple(request.privacy)
    everybody, occurring = frequencies(rows, table)
    seed = secret.number("method")
    levels = support.recode(Task(everybody, Requirements(models, everybody), table.rows, seed), occurring)
    assert levels.levels is not None
    method = AtLevels(levels.levels, np.empty((0, len(table.domains)), np.int64), support.draw)
    recode = Recode(table, method, models, request.intervals, secret, dict(enumerate(sizes)))
    drawing = DrawRows(recode, [coded_name(at) for at in range(len(table.domains))])
    groups = counted(parts.by_part(PART, drawing, drawing.schema), drawing.schema.names)
    microdata, counts = table.microdata(groups), group_counts(groups)
    if counts.sum() != table.rows:
        raise VerificationError(
            f"{table.rows:,} rows took part in the draw, but {counts.sum():,} came back. This is a fault of Sfumato, "
            "please report it."
        )
    drawn = groups.column(DRAWN).to_numpy() == 1
    requirements = Requirements(models, microdata)
    classes = counted_classes(microdata, Recoding(levels=levels.levels, suppressed=~drawn), counts)
    large = np.append(classes.sizes >= requirements.smallest_class, False)[classes.of_row]
    if not large.any():
        raise InfeasibleError(NOTHING_LEFT)
    recoding = replace(levels, suppressed=~large)
    recoded = CountedTable(microdata, counted_classes(microdata, recoding, counts), left_out, requirements.k, counts)
    gone = np.unique(groups_at(microdata, levels.levels)[drawn & ~large], axis=0)
    return Chosen(replace(method, gone=gone), recoding, recoded)
