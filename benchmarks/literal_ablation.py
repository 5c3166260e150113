"""What Sfumato's methods do beyond their papers, one cause at a time: losses as multiples of the papers' own.

``mondrian_causes`` and ``diversity_causes`` give the losses behind the ratios for any table, for figures.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

import sfumato as sf
from benchmarks.lattice_data import first, lands_end
from benchmarks.lattice_data import task as k_task
from benchmarks.linear import census, gcp, task
from benchmarks.literal.enum_multi import LiteralEnumMulti
from benchmarks.literal.lattice import ScanningSamarati, WholeFamilies
from benchmarks.literal.linear import LiteralDiversity
from benchmarks.literal.mondrian import ABLATION
from benchmarks.measure import ADULT, NO_ADULT, Result, ratio
from sfumato.methods import EnumMulti, Incognito, Method, Mondrian, Samarati
from sfumato.methods.linear.diversity import hardest_rule
from sfumato.methods.linear.hilbert import HilbertCurve
from sfumato.methods.linear.row_order import sorted_line
from sfumato.methods.linear.runs import cut_by_groups
from sfumato.privacy import KAnonymity, LDiversity, MinimumSpan, PrivacyModel
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import Recoding

#: So much of Lands End is enough to see who reads the table how often.
LANDS_END_ROWS = 460_000


def run() -> Iterator[Result]:
    for name, table in {"census": census(20_000), "Adult": adult()}.items():
        if table is None:
            yield NO_ADULT
            continue
        yield from relative(f"{name}, k=10: GCP of Mondrian,", mondrian_causes(table, KAnonymity(10)))
        yield from relative(f"{name}, l=6: GCP of l-diverse Hilbert,", diversity_causes(table, 6))
    yield from searches(first(lands_end(LANDS_END_ROWS), 5))
    yield from block_lengths()


def relative(name: str, losses: dict[str, float]) -> Iterator[Result]:
    """Yield losses as multiples of the first, which is the paper's own."""
    paper = next(iter(losses.values()))
    for cause, loss in losses.items():
        yield Result(f"{name} {cause}", loss / paper, note=f"{loss:.4f}")


def mondrian_causes(table: Microdata, *models: PrivacyModel) -> dict[str, float]:
    """The GCP of Mondrian to the letter, with each of Sfumato's differences alone, and with both."""
    job = task(table, *models)
    return {cause: gcp(table, method.run(job)) for cause, method in ABLATION.items()}


def diversity_causes(table: Microdata, l: float) -> dict[str, float]:  # noqa: E741
    """The GCP of groups on the Hilbert curve: without and with Figure 9, Sfumato's, and its best of all."""
    job = task(table, LDiversity(l))
    hardest = hardest_rule(job.requirements)
    assert hardest is not None
    ours = cut_by_groups(sorted_line(job, HilbertCurve()), job.requirements, hardest)
    return {
        "to the letter": gcp(table, LiteralDiversity().run(job)),
        "without Figure 9": gcp(table, LiteralDiversity(extend=False).run(job)),
        "only critical values from afar": gcp(table, Recoding(classes=ours.classes)),
        "groups or runs, as in Sfumato": gcp(table, sf.Hilbert().run(job)),
        "Mondrian, for comparison": gcp(table, Mondrian().run(job)),
    }


def adult() -> Microdata | None:
    if not ADULT.exists():
        return None
    dataset = sf.datasets.adult(ADULT).without_levels()
    names = [name for name in dataset.hierarchies if name != "occupation"]
    return encode(dataset.table, {name: dataset.hierarchies[name] for name in names}, ["occupation"])


def searches(table: Microdata) -> Iterator[Result]:
    """Time Sfumato's searches against those of Incognito's paper, which find the same."""
    job, name = k_task(table, 2), f"Lands End, {len(table):,} rows, {len(table.domains)} attributes"
    pairs: list[tuple[str, Method, Method]] = [
        ("super-roots over whole families", Incognito("superroots"), WholeFamilies()),
        ("binary search, rolled up over scanned", Samarati(), ScanningSamarati()),
        ("materialized sets over cube", Incognito("materialized"), Incognito("cube")),
        ("materialized sets over super-roots", Incognito("materialized"), Incognito("superroots")),
    ]
    for text, ours, theirs in pairs:
        value, *times = ratio(lambda method=ours: method.run(job), lambda method=theirs: method.run(job), repeat=2)
        scans = [method.run(job).details["search"].scans for method in (ours, theirs)]
        note = f"{times[0]:.2f} s / {times[1]:.2f} s; scans {scans[0]} / {scans[1]}"
        yield Result(f"{name}: {text}", value, note=note)


def block_lengths() -> Iterator[Result]:
    """Compare lengths of what is shown with lengths of blocks, and both rules for approximate answers."""
    points = sf.datasets.simple_normal(2_000).table
    table = encode(pa.table({name: points.column(name) for name in ("x", "y")}), {"x": None, "y": None})
    for length in (5.0, 10.0, 20.0):
        shown = EnumMulti(splits=4).run(task(table, KAnonymity(20), MinimumSpan("x", length), MinimumSpan("y", length)))
        letter = LiteralEnumMulti(splits=4, lengths={"x": length, "y": length}, time_limit=20)
        blocks = letter.run(task(table, KAnonymity(20))).details["optimality"]
        cost = shown.details["optimality"].cost / blocks.cost
        yield Result(f"in the plane, 4 × 4 splits, length {length:g}: DM, shown over block", cost, note=blocks.ended)
    for c in (1.5, 3.0):
        mine = LiteralEnumMulti(splits=3, gap=c - 1, time_limit=20).run(task(table, KAnonymity(20)))
        theirs = LiteralEnumMulti(splits=3, approximation=c, time_limit=20).run(task(table, KAnonymity(20)))
        counts = [found.details["optimality"].nodes for found in (mine, theirs)]
        yield Result(f"in the plane, 3 × 3 splits, c = {c:g}: partitions, ours over paper's", counts[0] / counts[1])
