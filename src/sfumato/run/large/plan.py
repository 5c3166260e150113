"""The plan for tables past memory, written once for all engines: profile, encode, part, recode, write, verify."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa

from sfumato.assess.cautions import cautions_after, cautions_before
from sfumato.common.progress import Clock, Progress, ProgressOption, reporting, stage
from sfumato.common.randomness import Secret
from sfumato.errors import DataError, InfeasibleError
from sfumato.io import Source
from sfumato.methods.base import refuse_unsupported
from sfumato.methods.linear.hilbert import HilbertCurve
from sfumato.methods.on_engine import (
    Keys,
    LevelsByFrequencies,
    LevelsOfDrawnRows,
    PartsAlongOrder,
    PartsByFirstCuts,
)
from sfumato.privacy import Requirements
from sfumato.release.release import Release
from sfumato.run.build import completed
from sfumato.run.large.by_chance import choose_by_chance
from sfumato.run.large.choose import method_for_parts
from sfumato.run.large.coded_table import PART, CodedTable, WithoutMissing
from sfumato.run.large.domains import profile
from sfumato.run.large.drawn_rows import draws_per_part
from sfumato.run.large.engine import NOTHING, PLACE, Engine, Rows, require_distinct_names
from sfumato.run.large.first_cuts import PartByCuts, first_cuts
from sfumato.run.large.full_domain import Chosen, choose
from sfumato.run.large.guardrails import view_of
from sfumato.run.large.made import Made
from sfumato.run.large.part_borders import Feasibility, lay_parts
from sfumato.run.large.parts import Encoding, PartOf, empty, part_schema
from sfumato.run.large.recode import Recode
from sfumato.run.large.suppression import COMPARING, Curve, Price, in_proportion, pricing, spent
from sfumato.run.private import refuse_unfixed
from sfumato.run.read import numbering_columns_by_batches
from sfumato.run.request import Request

#: How many copies of the encoded rows are on disk at once: one as encoded, one by part; released rows replace parts.
COPIES = 2

#: At least this many different values of a column are kept, however little memory there is.
FEWEST_VALUES = 1 << 16

#: The assumed bytes of a text that is stored as it is.
TEXT_BYTES = 24


def carry_out(
    data: object,
    request: Request,
    engine: Engine,
    again: Callable[[object, Request], Release],
    progress: ProgressOption = False,
) -> Release:
    """Make a release by an engine; if anything fails, nothing is left behind.

    ``again`` releases the same table for another request, to find out what that would cost.
    """
    try:
        with engine.explained(), reporting(progress, request.caller) as report:
            return _Plan(request, engine, again, report).release_of(data)
    except BaseException:
        engine.close()
        raise


@dataclass
class _Plan:
    """A request, the engine that carries it out, and where progress is reported."""

    request: Request
    engine: Engine
    again: Callable[[object, Request], Release]
    report: Progress

    def __post_init__(self) -> None:
        self.clock = Clock()
        self.secret = Secret.of(self.request.seed)
        self.method = method_for_parts(self.request.method)
        self.support = self.method.on_engine
        self.row_numbers: tuple[str, ...] = ()
        self.engine.progress = self.report

    def release_of(self, data: object) -> Release:
        """Carry out all steps."""
        clock = self.clock
        with clock.measuring("total"):
            with clock.measuring("read"):
                source, roles, rows = self._open(data)
                total = self.engine.expected = rows.count()
                if not total:
                    raise DataError("The table has no rows, so there is nobody to protect and nothing to release.")
                rows = self._with_missing(rows)
                table, schema = self._profile(rows, roles)
                self.request = self.request.with_schema(schema)
            with clock.measuring("guardrails"):
                asked = view_of(table, rows, source, self.request, self.row_numbers)
                cautions = cautions_before(asked, self.request.confirm)
            with clock.measuring("encode"):
                kept = self._encode(rows, table)
            with clock.measuring("part"):
                parts, sizes = self._part(kept, table)
                chosen = self._choose(kept, parts, sizes, table, total - table.rows)
            with clock.measuring("method"):
                made = self._recode(parts, sizes, table, chosen, kept, total)
            with clock.measuring("verify"):
                source.check_unchanged()
                self.report("verifying", 0.0)
                verification = made.verified()
            with clock.measuring("guardrails"):
                self.report("looking at the release", 0.0)
                view = made.view(asked, verification)
                cautions = cautions_after(view, self.request.confirm, self.request.strict, cautions)
        release = made.release(source, clock, self.engine, verification, partial(self.again, data))
        return completed(release, view, cautions, clock)

    def _open(self, data: object) -> tuple[Source, dict[str, str], Rows]:
        """Find the role of each column, and open those that are released in some form."""
        source = self.engine.source(data, self.request)
        self.request.check_columns(source.columns)
        require_distinct_names(source.columns, self.engine.name)
        self.row_numbers = numbering_columns_by_batches(source, self.request.schema)
        roles = self.request.schema.with_identifiers(self.row_numbers).roles(source.columns)
        wanted = [name for name, role in roles.items() if role in {"quasi-identifier", "sensitive", "plain"}]
        return (
            source,
            roles,
            self.engine.open(source, wanted, [name for name in self.request.read_as_text() if name in wanted]),
        )

    def _with_missing(self, rows: Rows) -> Rows:
        """Leave out rows that lack a quasi-identifier, if the request says so."""
        if self.request.missing != "suppress":
            return rows
        names = tuple(self.request.schema.quasi_identifiers)
        return rows.mapped(WithoutMissing(names, self.request.na), rows.schema)

    def _profile(self, rows: Rows, roles: Mapping[str, str]) -> tuple[CodedTable, Any]:
        if self.request.is_private:
            refuse_unfixed(rows.schema, self.request.schema)
        most = max(FEWEST_VALUES, self.engine.part_rows // 2)
        table, schema = profile(rows, roles, self.request, most, stage(self.report, "profiling"))
        if self.request.missing == "error":
            lacking = [domain.name for domain in table.domains if domain.has_missing]
            if lacking:
                raise DataError(
                    f"Missing values in {', '.join(map(repr, lacking))} and missing='error' was asked for. Use "
                    "missing='category' to treat missing as a value, or missing='suppress' to leave such rows out."
                )
        return table, schema

    def _encode(self, rows: Rows, table: CodedTable) -> Rows:
        """Encode all rows once; before that, refuse models that even the table as one class breaks."""
        nobody = empty(table)
        budget = self.request.may_leave_out(table.rows)
        refuse_unsupported(self.method, self.request.privacy, nobody, budget)
        whole = Feasibility.whole(table, self.request.privacy)
        if not whole.allows(0, 1):
            # In memory, rows with the most frequent values are left out of the whole table first.
            elsewhere = " Or work in memory: engine='memory' leaves rows out until it is." if budget else ""
            raise InfeasibleError(whole.reasons() + elsewhere)
        self.report("encoding", 0.0)
        encoding = Encoding(table, self._keys())
        self.engine.require(COPIES * table.rows * row_bytes(encoding.schema))
        return self.engine.kept(rows.mapped(encoding, encoding.schema))

    def _keys(self) -> Keys | None:
        """The keys along which rows are divided; where levels hold for all rows, any order will do."""
        if isinstance(self.support, PartsByFirstCuts):
            return None
        return self.support.keys if isinstance(self.support, PartsAlongOrder) else HilbertCurve().first_bits

    def _choose(self, kept: Rows, parts: Rows, sizes: Sequence[int], table: CodedTable, left_out: int) -> Chosen | None:
        """Let a full-domain method choose levels by the frequency set, which the engine counts."""
        support, request = self.support, self.request
        if not isinstance(support, LevelsByFrequencies):
            return None
        self.report("searching", 0.0)
        if isinstance(support, LevelsOfDrawnRows):
            return choose_by_chance(kept, parts, sizes, table, request, support, self.secret, left_out)
        return choose(kept, table, request, support, left_out)

    def _part(self, kept: Rows, table: CodedTable) -> tuple[Rows, list[int]]:
        """Divide the rows: by first cuts, or into stretches of the order that can each keep every model."""
        self.report("dividing", 0.0)
        schema, models = part_schema(kept.schema), self.request.privacy
        if isinstance(self.support, PartsByFirstCuts):
            requirements = Requirements(tuple(models), empty(table))
            tree, sizes = first_cuts(kept, table, self.support, requirements, self.engine.part_rows)
            return kept.mapped(PartByCuts(tree, schema), schema), sizes
        # The classes of a full-domain recoding span all parts, so no part has to keep the models by itself.
        most = self.engine.rows_per_part(self.engine.expected)
        kept_alone = () if isinstance(self.support, LevelsByFrequencies) else models
        begins, sizes = lay_parts(kept, table, kept_alone, most)
        return kept.mapped(PartOf(begins, schema), schema), sizes

    def _recode(
        self,
        parts: Rows,
        sizes: Sequence[int],
        table: CodedTable,
        chosen: Chosen | None,
        kept: Rows,
        total: int,
    ) -> Made:
        """Recode part by part, and write the released rows."""
        request, models = replace(self.request, method=self.method), tuple(self.request.privacy)
        method = self.method if chosen is None else chosen.method
        budgets = sizes if chosen is not None else self._budgets(parts, sizes, table)
        draws = draws_per_part(sizes, self.secret)
        recode = Recode(table, method, models, request.intervals, self.secret, dict(enumerate(budgets)), draws)
        schema, shown_as = recode.shown()
        names = [self.secret.key(f"file {at}").hex()[:16] for at in range(self._files(sizes, table, chosen))]
        done = parts.by_part(PART, recode, schema)
        self.report("recoding", 0.0)
        shown = self.engine.released(done, PLACE, names, shown_as)
        return Made(request, total, table, kept, parts, recode, chosen, shown, done.told())

    def _files(self, sizes: Sequence[int], table: CodedTable, chosen: Chosen | None) -> int:
        """Count the files for the released rows; those who read a folder must not learn how many rows came in."""
        if chosen is None:
            return max(1, len(sizes))
        released = table.rows - chosen.suppressed
        return max(1, -(-released // self.engine.rows_per_part(released)))

    def _budgets(self, parts: Rows, sizes: Sequence[int], table: CodedTable) -> list[int]:
        """Decide how many rows of each part may be suppressed: where that saves most, if the method can estimate it."""
        models = tuple(self.request.privacy)
        budget = self.request.may_leave_out(table.rows)
        if not budget or any(isinstance(model, COMPARING) for model in models):
            # Each row suppressed in one part would change the distribution that all classes are compared with.
            return [0] * len(sizes)
        priced = pricing(self.support, models)
        if priced is None or len(sizes) == 1:
            return in_proportion(budget, sizes, sizes)
        self.report("pricing", 0.0)
        curves: list[Curve] = parts.by_part(PART, Price(table, priced, models), NOTHING).told()
        return spent(budget, sizes, sorted(curves, key=lambda one: one.part))


def row_bytes(schema: pa.Schema) -> int:
    """Estimate the bytes that an encoded row takes on disk."""
    kinds = [one.type for one in schema]
    return sum(kind.bit_width // 8 if pa.types.is_primitive(kind) else TEXT_BYTES for kind in kinds)
