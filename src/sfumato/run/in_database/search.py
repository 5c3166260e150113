"""Full-domain recoding inside a database: it counts once, the search runs here, and SQL makes the release there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.cautions import Caution, refuse, with_confirmations
from sfumato.assess.cautions.unique_rows import as_good_as_a_name
from sfumato.common import parameters
from sfumato.errors import ParameterError, SchemaError, SourceError, VerificationError
from sfumato.hierarchies import Dates, Domain, Hierarchy, Learned, default_hierarchy, with_levels
from sfumato.io.databases.database import Database
from sfumato.io.sql import identifier, qualified
from sfumato.methods import Task
from sfumato.methods.lattice.full_domain import FullDomain, Solution
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.privacy import PrivacyModel, Requirements
from sfumato.run.build import promise_of
from sfumato.run.in_database.conditions import COUNTED, ClassConditions
from sfumato.run.in_database.equality import by_bytes, read_by_bytes, text_columns, written_in_several_ways
from sfumato.run.in_database.statements import (
    ReleaseQuery,
    dimension,
    dimension_statements,
    frequency_query,
    search_name,
)
from sfumato.run.request import Arguments, Request, spelled_out
from sfumato.table.encoding import distinct, encode_sensitive
from sfumato.table.microdata import Microdata, WeightedColumn, smallest_unsigned
from sfumato.table.schema import Schema
from sfumato.verify.release import verify_release
from sfumato.verify.verification import Verification


@dataclass(frozen=True)
class FrequencyTable:
    """The base frequency set of a table in a database."""

    microdata: Microdata
    counts: NDArray[np.int64]

    @classmethod
    def count(cls, database: Database, source: str, schema: Schema) -> FrequencyTable:
        """Fit the hierarchies to the values that occur, load them as dimension tables, and count."""
        names, sensitive = list(schema.quasi_identifiers), list(schema.sensitive)
        domains = [_fit(database, source, schema, name) for name in names]
        for at, domain in enumerate(domains):
            database.load(search_name(at), dimension(domain))
        counted = database.query(frequency_query(source, names, sensitive))
        counts = counted.column("n").cast(pa.int64()).to_numpy()
        codes = np.empty((len(counts), len(names)), smallest_unsigned([domain.size for domain in domains]))
        for at, domain in enumerate(domains):
            codes[:, at] = counted.column(f"q{at}").fill_null(len(domain.values)).to_numpy()
        columns = tuple(_weighted(name, counted.column(f"s{at}"), counts) for at, name in enumerate(sensitive))
        given = np.array([schema.weights.get(name, 1.0) for name in names])
        return cls(Microdata(codes, tuple(domains), columns, given / given.sum()), counts)

    def judge(self, models: tuple[PrivacyModel, ...], suppression: float, prune: bool = True) -> NodeJudge:
        """The judge of lattice nodes for this table."""
        requirements = Requirements(models, self.microdata)
        task = Task(self.microdata, requirements, parameters.rows_within(suppression, int(self.counts.sum())))
        return NodeJudge(task, self.counts, prune)


@dataclass(frozen=True)
class InPlace:
    """A full-domain recoding of a table in a database, and the SQL statements that make the release there."""

    database: Database
    schema: Schema
    models: tuple[PrivacyModel, ...]
    solution: Solution
    query: ReleaseQuery

    @property
    def levels(self) -> dict[str, int]:
        """The level of every quasi-identifier."""
        return dict(zip(self.solution.space.names, self.solution.chosen, strict=True))

    @property
    def suppressed(self) -> int:
        """How many rows are suppressed."""
        judge = self.solution.scorer.judge
        return judge.verdict(judge.scan(self.solution.chosen)).suppressed

    @property
    def alternatives(self) -> pa.Table:
        """Every answer with its levels and losses."""
        return pa.table(self.solution.alternatives.to_columns())

    @property
    def search(self) -> Any:
        """What the search did."""
        return self.solution.found.search

    def statements(self, release: str, kind: str = "view") -> list[str]:
        """The statements that make the release in place."""
        parameters.choice("InPlace.statements", "kind", kind, ("view", "table"))
        dimensions = self.query.dimensions(release)
        made = [
            statement
            for at, table in dimensions.items()
            for statement in dimension_statements(table, self.query.domains[at], self.query.levels[at])
        ]
        # A table stores its labels; a view looks them up in dimension tables.
        done = [f"DROP TABLE {qualified(table)}" for table in dimensions.values()] if kind == "table" else []
        return [
            *made,
            f"CREATE {kind.upper()} {qualified(release)} AS\n{self.query.text(release, kind == 'view')}",
            *done,
        ]

    def sql(self, release: str = "release", kind: str = "view") -> str:
        """The script as one transaction, which makes the release or, if anything fails, nothing.

        It says that nobody checked what it makes; `create` runs the statements and checks the release.
        """
        return f"{NOT_CHECKED}\n{self.script(release, kind)}"

    def script(self, release: str = "release", kind: str = "view") -> str:
        """The script alone."""
        return ";\n\n".join(["BEGIN", *self.statements(release, kind), "COMMIT"]) + ";\n"

    def create(self, release: str, kind: str = "view") -> Verification:
        """Make the release in the database, and check it there; one that fails is not kept."""
        if self.database.has(release):
            raise SourceError(f"The database already has {release!r}. Drop it first, or choose another name.")
        with self.database.transaction():
            # Leftovers of an earlier release of this name that was dropped.
            for table in self.query.dimensions(release).values():
                self.database.execute(f"DROP TABLE IF EXISTS {qualified(table)}")
            for statement in self.statements(release, kind):
                self.database.execute(statement)
            result = self.verify(release)
            if not result.ok:
                raise VerificationError(f"The release did not pass its check and is not kept.\n{result.summary()}")
            self._check_rows(release)
        return result

    def _check_rows(self, release: str) -> None:
        """Check that no row is lost, if the table is still the one that was searched."""
        counts = self.solution.scorer.judge.counts
        searched = 0 if counts is None else int(counts.sum())
        rows, shown = (self.database.count_of(source) for source in (self.query.source, qualified(release)))
        if rows == searched and shown != rows - self.suppressed:
            raise VerificationError(
                f"The release has {shown:,} rows instead of {rows - self.suppressed:,} and is not kept. The table was "
                "changed meanwhile, or the database compares its values otherwise than it writes them."
            )

    def verify(self, release: str) -> Verification:
        """Verify a release from its classes, which the database counts."""
        names, sensitive = list(self.schema.quasi_identifiers), list(self.schema.sensitive)
        columns = ", ".join(identifier(name) for name in [*names, *sensitive])
        texts = text_columns(self.database.query(f"SELECT * FROM {qualified(release)} LIMIT 0").schema)
        shown = read_by_bytes(qualified(release), [*names, *sensitive], texts)
        counted = self.database.query(f"SELECT {columns}, COUNT(*) AS n FROM {shown} t GROUP BY {columns}")
        rows = np.repeat(np.arange(counted.num_rows), counted.column("n").cast(pa.int64()).to_numpy())
        table = counted.drop_columns(["n"]).take(pa.array(rows))
        return verify_release(table, names, sensitive, [promise_of(model, self.schema) for model in self.models])


@spelled_out
def search_in_place(database: Database, schema: Schema | None = None, **arguments: Unpack[Arguments]) -> InPlace:
    """Find a full-domain recoding of a table that stays in its database.

    Only the distinct values of the quasi-identifiers and the counts of their combinations are read.

    Parameters
    ----------
    database
        The table: `DuckDB` or `PostgreSQL`.
    schema, quasi_identifiers, sensitive, identifiers, plain, rest, k, l, t, privacy, suppression, confirm
        As in `sfumato.anonymize`.
    method
        A full-domain method such as `Lattice`, the default, or `Incognito`.
    refine, missing, intervals, ends, keep_order, seed, separator, na, strict, transform, pseudonymize, sample
        A database does none of these: a value other than the default is refused.

    Examples
    --------
    >>> found = search_in_place(DuckDB("orders.parquet"), schema, k=10)  # doctest: +SKIP
    >>> print(found.sql("orders_release"))  # doctest: +SKIP
    """
    asked: Arguments = {"method": "lattice", **arguments}
    return search_for(database, Request.of("search_in_place", schema, **asked))


#: The first line of a script that was printed and not run.
NOT_CHECKED = "-- Printed, not run: nobody has checked what these statements make. 'sfumato sql --create' does."

#: How many values that a single row has are looked at, to see whether they could point to people.
LOOKED_AT = 10_000
#: The options that a search in a database supports; it draws nothing, so the seed does not matter.
HEEDED = {"suppression", "seed", "confirm"}


def search_for(database: Database, request: Request) -> InPlace:
    """Search for the recoding that a request asks for."""
    request.require_privacy()
    for name, value in request.unusual().items():
        if name not in HEEDED:
            usual = getattr(Request, name)
            raise ParameterError(f"'{name}' is {value!r}, but in a database it can only be {usual!r}.")
    method, schema, models = request.method, request.schema, tuple(request.privacy)
    if schema.person is not None or schema.survey_weights is not None or any(model.whole for model in models):
        raise ParameterError(
            "In a database, rows are counted class by class: neither people with several rows, nor weights of a "
            "survey, nor conditions on the release as a whole are supported there. Use sfumato.anonymize."
        )
    if not isinstance(method, FullDomain):
        raise SchemaError("Only full-domain methods work inside a database, such as Lattice() or Incognito().")
    for name, hierarchy in schema.quasi_identifiers.items():
        if isinstance(hierarchy, Learned):
            raise SchemaError(
                f"The hierarchy of '{name}' is learned from rows, which stay in the database. Learn it from a sample "
                f"first (sfumato hierarchy), and use the file."
            )
        if getattr(hierarchy, "format", None) is not None:
            raise SchemaError(f"'{name}' is text in the database, which cannot read its dates. Convert it there.")
    roles = schema.roles(database.columns())
    database.require([*schema.quasi_identifiers, *schema.sensitive])
    database.read_as_text(schema.read_as_text())
    source = by_bytes(database, roles, schema)
    refuse_names(database, source, roles, request)
    table = FrequencyTable.count(database, source, schema)
    prune = method.may_prune(Task(table.microdata, Requirements(models, table.microdata)))
    judge = table.judge(models, request.suppression, prune)
    solution = method.solve(judge)
    others = [name for name, role in roles.items() if role in {"sensitive", "plain"}]
    conditions = ClassConditions.of(judge.task.requirements.bound, table.microdata.names, list(schema.sensitive))
    query = ReleaseQuery(source, table.microdata.domains, solution.chosen, others, conditions)
    return InPlace(database, schema, models, solution, _with_suppression(query, judge, solution))


def refuse_names(database: Database, source: str, roles: Mapping[str, str], request: Request) -> None:
    """Refuse a column that is released as it is and identifies people like a name, unless the request confirms it."""
    rows = database.count_of(source)
    cautions: list[Caution] = []
    for name, role in roles.items():
        if role not in {"plain", "sensitive"}:
            continue
        column = identifier(name)
        alone = f"SELECT {column} AS v FROM {source} t GROUP BY {column} HAVING count({column}) = 1"
        [unique] = database.query(f"SELECT count(*) AS n FROM ({alone}) AS alone")["n"].to_pylist()
        some = database.query(f"SELECT v FROM ({alone}) AS alone LIMIT {LOOKED_AT}")["v"].combine_chunks()
        found = as_good_as_a_name(name, role, int(unique), rows, some)
        cautions += [Caution("near-unique", **vars(finding)) for finding in found]
    refuse(with_confirmations(cautions, request.confirm), strict=False)


def _with_suppression(query: ReleaseQuery, judge: NodeJudge, solution: Solution) -> ReleaseQuery:
    """Add the suppressed classes to the query: by conditions on counts, or by labels where counts do not suffice."""
    counted = judge.scan(solution.chosen)
    allowed, _, of_key = judge.classes(counted)
    if allowed.all():
        return query
    if all(rule.kind in COUNTED for rule in judge.task.requirements.bound):
        return replace(query, suppresses=True)
    labels = []
    for group in np.flatnonzero(~allowed):
        key = counted.keys[int(np.argmax(of_key == group))]
        labels.append(tuple(_label(judge, key, at, level) for at, level in enumerate(solution.chosen)))
    return replace(query, suppresses=True, left_out=labels)


def _label(judge: NodeJudge, key: NDArray[np.uint64], at: int, level: int) -> str | None:
    word, shift, mask = judge.roller.layout.fields[at].tolist()
    place = (int(key[word]) >> shift) & mask
    text: str | None = judge.roller.domains[at].levels[level].labels[place].as_py()
    return text


def _fit(database: Database, source: str, schema: Schema, name: str) -> Domain:
    """Fit the hierarchy of a column to its distinct values."""
    column = database.query(f"SELECT DISTINCT {identifier(name)} AS value FROM {source} t").column("value")
    values = column.combine_chunks()
    known = values.drop_null()
    hierarchy = with_levels(schema.quasi_identifiers[name], known) or _default(values.type)
    fitted = hierarchy.fit(name, known, has_missing=len(known) < len(values))
    if len(fitted.domain.values) < len(known):
        raise written_in_several_ways(name)
    # Dimension tables are joined on the values of the table, not on those that a hierarchy turned them into.
    order = np.argsort(fitted.codes)
    return replace(fitted.domain, values=known.take(pa.array(order)))


def _default(kind: pa.DataType) -> Hierarchy:
    """The default of a type, but times as they are: the rows of the database are joined by their values."""
    implied = default_hierarchy(kind)
    return Dates() if isinstance(implied, Dates) else implied


def _weighted(name: str, column: pa.ChunkedArray, counts: NDArray[np.int64]) -> WeightedColumn:
    plain = encode_sensitive(name, *distinct(name, column))
    return WeightedColumn(plain.name, plain.values, plain.codes, weights=counts)
