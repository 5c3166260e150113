"""Random policies: every kind of hierarchy, model and option, with names that no file format likes."""

from __future__ import annotations

from hypothesis import strategies as st

from sfumato import (
    Categorical,
    Dates,
    KAnonymity,
    LDiversity,
    MinimumSpan,
    Mondrian,
    Numeric,
    Ordered,
    Policy,
    Prefix,
    Schema,
    Taxonomy,
    TCloseness,
)
from sfumato.hierarchies import Hierarchy
from sfumato.privacy import PrivacyModel

LEVELS = ("day", "month", "quarter", "year", "decade")

names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
shares = st.floats(0, 1)
positive = st.floats(min_value=1e-6, max_value=1e12)


@st.composite
def nested_widths(draw: st.DrawFn) -> list[float]:
    first = draw(st.integers(1, 10) | st.sampled_from([0.5, 2.5]))
    factors = draw(st.lists(st.integers(2, 5), max_size=3))
    widths = [first]
    for factor in factors:
        widths.append(widths[-1] * factor)
    return widths


@st.composite
def taxonomies(draw: st.DrawFn) -> Taxonomy:
    values = draw(st.lists(names, min_size=1, max_size=30, unique=True))
    groups = st.sampled_from(["left", "right", "=mid;dle"])
    return Taxonomy([(value, draw(groups)) for value in values])


generalizations: st.SearchStrategy[Hierarchy | None] = st.one_of(
    st.none(),
    st.builds(Numeric, st.just([]) | nested_widths()),
    st.builds(Categorical),
    st.builds(Prefix, st.none() | st.integers(1, 64)),
    st.builds(Dates, st.sets(st.sampled_from(LEVELS)).map(lambda chosen: sorted(chosen, key=LEVELS.index))),
    st.builds(Ordered, st.lists(names, min_size=1, max_size=8, unique=True)),
    taxonomies(),
)

columns = st.none() | names
models: st.SearchStrategy[PrivacyModel] = st.one_of(
    st.builds(KAnonymity, st.integers(1, 10**9)),
    st.builds(LDiversity, st.floats(1, 50), st.sampled_from(["frequency", "entropy"]), column=columns),
    st.builds(LDiversity, st.integers(1, 50), st.just("distinct"), column=columns),
    st.builds(LDiversity, st.integers(1, 50), st.just("recursive"), positive, column=columns),
    st.builds(TCloseness, shares, st.sampled_from(["equal", "ordered"]), column=columns),
    st.builds(TCloseness, shares, st.just("hierarchical"), taxonomies(), column=columns),
    st.builds(MinimumSpan, names, positive),
)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    chosen = draw(st.lists(names, max_size=10, unique=True))
    role_of = {name: draw(st.sampled_from(["qi", "qi", "sensitive", "identifiers", "plain"])) for name in chosen}
    declared = {name: draw(generalizations) for name in chosen if role_of[name] == "qi"}
    weights = draw(st.dictionaries(st.sampled_from(list(declared)), positive)) if declared else {}
    others = {
        role: [name for name in chosen if role_of[name] == role] for role in ("sensitive", "identifiers", "plain")
    }
    return Schema(declared, rest=draw(st.sampled_from([None, "plain", "drop"])), weights=weights, **others)


@st.composite
def policies_of_all_kinds(draw: st.DrawFn) -> Policy:
    """A midpoint does not tell how wide its interval is, so it never goes with a minimum span."""
    privacy = draw(st.lists(models, max_size=4))
    spans = any(isinstance(model, MinimumSpan) for model in privacy)
    return Policy(
        draw(schemas()),
        privacy,
        draw(st.builds(Mondrian, st.booleans(), st.sampled_from(["ordered", "taxonomy"]))),
        suppression=draw(shares),
        missing=draw(st.sampled_from(["category", "suppress", "error"])),
        intervals=draw(st.sampled_from(["text", "bounds"] if spans else ["text", "bounds", "midpoint", "mean"])),
        keep_order=draw(st.booleans()),
        seed=draw(st.integers(0, 2**63 - 1)),
        separator=draw(st.none() | st.sampled_from([",", ";", "\t", "|"])),
    )


policies = policies_of_all_kinds()
