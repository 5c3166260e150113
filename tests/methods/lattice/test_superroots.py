"""Which roots share a scan: never at more than scanning for each of them, nor than once for all."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import task_of
from tests.methods.lattice.brute_force import all_answers, tables

from sfumato.methods.lattice.incognito import LONG_COST, SHORT, Incognito, share_scans
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.privacy import KAnonymity
from sfumato.table.microdata import Microdata

Levels = tuple[int, ...]


def any_share(levels: Levels) -> float:
    """Return some share of the rows for a node, the same whenever it is asked for."""
    return (zlib.crc32(bytes(levels)) % 1000) / 999


def cost(lowest: Levels, roots: int) -> float:
    share = any_share(lowest)
    return (LONG_COST if share >= SHORT else 1.0) + (roots * share if roots > 1 else 0.0)


@given(family=st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=12, unique=True))
def test_groups_part_the_family_and_cost_no_more_than_scanning_for_each_root_or_once(family: list[Levels]) -> None:
    groups = share_scans(family, any_share)
    assert sorted(root for group in groups for root in group.roots) == sorted(family)
    for group in groups:
        assert group.lowest == tuple(min(levels) for levels in zip(*group.roots, strict=True))
    spent = sum(cost(group.lowest, len(group.roots)) for group in groups)
    below_all = tuple(min(levels) for levels in zip(*family, strict=True))
    assert spent <= min(sum(cost(root, 1) for root in family), cost(below_all, len(family))) + 1e-9


def test_roots_that_are_far_apart_get_super_roots_of_their_own() -> None:
    near_one, near_other = [(0, 4), (1, 3)], [(4, 0), (3, 1)]

    def share(levels: Levels) -> float:
        return 0.9 if sum(levels) < 3 else 0.01

    groups = share_scans([*near_one, *near_other], share)
    assert {(group.lowest, frozenset(group.roots)) for group in groups} == {
        ((0, 3), frozenset(near_one)),
        ((3, 0), frozenset(near_other)),
    }


@settings(max_examples=examples(40))
@given(microdata=tables(), k=st.integers(2, 4))
def test_whatever_is_shared_the_answers_are_the_same(microdata: Microdata, k: int) -> None:
    task = task_of(microdata, (KAnonymity(min(k, len(microdata))),), 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NodeJudge, "share_of_rows", lambda self, levels: any_share(levels))
        found = Incognito(variant="superroots").run(task)
    assert found.details["alternatives"].answers == all_answers(task)
