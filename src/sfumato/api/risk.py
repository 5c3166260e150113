"""``sfumato.risk``: how likely people in a table are to be found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from sfumato.assess.risk import Risk, assess
from sfumato.assess.risk.assessment import NEARLY, Context
from sfumato.io import open_source
from sfumato.table.schema import Declared, Schema


def risk(
    data: object,
    *,
    quasi_identifiers: Mapping[str, Declared] | Iterable[str] | str,
    sensitive: Iterable[str] | str = (),
    population: object = None,
    weights: str | None = None,
    person: str | None = None,
    thresholds: Sequence[float] = (),
    nearly: float = NEARLY,
    separator: str | None = None,
) -> Risk:
    """Assess how likely people in a table are to be found: in an original, a release, or any file.

    Parameters
    ----------
    data
        As in `anonymize`.
    quasi_identifiers
        The columns that an attacker may know. Their hierarchies matter only together with a table of the population.
    sensitive
        The columns that the attacker wants to know.
    population
        The population that the table was drawn from: a table with the same quasi-identifiers, the number of people, or
        (below 1) the share of it that is in the table.
    weights
        The column that says how many people of the population a row stands for.
    person
        The column that identifies the person, if people have several rows; then people are counted, not rows.
    thresholds
        Thresholds to report besides 0.05, 0.09, 0.2, 0.33 and 0.5.
    nearly
        The share of a class from which a sensitive value counts as nearly certain.
    separator
        The separator of a CSV file; detected by default.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [30, 30, 41, 41, 52], "sex": ["f", "f", "f", "m", "m"]})
    >>> found = sf.risk(people, quasi_identifiers=["age", "sex"])
    >>> found.unique, found.prosecutor.mean
    (3, 0.8)
    """
    schema = Schema(quasi_identifiers, sensitive, rest="drop")
    source = open_source(data, separator=separator)
    source.check_names(schema.declared())
    schema.roles(source.columns)
    hierarchies, as_text = schema.quasi_identifiers, schema.read_as_text()
    extra = [name for name in (weights, person) if name is not None]
    table = source.read([*hierarchies, *schema.sensitive, *extra], as_text)
    people = _population(population, list(hierarchies), as_text, separator)
    return assess(table, hierarchies, schema.sensitive, Context(people, weights, person, thresholds, nearly))


def _population(
    given: object, names: Sequence[str], as_text: Sequence[str], separator: str | None
) -> pa.Table | float | None:
    """Read the table of the population; a number (its size, or the share that was drawn) stays as it is."""
    if given is None or isinstance(given, int | float):
        return given
    return open_source(given, separator=separator).read(names, as_text)
