"""iDistance, against its definition."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers import encoded_column, microdata_strategy

import sfumato as sf
from sfumato.errors import ParameterError
from sfumato.methods import IDistance
from sfumato.methods.linear.hilbert import curve_keys, positions
from sfumato.methods.linear.idistance import DISTANCE_BITS, CodePositions, NearestCentre
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def places(microdata: Microdata) -> np.ndarray:
    """Where every row lies in the unit cube."""
    columns = zip(microdata.domains, microdata.codes.T, strict=True)
    return np.stack([positions(domain)[codes] for domain, codes in columns], axis=1)


def split(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place of the centre, and the distance to it as a share of the cube's diagonal."""
    centre = keys[0] >> np.uint64(DISTANCE_BITS)
    distance = keys[0] & np.uint64(2**DISTANCE_BITS - 1)
    return centre.astype(np.int64), distance.astype(np.float64) / (2**DISTANCE_BITS - 1)


@given(microdata_strategy(rows=(1, 60)), st.integers(1, 9), st.integers(0, 99))
def test_every_row_finds_its_nearest_centre(microdata: Microdata, count: int, seed: int) -> None:
    centres = np.random.default_rng(seed).random((len(microdata.domains), count)).astype(np.float32)
    nearest, squared = CodePositions.of(microdata).nearest(microdata.codes, centres)
    away = np.linalg.norm(places(microdata)[:, None, :] - centres.T.astype(np.float64)[None], axis=2)
    assert np.sqrt(squared) == pytest.approx(away.min(axis=1), abs=1e-5)
    assert away[np.arange(len(away)), nearest] == pytest.approx(away.min(axis=1), abs=1e-5)


@given(microdata_strategy(rows=(2, 60)), st.integers(1, 9))
def test_a_key_is_the_place_of_the_centre_and_then_the_distance_to_it(microdata: Microdata, count: int) -> None:
    mapping = NearestCentre(centres=count, sample=1.0)
    space = CodePositions.of(microdata)
    centres = mapping._ordered(mapping._find_centres(microdata.codes, space, rng()))
    centre, share = split(mapping.keys(microdata, rng()))
    away = np.linalg.norm(places(microdata)[:, None, :] - centres.T.astype(np.float64)[None], axis=2)
    diagonal = np.sqrt(len(microdata.domains))
    assert share * diagonal == pytest.approx(away.min(axis=1), abs=1e-5)
    assert away[np.arange(len(away)), centre] == pytest.approx(away.min(axis=1), abs=1e-5)


def test_the_ranges_of_two_centres_never_overlap() -> None:
    # The two ends of the cube: the farthest that a row can be from a centre, in as many attributes as one likes.
    ends = {f"c{at}": pa.array([0, 1]) for at in range(9)}
    microdata = encode(pa.table(ends), dict.fromkeys(ends, sf.Numeric()))
    centre, share = split(NearestCentre(centres=1, sample=1.0).keys(microdata, rng()))
    assert centre.tolist() == [0, 0]
    assert (share <= 1).all()
    people = sf.datasets.census(rows=3000, seed=1).without_levels()
    microdata = encode(people.table, people.schema.quasi_identifiers, [])
    keys = NearestCentre(centres=40).keys(microdata, rng())[0]
    centre, _ = split(keys[None])
    by_key = centre[np.argsort(keys, kind="stable")]
    assert (np.diff(by_key) >= 0).all()
    assert len(set(centre.tolist())) == 40


def test_centres_stand_in_the_order_of_the_curve() -> None:
    people = sf.datasets.census(rows=3000, seed=1).without_levels()
    microdata = encode(people.table, people.schema.quasi_identifiers, [])
    mapping = NearestCentre(centres=50, bits=9)
    centres = mapping._ordered(mapping._find_centres(microdata.codes, CodePositions.of(microdata), rng()))
    cells = np.rint(centres.T.astype(np.float64) * 511).astype(np.uint32)
    keys = curve_keys(cells, [np.arange(512)] * cells.shape[1], 9)
    assert np.lexsort(keys[::-1]).tolist() == list(range(50))


def test_centres_are_the_middles_of_what_is_near_them() -> None:
    # Three clouds far apart: centres that start anywhere among them end in their middles.
    clouds = np.concatenate([np.arange(0, 10), np.arange(500, 510), np.arange(990, 1001)])
    microdata = encoded_column(pa.array(clouds))
    for seed in range(20):
        generator = np.random.default_rng(seed)
        mapping = NearestCentre(centres=3, sample=1.0)
        centres = np.sort(mapping._find_centres(microdata.codes, CodePositions.of(microdata), generator)[0])
        nearest = np.abs(clouds[:, None] / 1000 - centres).argmin(axis=1)
        middles = [clouds[nearest == at].mean() / 1000 for at in range(3)]
        assert centres == pytest.approx(middles, abs=0.02)


def test_the_sample_decides_how_many_rows_are_asked() -> None:
    microdata = encoded_column(pa.array(np.arange(1000)))
    asked = []

    class Counting(CodePositions):
        def nearest(self, codes: np.ndarray, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            asked.append(len(codes))
            return super().nearest(codes, centres)

    space = CodePositions.of(microdata)
    for share, rows in [(0.1, 100), (0.5, 500), (1.0, 1000)]:
        asked.clear()
        NearestCentre(centres=8, sample=share)._find_centres(microdata.codes, Counting(space.flat, space.at), rng())
        assert set(asked) == {rows}


def test_512_centres_from_a_tenth_of_the_rows() -> None:
    assert IDistance().make_mapping() == NearestCentre(centres=512, sample=0.1, bits=12)


@pytest.mark.parametrize("wrong", [{"centres": 0}, {"sample": 0.0}, {"sample": 1.5}, {"bits": 0}])
def test_what_makes_no_sense_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        IDistance(**wrong)
