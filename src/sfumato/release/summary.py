"""The summary of a release: a few aligned lines, one fact each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sfumato.errors import printable
from sfumato.loss import LossReport
from sfumato.release.manifest import Grounds, Reportable
from sfumato.verify.verification import Verification

if TYPE_CHECKING:
    from sfumato.loss import Bound

#: The largest ratio of loss to bound at which the bound is informative.
FARTHEST = 100

#: The most cautions of one kind that are shown; the others are only counted.
CAUTIONS_SHOWN = 3

#: What is said instead of cautions where these may not be published.
WITHHELD = "withheld, for they depend on the original: the manifest has them (in Python release.cautions)"

#: The most columns of one role that are named; the others are only counted.
NAMES_SHOWN = 30


def summarize(
    manifest: Mapping[str, Any],
    verification: Verification,
    loss: LossReport,
    bound: Bound | None = None,
    optimality: object = None,
) -> str:
    """Write the summary as aligned lines, one fact each."""
    may = Reportable.of(manifest)
    lines = [
        *summary_facts(manifest, verification, loss, bound, optimality),
        *caution_facts([may.caution(one) for one in may.cautions(manifest.get("cautions", ()))]),
    ]
    return aligned(lines)


def aligned(lines: Sequence[tuple[str, str]]) -> str:
    """Write one fact per line, each after its name, with the facts aligned."""
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"{name:<{width}}  {printable(text, lines=False)}" for name, text in lines)


def summary_facts(
    manifest: Mapping[str, Any],
    verification: Verification,
    loss: LossReport,
    bound: Bound | None = None,
    optimality: object = None,
) -> list[tuple[str, str]]:
    """The facts of the summary, each with its name."""
    may = Reportable.of(manifest)
    return [
        *role_facts(manifest["roles"], manifest.get("kinds", {})),
        ("method", method_words(manifest["method"])),
        *([("preset", _preset(manifest["preset"]))] if "preset" in manifest else []),
        *([("changed", changed)] if (changed := _changed(manifest["options"])) else []),
        ("asked for", ", ".join(model_words(model) for model in manifest["privacy"])),
        *([("searched", _searched(manifest["searched"]))] if "searched" in manifest and may.losses else []),
        ("rows", _rows(manifest, verification, may)),
        ("classes", _classes(verification.classes, loss.classes)),
        ("achieved", _achieved(verification)),
        *(_losses(loss, bound, optimality) if may.losses else [("loss", may.not_told)]),
        *_ends(manifest.get("singling_out", {}) if may.original else {}, verification.rows),
        *([("not looked at", _unseen(manifest["not_looked_at"]))] if "not_looked_at" in manifest else []),
        *Grounds.recorded(manifest.get("grounds", {})).facts(verification.ok),
        # How long it took says how many rows there were, and a caution that there is a row to caution about.
        ("cautions", WITHHELD) if may.private else ("seconds", f"{manifest['seconds']['total']:.2f}"),
    ]


def _rows(manifest: Mapping[str, Any], verification: Verification, may: Reportable) -> str:
    """Say how many rows are released and how many are not, as far as that may be published."""
    rows, gone = manifest["input"]["rows"], manifest["suppressed"]["total"]
    if not may.losses:
        return f"{verification.rows:,} released, {may.few} suppressed"
    return (
        f"{verification.rows:,} released of {_rows_in(manifest['input'])}, {gone:,} suppressed ({_share(gone, rows)})"
    )


def _losses(loss: LossReport, bound: Bound | None, optimality: object) -> list[tuple[str, str]]:
    return [
        ("GCP", f"{loss.gcp:.4f}   (0 nothing lost, 1 everything)"),
        *([("bound", _bound(loss.gcp, bound))] if bound else []),
        ("DM", f"{loss.dm:,.0f}"),
        ("C_AVG", f"{loss.c_avg:.3f}"),
        *([("optimality", str(optimality))] if optimality is not None else []),
        ("lost most", _worst(loss)),
    ]


def _preset(preset: Mapping[str, Any]) -> str:
    """Say what a preset did to which columns."""
    dropped = [f"dropped {name}: {what}" for name, what in preset["dropped"].items()]
    recoded = [f"{name}: {how}" for name, how in preset["recoded"].items()]
    census = [f"zip codes by the census of {preset['census']}"] if "census" in preset else []
    return "; ".join([preset["title"], *dropped, *recoded, *census])


def _classes(seen: int, made: int) -> str:
    """Say how many classes a reader can distinguish and how many were made, which DM and C_AVG count."""
    return f"{seen:,}" if seen == made else f"{seen:,} different, of {made:,} made"


def _changed(options: Mapping[str, Any]) -> str:
    """The changes to columns before any model looked at them."""
    sample = options.get("sample")
    share = sample.get("share") if isinstance(sample, Mapping) else sample
    by = f" by {sample['by']}" if isinstance(sample, Mapping) else ""
    parts = [f"a sample of {share:.3g} of all rows or people{by}"] if share is not None else []
    parts += [f"{column} ({how['kind']})" for column, how in options.get("transform", {}).items()]
    parts += [f"{column} (pseudonyms, {how['kind']})" for column, how in options.get("pseudonymize", {}).items()]
    return ", ".join(parts)


def role_facts(roles: Mapping[str, str], kinds: Mapping[str, str]) -> list[tuple[str, str]]:
    """Which columns have which role."""
    titles = {
        "quasi-identifier": "quasi-identifiers",
        "sensitive": "sensitive",
        "plain": "plain",
        "person": "person",
        "weight": "weights",
        "identifier": "dropped",
        "drop": "dropped",
    }
    names: dict[str, list[str]] = {}
    for name, role in roles.items():
        names.setdefault(titles[role], []).append(name)
    return [(title, _with_kinds(names[title], kinds)) for title in dict.fromkeys(titles.values()) if title in names]


def _with_kinds(names: Sequence[str], kinds: Mapping[str, str]) -> str:
    """Join names with the kind that each column was read as; many columns of one kind name it once."""
    found = {kinds.get(name) for name in names}
    if len(names) > 3 and len(found) == 1 and None not in found:
        return f"{_names(names)} (each a {found.pop()})"
    return _names([f"{name} ({kinds[name]})" if name in kinds else name for name in names])


def caution_facts(cautions: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """What was found and what to do; of many cautions of one kind, only the first ones."""
    lines: list[tuple[str, str]] = []
    seen: Counter[str] = Counter()
    for caution in cautions:
        seen[caution["code"]] += 1
        if seen[caution["code"]] <= CAUTIONS_SHOWN:
            known = " (confirmed)" if caution["confirmed"] else ""
            lines += [(caution["severity"], f"{caution['code']}{known}: {caution['found']}"), ("", caution["advice"])]
    more = [f"{count - CAUTIONS_SHOWN} {code}" for code, count in seen.items() if count > CAUTIONS_SHOWN]
    return [*lines, *([("more", f"{', '.join(more)}: all of them are in the manifest")] if more else [])]


def _names(names: Sequence[str]) -> str:
    """Join names; of thousands of columns, the first ones and how many more there are."""
    if len(names) <= NAMES_SHOWN:
        return ", ".join(names)
    return ", ".join(names[:NAMES_SHOWN]) + f" and {len(names) - NAMES_SHOWN:,} more"


def method_words(method: Mapping[str, Any]) -> str:
    """Describe a method with its parameters, from its plain values."""
    given = {name: value for name, value in method["parameters"].items() if value is not None}
    start = given.pop("method", None)
    name = f"{method_words(start)}, {method['name']}" if isinstance(start, Mapping) else str(method["name"])
    parameters = ", ".join(f"{parameter}={value!r}" for parameter, value in given.items())
    chosen = f", which chose {method['chosen']}" if "chosen" in method else ""
    return (f"{name} ({parameters})" if parameters else name) + chosen


def model_words(model: Mapping[str, Any]) -> str:
    """Describe a privacy model with its parameters, from its plain values."""
    parameters = {name: f"{value:g}" if isinstance(value, float) else value for name, value in model.items()}
    values = ", ".join(f"{name}={value}" for name, value in parameters.items() if name != "model")
    return f"{model['model']} ({values})"


def _achieved(verification: Verification) -> str:
    parts = [f"k={verification.k}" if verification.k is not None else "no rows"]
    for name, column in verification.achieved.sensitive.items():
        if column.frequency_l is not None and column.t is not None:
            parts.append(
                f"{name}: l={column.frequency_l:.2f} (distinct {column.distinct_l}, entropy {column.entropy_l:.2f}), "
                f"t={column.t:.3f}"
            )
    return "; ".join(parts)


def _searched(searched: Mapping[str, Any]) -> str:
    """Describe the search for the largest k or l: the limit on the loss, and every try with its loss."""
    tried = ", ".join(f"{searched['maximize']}={value:,} {loss:.4f}" for value, loss in searched["curve"])
    return f"the largest {searched['maximize']} with a GCP of at most {searched['max_gcp']:g}; tried: {tried}"


def _bound(gcp: float, bound: Bound) -> str:
    """Compare the loss with the lower bound, where their ratio is informative."""
    sure = "" if bound.sampled is None else f", with {bound.confidence:.0%} confidence from {bound.sampled:,} rows"
    if gcp > FARTHEST * bound:
        return f"{bound:.4f}   (no release can lose less{sure}; too close to 0 to judge this one by)"
    if bound.certified and gcp < 2 * bound:
        above = f"at most {gcp / bound - 1:.1%} above the least possible, proven"
        return f"{bound:.4f}   (no release can lose less; this one is {above})"
    return f"{bound:.4f}   (no release can lose less{sure}; this one loses {gcp / bound:.1f} times that)"


def _unseen(codes: Sequence[str]) -> str:
    """List the cautions that were not checked, since they need all rows in memory."""
    return f"{', '.join(codes)}, and who is alone at an end of an interval: that takes all rows together"


def _ends(found: Mapping[str, Any], rows: int) -> list[tuple[str, str]]:
    """Say in how many classes with intervals exactly one person has the value at an end."""
    intervals = found.get("classes_with_intervals", 0)
    if not intervals:
        return []
    about = "about " if "sampled_classes" in found else ""
    share, of_rows = found["share"], _share(found["rows"], rows)
    where = f"in {about}{share:.0%} of the {intervals:,} classes with intervals ({of_rows} of rows)"
    return [("ends", f"{where}, exactly one person has the value at an end")]


def _worst(loss: LossReport) -> str:
    ranked = sorted(loss.by_attribute.items(), key=lambda item: -item[1])[:3]
    return ", ".join(f"{name} {share:.1%}" for name, share in ranked)


def _rows_in(about: Mapping[str, Any]) -> str:
    """Say how many rows came in, and from how many they were drawn."""
    drawn_from = about.get("drawn_from")
    return f"{about['rows']:,}" + ("" if drawn_from is None else f" drawn from {drawn_from:,}")


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2%}" if whole else "0%"
