"""The figures of a risk report as sentences for the person who signs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sfumato.errors import listed


def sentences(risk: Mapping[str, Any], quasi_identifiers: Sequence[str]) -> Iterator[str]:
    """Yield one line per fact, from the plain values of a `Risk`."""
    people, prosecutor = risk["people"], risk["prosecutor"]
    yield f"{people:,} people in {risk['classes']:,} classes by {listed(quasi_identifiers)}"
    if not people:
        yield "Nobody is in the table, so nobody can be found."
        return
    if people != risk["rows"]:
        yield f"They have {risk['rows']:,} rows; a person with several counts once, by the row that is easiest to find."
    yield from _prosecutor(prosecutor, people)
    yield from _journalist(risk)
    yield (
        f"marketer     An attacker who tries everybody at once would be right for {_of_hundred(risk['marketer'])} "
        "people out of 100."
    )
    for name, one in risk["sensitive"].items():
        yield _certainty(name, one)
    if risk["population"] is not None:
        yield _population(risk["population"])


def _prosecutor(prosecutor: Mapping[str, Any], people: int) -> Iterator[str]:
    highest, mean = prosecutor["highest"], prosecutor["mean"]
    yield (
        f"unique       {prosecutor['unique']:,} people ({_percent(prosecutor['unique_share'])}) look like nobody else: "
        "whoever knows these columns finds their row."
    )
    yield (
        f"prosecutor   An attacker who knows that a person is in the table finds their row with probability {mean:.2f} "
        f"on average and {highest:.2f} at worst."
    )
    shares = ", ".join(f"{_percent(share)} above {limit}" for limit, share in prosecutor["above"].items())
    yield f"thresholds   {shares}"
    bands = [band for band in prosecutor["distribution"] if band["people"]]
    shown = ", ".join(f"{_band(band)}: {_percent(band['share'])}" for band in bands)
    yield f"alike        Share of people by how many look alike: {shown}"


def _journalist(risk: Mapping[str, Any]) -> Iterator[str]:
    journalist = risk["journalist"]
    if journalist is not None:
        yield (
            f"journalist   For an attacker who does not know that, judged by {risk['journalist_by']}: probability "
            f"{journalist['mean']:.3f} on average, {journalist['highest']:.3f} at worst."
        )


def _certainty(name: str, one: Mapping[str, Any]) -> str:
    return (
        f"sensitive    {name}: certain for {_percent(one['certain'])} of the people without finding their row, at "
        f"least {one['limit']:.0%} likely for {_percent(one['nearly'])}."
    )


def _population(population: Mapping[str, Any]) -> str:
    others = ", ".join(
        f"{name} {'does not fit' if count is None else f'{count:,.0f}'}"
        for name, count in population["uniques"].items()
    )
    return (
        f"population   Of {population['size']:,.0f} people, of whom {_percent(population['fraction'])} are in the "
        f"table, about {_percent(population['share'])} would be unique ({population['chosen']}; estimates: {others})."
    )


def _of_hundred(share: float) -> str:
    return f"{100 * share:.0f}" if share >= 0.095 else f"{100 * share:.1f}"


def _percent(share: float) -> str:
    return f"{share:.1%}"


def _band(band: Mapping[str, Any]) -> str:
    if band["most"] is None:
        return f"{band['least']} or more"
    return f"{band['least']}" if band["least"] == band["most"] else f"{band['least']}-{band['most']}"
