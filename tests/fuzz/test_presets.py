"""Whatever is asked under a preset, nothing that it forbids comes out. See `tests.fuzz.presets`."""

from __future__ import annotations

from collections import Counter

from tests.fuzz.duration import rounds
from tests.fuzz.presets import attempt


def test_presets_keep_their_promises():
    counts = Counter(attempt(rng.randrange(2**40)) for rng in rounds())
    assert counts["released"] >= 1
