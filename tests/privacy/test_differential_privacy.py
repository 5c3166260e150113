"""Differential privacy: its k against the definition in fractions, its refusals, and the privacy loss of real runs."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

import sfumato as sf
from sfumato.cli.anonymize import record
from sfumato.cli.files import ReleaseFiles
from sfumato.engines import DuckDB, search_in_place
from sfumato.errors import ParameterError
from sfumato.hierarchies import KINDS
from sfumato.methods import PrivateLevels, Task
from sfumato.methods.lattice import private_levels
from sfumato.privacy import Requirements
from sfumato.privacy.differential_privacy import best_beta, largest_beta, least_class
from sfumato.release.notebook import page_of
from sfumato.run.policy import method_from_policy
from sfumato.table.encoding import encode
from sfumato.table.frequency import group_rows
from sfumato.verify.differential_privacy import check_private, smallest_class

PEOPLE = pa.table({"age": [20 + at % 50 for at in range(4_000)], "sex": ["f", "m"] * 2_000})
ENGINES = ("memory", "duckdb")
COLUMNS = {"age": sf.Numeric(widths=(10, 20)), "sex": sf.Categorical()}


@pytest.mark.parametrize(("epsilon", "k"), [(0.5, 63), (1, 74), (2, 131), (3, 271)])
def test_the_k_that_a_millionth_asks_for(epsilon, k):
    assert sf.DifferentialPrivacy(epsilon, 1e-6).k == k


def shrinking(epsilon):
    """e^-ε to 60 digits."""
    with localcontext(prec=60):
        return Fraction(Decimal(-epsilon).exp())


def chance_beyond(rows, beta, gamma):
    """The chance that more than γ·n of n rows are drawn."""
    least = math.floor(gamma * rows) + 1
    return sum(math.comb(rows, j) * beta**j * (1 - beta) ** (rows - j) for j in range(least, rows + 1))


def delta_of(k, epsilon, beta, furthest=70):
    """δ(k) as defined, over every number of rows up to one beyond which nothing matters here."""
    gamma = 1 - (1 - beta) * shrinking(epsilon)
    return max(chance_beyond(rows, beta, gamma) for rows in range(math.ceil(k / gamma) - 1, furthest) if rows)


@settings(max_examples=examples(60), deadline=None)
@given(
    epsilon=st.sampled_from([0.5, 1.0, 1.5]),
    delta=st.sampled_from([0.2, 0.05, 0.02]),
    part=st.integers(2, 8),
)
def test_the_least_k_by_its_definition_in_fractions(epsilon, delta, part):
    beta = math.floor(largest_beta(epsilon) * part * 8) / 64
    k = least_class(epsilon, delta, beta)
    exact = Fraction(beta)
    assert delta_of(k, epsilon, exact) <= Fraction(delta)
    assert k == 1 or delta_of(k - 1, epsilon, exact) > Fraction(delta)
    assert smallest_class(epsilon, delta, beta) == k


@settings(max_examples=examples(100), deadline=None)
@given(epsilon=st.floats(0.01, 4), delta=st.floats(1e-9, 0.1), part=st.floats(0.05, 1))
def test_the_verifier_computes_the_same_k_in_its_own_way(epsilon, delta, part):
    beta = largest_beta(epsilon) * part
    assert smallest_class(epsilon, delta, beta) == least_class(epsilon, delta, beta)


def test_a_smaller_chance_lets_smaller_groups_survive():
    best = best_beta(1.0, 1e-6)
    assert least_class(1.0, 1e-6, best) / best < 0.6 * 74 / largest_beta(1.0)
    assert sf.DifferentialPrivacy(1.0, 1e-6, beta="best").beta == pytest.approx(best)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_release_has_large_classes_of_drawn_rows_and_a_record_of_its_grounds(engine):
    model = sf.DifferentialPrivacy(1, 1e-3, for_levels=0.1)
    release = sf.anonymize(PEOPLE, quasi_identifiers=COLUMNS, privacy=model, engine=engine)
    assert release.verification.ok
    assert release.verification.k >= release.manifest["privacy"][0]["epsilon"] * 30
    assert release.table.num_rows < 0.75 * PEOPLE.num_rows
    assert release.table.num_rows + release.manifest["suppressed"]["by_method"] == PEOPLE.num_rows
    assert release.manifest["method"]["name"] == "private-levels"
    assert any("property of the procedure" in one for one in release.manifest["grounds"]["assumed"])


def at_levels(engine="memory", data=PEOPLE):
    return sf.recode(
        data,
        quasi_identifiers=COLUMNS,
        levels={"age": 2, "sex": 0},
        privacy=sf.DifferentialPrivacy(1, 1e-3),
        engine=engine,
    )


SCALES = {"numeric": sf.Numeric(widths=(10, 20)), "bands": sf.Bands([30, 50]), "halves": sf.Bands([30.5])}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("odd", ["", "20.5"])
def test_one_odd_number_changes_no_label_of_others(odd, scale, engine, tmp_path):
    """Files and frames say by their values whether numbers are whole; labels may not."""
    whole = ["20", "30", "40", "50"] * 100
    shown = [_labels_of(column, SCALES[scale], engine, tmp_path) for column in ([*whole, "30"], [*whole, odd])]
    assert shown[0] == shown[1]
    frames = [
        pd.DataFrame({"age": [float(one or "nan") for one in [*whole, odd]]}),
        pd.DataFrame({"age": map(int, whole)}),
    ]
    assert [_labels_of(frame, SCALES[scale], engine, tmp_path) for frame in frames] == [shown[0]] * 2


@pytest.mark.parametrize("engine", ENGINES)
def test_one_odd_text_changes_no_label_of_others(engine, tmp_path):
    whole = ["1.50", "2.50", "03"] * 100
    shown = [_labels_of([*whole, odd], sf.Categorical(), engine, tmp_path, 0) for odd in ("1.50", "x")]
    assert shown == [{"1.50", "2.50", "03"}] * 2


def _labels_of(column, how, engine, folder, level=1):
    """All that is shown of a column, from a file or a frame, of groups that are large enough."""
    if isinstance(column, list):
        (folder / "people.csv").write_text("age,other\n" + "".join(f"{value},a\n" for value in column))
        column = folder / "people.csv"
    release = sf.recode(
        column,
        quasi_identifiers={"age": how},
        rest="drop",
        levels={"age": level},
        privacy=sf.DifferentialPrivacy(1, 1e-3),
        engine=engine,
    )
    return set(release.table.column("age").to_pylist())


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_too_long_for_fractions_are_refused(engine):
    codes = pa.table({"code": [2**60 + 1] * 400})
    asked = {"quasi_identifiers": {"code": sf.Numeric(widths=(10,))}, "levels": {"code": 1}, "engine": engine}
    with pytest.raises(sf.errors.DataError, match="'code' is read as numbers that may have fractions"):
        sf.recode(codes, privacy=sf.DifferentialPrivacy(1, 1e-3), **asked)


@pytest.mark.usefixtures("fresh_seeds")
@pytest.mark.parametrize("engine", ENGINES)
def test_two_releases_differ_since_nobody_can_replay_them(engine):
    assert len({at_levels(engine).table.num_rows for _ in range(4)}) > 1


@pytest.mark.parametrize("engine", ENGINES)
def test_what_may_be_published_tells_nothing_else_of_the_original(engine, tmp_path):
    rows, release = PEOPLE.num_rows, at_levels(engine)
    file = tmp_path / "release.csv"
    release.write(file)
    record = sf.certify(PEOPLE, release, file).record
    assert record["attacks"] == []
    assert all("withheld" in why for why in record["not_tried"].values())
    certificate, page = json.dumps(record), ""
    gone = rows - release.table.num_rows
    if engine == "memory":
        release.report(tmp_path / "report.html")
        page = (tmp_path / "report.html").read_text()
    for text in (release.summary(), page, certificate, repr(release)):
        assert f"{rows:,}" not in text
        assert f"{gone:,}" not in text
        assert f'"rows": {rows}' not in text
        assert f"{release.loss.gcp:.6g}" not in text
    assert "withheld" in release.summary()
    if page:
        assert "how sure somebody can be that a person is in the table" not in page
        assert "by more than a factor of 2.72, except with a chance of 0.001" in page
    assert sf.Certificate.read(_written(certificate, tmp_path)).check(file).ok


def test_two_originals_that_come_out_alike_are_published_alike(monkeypatch, tmp_path):
    """All that is published follows from the released rows: here all rows are drawn, and few of a kind are left out."""
    monkeypatch.setattr(private_levels, "WHOLE", 1)
    mixed = np.random.default_rng(1)
    ages, sexes = mixed.integers(20, 60, 4_000).tolist(), mixed.choice(["f", "m"], 4_000).tolist()
    said = [
        _published(
            pa.table({"age": ages + [age for age, _ in more], "sex": sexes + [sex for _, sex in more]}), tmp_path
        )
        for more in ([], [(81, "f")] * 2, [(95, "x")] * 3 + [(None, "f")] + [(17, None)] * 7, [(80, "NA"), (80, "F")])
    ]
    assert all(one == said[0] for one in said)
    assert "No row was left out" not in said[0][1]
    assert "before and after" not in said[0][1].lower()


def _published(table, folder):
    """What is said of a release, without what differs by the order of rows; a caution would need a row that is gone."""
    release = at_levels("memory", table)
    file, page = folder / "release.csv", folder / "report.html"
    release.write(file)
    release.report(page)
    certificate = sf.certify(table, release, file).record
    file.unlink()
    of_the_file = {"file", "digest"}
    told = {name: said for name, said in certificate.items() if name not in of_the_file}
    pages = [re.sub(r"<td>.*?</td>|<th .*?</th>", "", one) for one in (page.read_text(), page_of(release))]
    return release.summary(), *pages, told, record(release, ReleaseFiles("people.csv", file))


def _written(text, folder):
    path = folder / "certificate.json"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"seed": 1}, "seed"),
        ({"method": "mondrian"}, "depend on the data"),
        ({"sample": 0.5}, "'sample'"),
        ({"suppression": 0.1}, "up to chance"),
        ({"keep_order": True}, "'keep_order'"),
        ({"missing": "error"}, "missing="),
        ({"intervals": "mean"}, "'text' together with differential-privacy"),
        ({"intervals": "bounds"}, "'text' together with differential-privacy"),
        ({"preset": "hipaa-safe-harbor"}, "'preset'"),
        ({"quasi_identifiers": {"age": COLUMNS["age"]}, "plain": "sex"}, "'sex' would be released as it is"),
        ({"quasi_identifiers": {"age": COLUMNS["age"]}, "sensitive": "sex"}, "'sex' would be released as it is"),
        ({"quasi_identifiers": {"age": COLUMNS["age"]}, "rest": "plain"}, "rest='plain'"),
        ({"quasi_identifiers": {"age": COLUMNS["age"]}, "person": "sex"}, "protects rows"),
        ({"quasi_identifiers": COLUMNS | {"age": sf.Numeric()}}, "shape the levels of 'age'"),
        ({"quasi_identifiers": COLUMNS | {"age": sf.Quantiles(4)}}, "shape the levels of 'age'"),
        ({"quasi_identifiers": ["age", "sex"]}, "shape the levels of 'age', 'sex'"),
        ({"l": 2}, "l-diversity"),
        ({"weights": "sex", "quasi_identifiers": {"age": COLUMNS["age"]}}, "protects rows"),
        ({"pseudonymize": "sex", "quasi_identifiers": {"age": COLUMNS["age"]}}, "'pseudonymize'"),
        ({"transform": {"age": sf.Round(5)}}, "'transform'"),
        ({"refine": True}, "depend on the data"),
        ({"privacy": [sf.DifferentialPrivacy(1, 1e-3), sf.DifferentialPrivacy(1, 1e-4)]}, "another one"),
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_what_would_void_the_proof_is_refused(changed, said, engine):
    asked = {"quasi_identifiers": COLUMNS, "privacy": sf.DifferentialPrivacy(1, 1e-3, for_levels=0.1)}
    with pytest.raises(sf.errors.SfumatoError, match=said):
        sf.anonymize(PEOPLE, engine=engine, **asked | changed)


@pytest.mark.parametrize("intervals", ["mean", "midpoint", "bounds", "interval"])
def test_no_view_of_a_release_shows_more_than_its_labels(intervals):
    with pytest.raises(ParameterError, match="'text' together with differential-privacy"):
        at_levels().to_arrow(intervals=intervals)


@pytest.mark.parametrize("levels", [None, {"age": 2, "sex": 0}])
@pytest.mark.parametrize("engine", ENGINES)
def test_its_policy_makes_such_a_release_again(engine, levels, tmp_path):
    model = sf.DifferentialPrivacy(1, 1e-3, for_levels=0.1 if levels is None else 0)
    asked = {"quasi_identifiers": COLUMNS, "privacy": model, "engine": engine}
    release = sf.anonymize(PEOPLE, **asked) if levels is None else sf.recode(PEOPLE, levels=levels, **asked)
    release.policy.write(tmp_path / "policy.toml")
    again = sf.Policy.read(tmp_path / "policy.toml").run(PEOPLE)
    assert again.verification.ok
    assert again.manifest["privacy"] == release.manifest["privacy"]
    assert levels is None or again.level_names == release.level_names


@pytest.mark.parametrize("levels", [3, ["age"]])
def test_levels_of_a_policy_are_checked(levels):
    said = {"name": "private-levels", "levels": levels}
    with pytest.raises(ParameterError, match="a mapping of every quasi-identifier"):
        method_from_policy(said)


@pytest.mark.parametrize("engine", ENGINES)
def test_chance_is_not_explained(engine):
    with pytest.raises(ParameterError, match="chance decides which rows come out"):
        at_levels(engine).explain()


@pytest.mark.parametrize("engine", ENGINES)
def test_no_release_is_chosen_among_several_by_what_it_lost(engine):
    asked = {"quasi_identifiers": COLUMNS, "privacy": sf.DifferentialPrivacy(1, 1e-3, for_levels=0.1)}
    with pytest.raises(ParameterError, match="chooses among them by what they lost"):
        sf.strongest(PEOPLE, max_gcp=1, engine=engine, **asked)
    if engine == "memory":
        with pytest.raises(ParameterError, match="chooses among them by what they lost"):
            list(sf.frontier(PEOPLE, k=[5], **asked))


@pytest.mark.usefixtures("small_parts")
def test_the_number_of_files_follows_the_rows_that_come_out(tmp_path):
    """As many parts as the original has would tell how many rows it has."""
    release = at_levels("duckdb", pa.concat_tables([PEOPLE] * 20))
    assert release.manifest["parts"] == 3
    release.write(tmp_path / "release")
    assert len(list((tmp_path / "release").iterdir())) == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_levels_are_not_chosen_for_free(engine):
    with pytest.raises(ParameterError, match="costs a part of epsilon"):
        sf.anonymize(PEOPLE, quasi_identifiers=COLUMNS, privacy=sf.DifferentialPrivacy(1, 1e-3), engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("rows", "said"), [(20, "the table has too few"), (50, "Every row would have to be suppressed")]
)
def test_a_table_too_small_for_any_class_is_refused(engine, rows, said):
    with pytest.raises(sf.errors.InfeasibleError, match=said):
        at_levels(engine, PEOPLE.slice(0, rows))


def test_a_search_in_a_database_is_refused(tmp_path):
    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    model = sf.DifferentialPrivacy(1, 1e-3, for_levels=0.1)
    with pytest.raises(ParameterError, match="neither in a database nor"):
        search_in_place(DuckDB(tmp_path / "people.parquet"), quasi_identifiers=COLUMNS, privacy=model)


@pytest.mark.parametrize(
    ("epsilon", "delta", "more"),
    [(0, 1e-6, {}), (9, 1e-6, {}), (1, 0, {}), (1, 0.7, {}), (1, 1e-6, {"beta": 0.7}), (1, 1e-6, {"for_levels": 1}),
     (1, 1e-6, {"beta": "worst"}), (math.nan, 1e-6, {}), (1e-6, 1e-6, {}), (1, 1e-300, {}),
     (1, 1e-6, {"for_levels": 0.9999})],
)  # fmt: skip
def test_parameters_without_a_meaning_are_refused(epsilon, delta, more):
    with pytest.raises(ParameterError):
        sf.DifferentialPrivacy(epsilon, delta, **more)


#: Declarations of every kind that says it is fixed, and values of a type for which it does.
FIXED = {
    "numeric": (sf.Numeric(widths=(5, 10)), st.integers(-50, 150)),
    "bands": (sf.Bands([18, 65]), st.integers(-5, 120)),
    "capped": (sf.Capped([5, 10], bottom=10, top=90), st.integers(-5, 120)),
    "rounded": (sf.Rounded([10, 50]), st.integers(-5, 120)),
    "categorical": (sf.Categorical(), st.sampled_from("abcdef")),
    "ordered": (sf.Ordered(list("abcdef")), st.sampled_from("abcdef")),
    "prefix": (sf.Prefix(length=5, keep=(3, 1)), st.integers(0, 99_999).map(str)),
    "taxonomy": (sf.Taxonomy({"x": ["a", "b"], "y": ["c", "d", "e", "f"]}), st.sampled_from("abcdef")),
    "dates": (sf.Dates(levels=("month", "year")), st.dates()),
    "ages": (sf.Ages("2100-01-01", [5, 10], top=90), st.dates(max_value=sf.Ages("2100-01-01").at)),
    "weekdays": (sf.Weekdays(), st.dates()),
    "icd10": (sf.ICD10(), st.sampled_from(["J45.0", "J45.1", "J20", "C50.9", "A00"])),
    "isco": (sf.ISCO(), st.sampled_from(["2212", "2211", "31", "9"])),
    "nace": (sf.NACE(), st.sampled_from(["01.11", "62.01", "62.02", "84"])),
    "countries": (sf.Countries(), st.sampled_from(["IT", "FR", "JP", "US"])),
}


def test_every_kind_of_hierarchy_is_fixed_or_learned():
    learned = {"quantiles", "clusters", "within", "similar"}
    assert set(FIXED) | learned == set(KINDS)


@pytest.mark.parametrize("kind", FIXED)
@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_a_fixed_hierarchy_shows_a_value_alike_whatever_else_is_in_the_column(kind, data):
    how, values = FIXED[kind]
    some = data.draw(st.lists(values, min_size=1, max_size=8, unique=True))
    more = data.draw(st.lists(values, max_size=8, unique=True))
    alone, together = pa.array(some), pa.array(list(dict.fromkeys([*some, *more])))
    assert how.is_fixed(alone.type)
    shown = [_labels(how, column, data.draw(st.booleans())) for column in (alone, together)]
    assert list(shown[0]) == list(shown[1])
    for level in shown[0]:
        assert {value: shown[1][level][value] for value in some} == shown[0][level]


def _labels(how, column, has_missing):
    """What every level shows of every value."""
    domain, codes = how.fit("column", column, has_missing)
    return {
        level.name: {
            value: level.labels[int(level.groups[code])].as_py()
            for value, code in zip(column.to_pylist(), codes, strict=True)
        }
        for level in domain.levels
    }


@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_one_row_more_changes_the_chance_of_no_level_by_more_than_its_part(data):
    pair = st.tuples(st.integers(0, 30), st.sampled_from("fm"))
    rows = data.draw(st.lists(pair, min_size=5, max_size=40))
    model = sf.DifferentialPrivacy(1.0, 0.3, for_levels=0.5)
    odds = [_chances([*rows, *added], model) for added in ([], [data.draw(pair)])]
    assert odds[0].keys() == odds[1].keys()
    limit = (1 + Fraction(1, 10**50)) / shrinking(0.5)
    for node in odds[0]:
        assert odds[0][node] <= limit * odds[1][node]
        assert odds[1][node] <= limit * odds[0][node]


def _chances(rows, model):
    table = pa.table({"age": [age for age, _ in rows], "sex": [sex for _, sex in rows]})
    microdata = encode(table, COLUMNS, [])
    nodes, weights = private_levels.weights(Task(microdata, Requirements((model,), microdata)), model)
    counted = group_rows(microdata.codes, [domain.size for domain in microdata.domains])
    distinct = replace(microdata, codes=counted.codes)
    by_counts = private_levels.weights(Task(distinct, Requirements((model,), distinct)), model, counted.counts)
    assert by_counts == (nodes, weights)
    return {node: Fraction(weight, sum(weights)) for node, weight in zip(nodes, weights, strict=True)}


# Every group is a trial of its own: how many of its rows come out, where it has one row more or not.
GROUPS = 40_000
# Here the theorem is tight: between three rows and four, nearly all of δ escapes.
EPSILON, DELTA = 1.0, 0.16


def released(rows, engine):
    """How many rows come out of each of many groups of equal rows."""
    one_that_comes_out = [GROUPS] * 1_000
    table = pa.table({"group": np.append(np.repeat(np.arange(GROUPS), rows), one_that_comes_out)})
    release = sf.recode(
        table,
        quasi_identifiers={"group": sf.Numeric(widths=(1_000_000,))},
        levels={"group": 0},
        privacy=sf.DifferentialPrivacy(EPSILON, DELTA),
        engine=engine,
    )
    shown = np.asarray(release.table.column("group").to_pylist(), dtype=np.int64)
    return np.bincount(shown, minlength=GROUPS)[:GROUPS]


def escaping(rows, engine="memory"):
    """With 99.9 % confidence, at least so much of a chance escapes e^ε between groups of ``rows`` and one row more.

    The event is chosen by one half of the trials and measured by the other.
    """
    fewer, more = (np.array_split(released(count, engine), 2) for count in (rows, rows + 1))
    seen = [np.bincount(half, minlength=rows + 2) / len(half) for half in (fewer[0], more[0])]
    least = []
    for (one, other), (from_one, from_other) in (
        (seen, (fewer[1], more[1])),
        (seen[::-1], (more[1], fewer[1])),
    ):
        event = np.flatnonzero(one > math.exp(EPSILON) * other)
        share, limit = np.isin(from_one, event).mean(), np.isin(from_other, event).mean()
        # Hoeffding's inequality for both shares
        doubt = math.sqrt(math.log(2 / 0.001) / (2 * len(from_one)))
        least.append(share - doubt - math.exp(EPSILON) * (limit + doubt))
    return max(least)


K = least_class(EPSILON, DELTA, largest_beta(EPSILON))


@pytest.mark.parametrize("rows", [K - 1, K, K + 3])
def test_the_estimated_privacy_loss_is_below_what_is_promised(rows):
    assert escaping(rows) <= DELTA


@pytest.mark.usefixtures("small_parts")
def test_so_it_is_on_an_engine_that_draws_in_several_parts():
    assert 0.6 * DELTA < escaping(K - 1, "duckdb") <= DELTA


def test_the_estimate_is_near_what_theory_says():
    assert escaping(K - 1) > 0.6 * DELTA


@pytest.mark.parametrize("engine", ENGINES)
def test_sampling_left_out_is_found(engine, monkeypatch):
    monkeypatch.setattr(private_levels, "WHOLE", 1)
    assert escaping(K - 1, engine) > DELTA


@pytest.mark.parametrize("engine", ENGINES)
def test_a_k_one_too_small_is_found_by_the_estimate_and_by_the_verifier(engine, monkeypatch):
    monkeypatch.setattr("sfumato.privacy.differential_privacy.least_class", lambda *_: K - 1)
    with pytest.raises(sf.errors.VerificationError, match="did not pass its independent check"):
        escaping(K - 2, engine)
    monkeypatch.setattr("sfumato.verify.differential_privacy.smallest_class", lambda *_: K - 1)
    assert escaping(K - 2, engine) > DELTA


@pytest.fixture
def small_parts(monkeypatch):
    """Let DuckDB work in parts of some thousand rows."""
    monkeypatch.setattr("sfumato.run.large.duckdb.engine.MOST_PART_ROWS", 30_000)


@pytest.mark.usefixtures("small_parts")
def test_rows_drawn_twice_over_do_not_pass(monkeypatch):
    """The classes are counted once and made later: drawing others then would let small ones out."""
    monkeypatch.setattr(private_levels, "_random", lambda *_: np.random.default_rng())
    with pytest.raises(sf.errors.VerificationError):
        released(K, "duckdb")


def test_the_method_is_for_differential_privacy_alone():
    with pytest.raises(ParameterError, match="for DifferentialPrivacy alone"):
        sf.anonymize(PEOPLE, quasi_identifiers=COLUMNS, method=PrivateLevels(), k=5)


@pytest.mark.parametrize(
    "changed", [{"epsilon": 1e-9}, {"epsilon": 99}, {"delta": 1e-200}, {"for_levels": 0.99999}, {"beta": 0.7}]
)
def test_what_nobody_may_ask_for_is_not_checked_for_hours(changed):
    """A certificate of somebody else's may claim anything."""
    said = {"model": "differential-privacy", "epsilon": 1, "delta": 1e-6, "for_levels": 0, "beta": 0.63}
    with pytest.raises(ParameterError):
        check_private(said | changed, np.array([100]))


@pytest.mark.parametrize(("epsilon", "delta", "k"), [(0.01, 1e-6, 60), (8, 1e-30, 205_883), (0.01, 1e-30, 342)])
def test_the_ends_of_what_may_be_asked_for_are_computed_in_time(epsilon, delta, k):
    model = sf.DifferentialPrivacy(epsilon, delta)
    assert smallest_class(epsilon, delta, model.beta) == model.k
    assert model.k == k
