"""Every model on a table of a few rows whose figures are worked out by hand, by its definition as ARX has it.

Each case is a release, a model that it just keeps and one that it just misses, and the sum that says so. The readable
form judges the classes, the verifying form the table.
"""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.privacy.base import PrivacyModel
from sfumato.privacy.whole_release import WholeModel, WholeRelease
from sfumato.run.build import promise_of
from sfumato.table.encoding import encode
from sfumato.table.recoding import EquivalenceClasses, Recoding
from sfumato.table.schema import Schema
from sfumato.verify.release import verify_release

#: Two classes: x with 4 rows, y with 2. In the table flu has 3 of 6, ulcer 2, angina 1.
SICK = pa.table({"q": list("xxxxyy"), "s": ["flu", "flu", "ulcer", "angina", "flu", "ulcer"]})
#: Pay 1 to 8, the lower half in x.
PAY = pa.table({"q": list("xxxxyyyy"), "s": [1, 2, 3, 4, 5, 6, 7, 8]})
#: Three people in x, two in y, one in z; of the population 5, 4 and 1 fit these.
SIX = pa.table({"q": list("xxxyyz")})
TEN = pa.table({"q": list("xxxxxyyyyz")})
TREE = sf.Taxonomy([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "gut", "*"], ["colitis", "gut", "*"]])
#: flu and asthma in x, ulcer and colitis in y.
TREES = pa.table({"q": list("xxyy"), "s": ["flu", "asthma", "ulcer", "colitis"]})
#: The widths of what is shown are 9 and 4.
SPANS = pa.table({"q": ["[20, 29]", "[20, 29]", "[30, 34]", "[30, 34]"]})

KEPT_AND_MISSED: dict[str, tuple[pa.Table, PrivacyModel, PrivacyModel]] = {
    # the smaller class has 2 rows
    "k-anonymity": (SICK, sf.KAnonymity(2), sf.KAnonymity(3)),
    # x: flu 2 of 4; y: flu 1 of 2; the largest share is 1/2
    "frequency l": (SICK, sf.LDiversity(2), sf.LDiversity(2.1)),
    # y shows two different illnesses
    "distinct l": (SICK, sf.LDiversity(2, kind="distinct"), sf.LDiversity(3, kind="distinct")),
    # x: -(1/2 ln 1/2 + 1/4 ln 1/4 + 1/4 ln 1/4) = 1.5 ln 2, which is ln 2.83; y: ln 2. The smaller is 2.
    "entropy l": (SICK, sf.LDiversity(2, kind="entropy"), sf.LDiversity(2.01, kind="entropy")),
    # r1 < c (r2 + ... ), l = 2: x: 2 < c (1 + 1), so c > 1; y: 1 < c * 1, so c > 1
    "recursive l": (SICK, sf.LDiversity(2, kind="recursive", c=1.01), sf.LDiversity(2, kind="recursive", c=1)),
    # table (3, 2, 1)/6. x (2, 1, 1)/4: (0 + 1/12 + 1/12)/2 = 1/12. y (1, 1, 0)/2: (0 + 1/6 + 1/6)/2 = 1/6
    "equal t": (SICK, sf.TCloseness(0.167), sf.TCloseness(0.166)),
    # x has 1/4 each of ranks 1-4, the table 1/8 each of 1-8. Sums of differences from below: 1/8, 2/8, 3/8, 4/8, 3/8,
    # 2/8, 1/8: together 16/8 = 2, by 7 steps: 2/7 = 0.2857
    "ordered t": (PAY, sf.TCloseness(0.286, distance="ordered"), sf.TCloseness(0.285, distance="ordered")),
    # the same by values instead of ranks, which are as far apart here
    "numeric t": (PAY, sf.TCloseness(0.286, distance="numeric"), sf.TCloseness(0.285, distance="numeric")),
    # x has all of lungs, the table half: 1/2 must move from lungs to gut, over the root at height 2 of 2: 1/2 * 2/2
    "hierarchical t": (
        TREES,
        sf.TCloseness(0.5, distance="hierarchical", taxonomy=TREE),
        sf.TCloseness(0.49, distance="hierarchical", taxonomy=TREE),
    ),
    # x: angina 1/4 against 1/6: (1/4 - 1/6)/(1/6) = 1/2; y: ulcer 1/2 against 1/3: 1/2
    "basic beta": (SICK, sf.BetaLikeness(0.5), sf.BetaLikeness(0.49)),
    # the same, but not above -ln of the share in the table: flu, -ln 1/2 = 0.69, has gained nothing; 1/2 is the largest
    "enhanced beta": (SICK, sf.BetaLikeness(0.5, kind="enhanced"), sf.BetaLikeness(0.49, kind="enhanced")),
    # a 2 and b 1 of 3 against 1/2 each: log2 4/3 = 0.415 and |log2 2/3| = 0.585; in the other class the same
    "delta disclosure": (
        pa.table({"q": list("xxxyyy"), "s": list("aababb")}),
        sf.DeltaDisclosure(0.586),
        sf.DeltaDisclosure(0.584),
    ),
    # the narrower interval is 4 wide
    "minimum-span": (SPANS, sf.MinimumSpan("q", 4), sf.MinimumSpan("q", 4.1)),
    # three classes by six people: 3/6
    "average risk": (SIX, sf.AverageRisk(0.5), sf.AverageRisk(0.49)),
    # z: one of six
    "unique share": (SIX, sf.UniqueShare(0.167), sf.UniqueShare(0.166)),
    # the fewest people fit z: 1
    "k-map": (SIX, sf.KMap(1, population=TEN), sf.KMap(2, population=TEN)),
    # x 3/5, y 2/4, z 1/1
    "delta presence": (SIX, sf.DeltaPresence(0.5, 1, population=TEN), sf.DeltaPresence(0.51, 1, population=TEN)),
    # (3 * 1/5 + 2 * 1/4 + 1 * 1/1) / 6 = 2.1/6 = 0.35
    "marketer risk": (SIX, sf.MarketerRisk(0.35, population=TEN), sf.MarketerRisk(0.349, population=TEN)),
    # z is one person of six, and nobody else fits
    "population uniques, table": (
        SIX,
        sf.PopulationUniques(0.167, population=TEN),
        sf.PopulationUniques(0.166, population=TEN),
    ),
    # 6 of 12 people, so Zayatz or the slide model, which is larger here. The chances that one of a class of 1, 2 or 3
    # is drawn: C(11,5)/C(12,6) = 462/924, 2 C(10,5)/924 = 504/924, 3 C(9,5)/924 = 378/924. With one class of each size
    # 462/1344 of those seen once have one member. One class was seen once, in half of the people: 2 * 462/1344 = 0.6875
    # people, which is 0.0573 of 12.
    "population uniques, Zayatz": (
        SIX,
        sf.PopulationUniques(0.0573, population=12),
        sf.PopulationUniques(0.0572, population=12),
    ),
}


