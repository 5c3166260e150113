"""The schema: the role of every column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from sfumato.common import parameters
from sfumato.common.html import Content, Markup, fragment, table
from sfumato.errors import SchemaError, did_you_mean, invalid_parameter, listed
from sfumato.hierarchies import KINDS, Hierarchy, with_levels

#: Names of columns that make a poor example of a quasi-identifier.
_NAMING = re.compile(r"(^|[^a-z])(id|ids|name|nr|no|number|email|mail|phone|unnamed)([^a-z]|$)|id$", re.IGNORECASE)
#: A hierarchy that is chosen by the type of the column.
Declared = Hierarchy | None


@dataclass(frozen=True)
class Schema:
    """The role of every column.

    Parameters
    ----------
    quasi_identifiers
        The columns that could single out a person in combination: names, or a mapping from names to hierarchies (None:
        chosen by type).
    sensitive
        The columns whose values must not be linked to a person.
    identifiers
        The columns that identify a person directly; they are never released.
    plain
        The columns that are released as they are.
    rest
        The role of all other columns: ``"plain"`` or ``"drop"``. Without it an undeclared column is an error.
    weights
        The weight of each quasi-identifier in the loss; 1 by default.
    person
        The column that identifies the person, if people have several rows: privacy models then count people, not rows.
        It is never released.
    survey_weights
        The column with the number of people in the population that each row stands for. Every row of a class shows the
        mean weight of the class, and the weights of suppressed rows are spread over all others, so that totals are
        kept.

    Examples
    --------
    >>> Schema(quasi_identifiers=["age", "zip"], sensitive="disease", rest="drop").sensitive
    ('disease',)
    """

    quasi_identifiers: Mapping[str, Declared]
    sensitive: Sequence[str] = ()
    identifiers: Sequence[str] = ()
    plain: Sequence[str] = ()
    rest: str | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    person: str | None = None
    survey_weights: str | None = None

    def __init__(
        self,
        quasi_identifiers: Mapping[str, Declared] | Iterable[str] | str = (),
        sensitive: Iterable[str] | str = (),
        identifiers: Iterable[str] | str = (),
        plain: Iterable[str] | str = (),
        rest: str | None = None,
        weights: Mapping[str, float] | None = None,
        person: str | None = None,
        survey_weights: str | None = None,
    ) -> None:
        set_field = object.__setattr__  # the class is frozen
        set_field(self, "quasi_identifiers", _hierarchies(quasi_identifiers))
        set_field(self, "sensitive", _names("sensitive", sensitive))
        set_field(self, "identifiers", _names("identifiers", identifiers))
        set_field(self, "plain", _names("plain", plain))
        set_field(self, "rest", parameters.choice("Schema", "rest", rest, (None, "plain", "drop")))
        set_field(self, "weights", _weights({} if weights is None else weights))
        for name, column in (("person", person), ("survey_weights", survey_weights)):
            set_field(self, name, None if column is None else parameters.text("Schema", name, column))
        self._check_roles()
        self._check_weights()

    def _check_roles(self) -> None:
        role_of: dict[str, str] = {}
        for role, names in self._by_role().items():
            for name in names:
                if name in role_of:
                    twice = f"twice as {role}" if role_of[name] == role else f"both as {role_of[name]} and as {role}"
                    raise SchemaError(f"Column '{name}' is declared {twice}. Give every column one role.")
                role_of[name] = role

    def _check_weights(self) -> None:
        for name, weight in self.weights.items():
            parameters.number("Schema", f"weights[{name!r}]", weight, at_least=0)
            if name not in self.quasi_identifiers:
                raise SchemaError(
                    f"There is a weight for '{name}', which is not a quasi-identifier. "
                    f"Quasi-identifiers: {listed(self.quasi_identifiers)}."
                )
        if self.quasi_identifiers and not any(self.weights.get(name, 1.0) for name in self.quasi_identifiers):
            raise invalid_parameter("Schema", "weights", "above 0 for at least one quasi-identifier", self.weights)

    def _by_role(self) -> dict[str, Sequence[str]]:
        return {
            "quasi-identifier": tuple(self.quasi_identifiers),
            "sensitive": self.sensitive,
            "identifier": self.identifiers,
            "plain": self.plain,
            "person": () if self.person is None else (self.person,),
            "weight": () if self.survey_weights is None else (self.survey_weights,),
        }

    def declared(self) -> list[str]:
        """The columns with a declared role."""
        return [name for names in self._by_role().values() for name in names]

    def with_identifiers(self, names: Sequence[str]) -> Schema:
        """Add identifiers, which are never released."""
        if not names:
            return self
        identifiers = [*self.identifiers, *names]
        roles = (self.quasi_identifiers, self.sensitive, identifiers, self.plain, self.rest)
        return Schema(*roles, self.weights, self.person, self.survey_weights)

    def roles(self, columns: Sequence[str]) -> dict[str, str]:
        """The role of every column of a table, in the table's order; ``"drop"`` for dropped columns.

        Raises
        ------
        SchemaError
            If the table lacks a declared column, or a column of the table has no role.
        """
        if not columns:
            raise SchemaError("The table has no columns, so there is nothing to release.")
        if not self.quasi_identifiers:
            example = next((name for name in columns if not _NAMING.search(name)), columns[0])
            raise SchemaError(
                "No quasi-identifier is declared, so there is nothing to protect. Declare the columns that could "
                f"single somebody out, for example quasi_identifiers=['{example}'] (on the command line: --qi). "
                f"Columns: {listed(columns)}."
            )
        declared = {name: role for role, names in self._by_role().items() for name in names}
        unknown = [name for name in declared if name not in columns]
        if unknown:
            raise SchemaError(
                f"The table has no column {listed(unknown)}. Its columns are {listed(columns)}. "
                f"{_spelling_hint(unknown, columns)}"
            )
        undeclared = [name for name in columns if name not in declared]
        if undeclared and self.rest is None:
            raise SchemaError(
                f"No role is declared for {listed(undeclared)}. Declare each as quasi-identifier, sensitive, "
                "identifier (dropped) or plain (released as it is), or cover them all with rest='drop' or "
                "rest='plain' (on the command line: --qi, --sensitive, --identifiers, --plain, --rest)."
            )
        return {name: declared.get(name, self.rest or "drop") for name in columns}

    def looked_at(self) -> list[str]:
        """The columns from which hierarchies of other columns are learned."""
        declared = (hierarchy for hierarchy in self.quasi_identifiers.values() if hierarchy is not None)
        return list(dict.fromkeys(name for hierarchy in declared for name in hierarchy.looks_at))

    def learned(self, table: pa.Table, needs_levels: bool = False) -> Schema:
        """Learn the hierarchies from a table, and add levels if they are needed."""
        found = {
            name: None if hierarchy is None else hierarchy.learned(name, table)
            for name, hierarchy in self.quasi_identifiers.items()
        }
        if needs_levels:
            found = {name: with_levels(hierarchy, table.column(name)) for name, hierarchy in found.items()}
        return replace(self, quasi_identifiers=found)

    def read_as_text(self) -> list[str]:
        """The columns that their hierarchies need as text, even if all values look like numbers."""
        declared = self.quasi_identifiers.items()
        return [name for name, hierarchy in declared if hierarchy is not None and hierarchy.reads_text]

    def as_table(self) -> Markup:
        """The role of every declared column as a table of HTML."""
        rows: list[list[Content]] = []
        for role, names in self._by_role().items():
            for name in names:
                said = _said(self.quasi_identifiers[name]) if role == "quasi-identifier" else ""
                rows.append([name, role, said, f"{self.weights[name]:g}" if name in self.weights else ""])
        if self.rest is not None:
            rows.append(["all others", "plain" if self.rest == "plain" else "dropped", "", ""])
        if not self.weights:
            return table(["column", "role", "generalizes as"], [row[:-1] for row in rows])
        return table(["column", "role", "generalizes as", "weight"], rows, numbers={3})

    def _repr_html_(self) -> str:
        return fragment("Schema", self.as_table())


def _said(hierarchy: Declared) -> str:
    return "by its type" if hierarchy is None else repr(hierarchy)


def _spelling_hint(unknown: Sequence[str], columns: Sequence[str]) -> str:
    """Suggest what was probably meant: several names joined by commas, or a similarly spelt column."""
    for name in unknown:
        parts = [part.strip() for part in re.split("[,;|]", name)]
        if len(parts) > 1 and all(part in columns for part in parts):
            return f"Name {listed(parts)} one by one (on the command line: with commas between)."
        if meant := did_you_mean(name, columns):
            return meant
    return "Check the spelling."


def _names(role: str, given: Iterable[str] | str) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else (given,)
    for name in names:
        if not isinstance(name, str):
            raise invalid_parameter("Schema", role, "a column name or a list of them", name)
    return names


def _weights(given: Mapping[str, float]) -> dict[str, float]:
    if not isinstance(given, Mapping):
        raise invalid_parameter("Schema", "weights", "a mapping from quasi-identifiers to numbers", given)
    return dict(given)


def _instead_of(given: object) -> str:
    """What to write instead of the name of a hierarchy, its class, or widths alone."""
    kind = KINDS.get(given) if isinstance(given, str) else None
    if isinstance(given, type) and issubclass(given, Hierarchy):
        kind = given
    if kind is not None:
        return f"Write sf.{kind.__name__}()."
    if isinstance(given, list | tuple) and given and all(isinstance(one, int | float) for one in given):
        return f"Write sf.Numeric(widths={list(given)})."
    return did_you_mean(given, KINDS)


def _hierarchies(given: Mapping[str, Declared] | Iterable[str] | str) -> dict[str, Declared]:
    if not isinstance(given, Mapping):
        names = _names("quasi_identifiers", given)
        repeated = [name for at, name in enumerate(names) if name in names[:at]]
        if repeated:
            raise SchemaError(f"Column '{repeated[0]}' is declared twice as quasi-identifier. Name it once.")
        return dict.fromkeys(names)
    _names("quasi_identifiers", given)
    for name, hierarchy in given.items():
        if hierarchy is not None and not isinstance(hierarchy, Hierarchy):
            expected = "None or a hierarchy such as Numeric(), Taxonomy.read(...) or Prefix()"
            hint = _instead_of(hierarchy)
            raise invalid_parameter("Schema", f"quasi_identifiers[{name!r}]", expected, hierarchy, hint)
    return dict(given)