def by_readable_form(table: pa.Table, model: PrivacyModel) -> bool:
    """Return whether every class of a table keeps a model."""
    shown = table.column("q").combine_chunks().dictionary_encode()
    classes = np.asarray(shown.indices, np.int32)
    if isinstance(model, WholeModel):
        return model.kept_by(
            WholeRelease(np.bincount(classes), pa.table({"q": shown.dictionary}), {"q": sf.Categorical()})
        )
    if isinstance(model, sf.MinimumSpan):
        ends = [float(end) for cell in shown.dictionary.to_pylist() for end in cell[1:-1].split(", ")]
        table = pa.table({"q": ends})
        classes = np.arange(len(ends), dtype=np.int32) // 2
    sensitive = [name for name in table.column_names if name == "s"]
    microdata = encode(table, {"q": None}, sensitive)
    found = EquivalenceClasses.of(microdata, Recoding(classes=classes))
    return all(bool(model.holds(rule, microdata, found).all()) for rule in model.bind(microdata))


@pytest.mark.parametrize("name", KEPT_AND_MISSED)
def test_what_is_worked_out_by_hand_is_what_all_forms_say(name: str) -> None:
    table, kept, missed = KEPT_AND_MISSED[name]
    for model, expected in ((kept, True), (missed, False)):
        assert by_readable_form(table, model) == expected
        promise = promise_of(model, Schema({"q": None}, [one for one in table.column_names if one == "s"]))
        sensitive = [one for one in table.column_names if one == "s"]
        assert verify_release(table, ["q"], sensitive, [promise]).ok == expected


def test_a_value_that_a_class_lacks_breaks_delta_disclosure_whatever_delta_is() -> None:
    assert not by_readable_form(SICK, sf.DeltaDisclosure(100))
    assert not verify_release(SICK, ["q"], ["s"], [sf.DeltaDisclosure(100).to_policy()]).ok


def test_zayatz_by_hand() -> None:
    from sfumato.privacy.estimators import SampleSizes, zayatz  # noqa: PLC0415

    seen = [size * math.comb(12 - size, 5) / math.comb(12, 6) for size in (1, 2, 3)]
    assert zayatz(SampleSizes.of(np.array([1, 2, 3]), 12)) == pytest.approx(2 * seen[0] / sum(seen))
