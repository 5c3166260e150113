"""The two functions that most people ever call."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import ParameterError, SchemaError, SourceError
from sfumato.testing.tables import SCHEMA, people

PATIENTS = {
    "name": ["Ann", "Bob", "Cid", "Dan", "Eve", "Flo"],
    "age": [25, 25, 26, 27, 27, 28],
    "sex": ["m", "f", "m", "m", "f", "m"],
    "disease": ["flu", "ulcer", "flu", "asthma", "flu", "ulcer"],
}
ROLES = {"quasi_identifiers": ["age", "sex"], "sensitive": "disease", "identifiers": ["name"]}


class TestAnonymize:
    def test_as_in_the_readme(self):
        release = sf.anonymize(pd.DataFrame(PATIENTS), **ROLES, k=2, l=1.5)
        assert isinstance(release.data, pd.DataFrame)
        assert list(release.data.columns) == ["age", "sex", "disease"]
        assert release.achieved.k >= 2

    def test_a_schema_and_arguments_mean_the_same(self):
        by_schema = sf.anonymize(pa.table(PATIENTS), sf.Schema(**ROLES), k=2)
        by_arguments = sf.anonymize(pa.table(PATIENTS), **ROLES, k=2)
        assert by_schema.table.equals(by_arguments.table)

    def test_roles_given_twice(self):
        with pytest.raises(SchemaError, match="given twice"):
            sf.anonymize(pa.table(PATIENTS), sf.Schema(**ROLES), rest="drop", k=2)

    def test_a_schema_that_is_none(self):
        with pytest.raises(ParameterError, match="'schema' parameter of anonymize must be a Schema"):
            sf.anonymize(pa.table(PATIENTS), {"age": None}, k=2)

    def test_short_forms_and_models_mean_the_same(self):
        table = people(60)
        short = sf.anonymize(table, SCHEMA, k=3, l=2, t=0.5)
        models = [sf.KAnonymity(3), sf.LDiversity(2), sf.TCloseness(0.5)]
        assert sf.anonymize(table, SCHEMA, privacy=models).table.equals(short.table)
        assert sf.anonymize(table, SCHEMA, k=3, privacy=models).manifest["privacy"] == short.manifest["privacy"]

    def test_one_model_needs_no_list(self):
        assert sf.anonymize(people(20), SCHEMA, privacy=sf.KAnonymity(3)).achieved.k >= 3

    def test_no_privacy_at_all_is_refused(self):
        with pytest.raises(ParameterError, match=r"No privacy is asked for.*k=10"):
            sf.anonymize(people(20), SCHEMA)

    def test_models_that_are_none(self):
        with pytest.raises(ParameterError, match="'privacy' parameter"):
            sf.anonymize(people(20), SCHEMA, privacy=["k=3"])

    @pytest.mark.parametrize(
        ("wrong", "hint"),
        [
            ({"suppression": 4}, r"share from 0 to 1\. Got 4\. For 4 % write 0\.04"),
            ({"suppression": -0.1}, "share from 0 to 1"),
            ({"suppression": "4%"}, "share from 0 to 1"),
            ({"missing": "drop"}, "one of 'category', 'suppress', 'error'"),
            ({"intervals": "median"}, "one of 'text', 'bounds', 'midpoint', 'mean'"),
            ({"keep_order": 1}, "True or False"),
            ({"seed": -1}, "integer of at least 0"),
            ({"seed": 1.5}, "integer of at least 0"),
            ({"method": "magic"}, r"no method called 'magic'\. Known methods: .*mondrian"),
        ],
    )
    def test_wrong_options(self, wrong, hint):
        with pytest.raises(ParameterError, match=hint):
            sf.anonymize(people(20), SCHEMA, k=2, **wrong)

    def test_what_could_not_be_verified_is_refused(self):
        with pytest.raises(ParameterError, match="'text' or 'bounds' together with MinimumSpan"):
            sf.anonymize(people(20), SCHEMA, k=2, privacy=sf.MinimumSpan("age", 5), intervals="mean")

    def test_options_are_checked_before_anything_is_read(self):
        with pytest.raises(ParameterError, match="suppression"):
            sf.anonymize("there/is/no/such.csv", SCHEMA, k=2, suppression=4)

    def test_another_seed_shuffles_differently(self):
        table = people(60)
        orders = {tuple(sf.anonymize(table, SCHEMA, k=3, seed=seed).table["illness"].to_pylist()) for seed in range(3)}
        assert len(orders) == 3

    def test_order_can_be_kept(self):
        table = people(60)
        kept = sf.anonymize(table, SCHEMA, k=3, keep_order=True)
        assert kept.table["visits"].to_pylist() == table["visits"].to_pylist()

    def test_progress_tells_what_is_going_on(self):
        told = []
        sf.anonymize(people(60), SCHEMA, k=3, progress=lambda stage, share: told.append((stage, share)))
        assert list(dict.fromkeys(stage for stage, _ in told))[:2] == ["reading", "encoding"]
        assert [stage for stage, _ in told][-1] == "verifying"
        for stage in ("reading", "encoding", "writing values"):
            assert len({share for told_stage, share in told if told_stage == stage}) > 1, f"{stage} stands still"
        assert all(isinstance(stage, str) and 0 <= share <= 1 for stage, share in told)

    def test_a_progress_bar_leaves_stdout_alone(self, capsys):
        sf.anonymize(people(60), SCHEMA, k=3, progress=True)
        assert capsys.readouterr().out == ""

    def test_a_policy_of_three_kinds_of_missing(self):
        frame = pl.DataFrame({"age": [1, None, 2, 2], "s": list("abab")})
        release = sf.anonymize(frame, quasi_identifiers="age", sensitive="s", k=1, missing="suppress")
        assert isinstance(release.data, pl.DataFrame)
        assert release.suppressed == 1
        assert release.manifest["suppressed"]["missing"] == 1

    def test_a_method_that_cannot_is_refused_by_name(self):
        class Limited(sf.Mondrian):
            name = "limited"
            unsupported = frozenset({"t-closeness", "l-diversity (entropy)", "several sensitive columns"})

        table, one = people(30), sf.Schema(SCHEMA.quasi_identifiers, "illness", rest="drop")
        asked = {"schema": one, "k": 2, "method": Limited()}
        assert sf.anonymize(table, **asked, l=2).verify().ok
        with pytest.raises(ParameterError, match=r"'limited' does not support t-closeness\. Leave that out"):
            sf.anonymize(table, **asked, t=0.5)
        with pytest.raises(ParameterError, match=r"does not support l-diversity \(entropy\)\."):
            sf.anonymize(table, **asked, privacy=sf.LDiversity(2, kind="entropy"))
        with pytest.raises(ParameterError, match="several sensitive columns"):
            sf.anonymize(table, SCHEMA, k=2, method=Limited())


class TestCheck:
    def test_any_table_can_be_checked(self, tmp_path):
        path = tmp_path / "theirs.csv"
        path.write_text("age;illness\n[20, 29];flu\n[20, 29];ulcer\n30;flu\n")
        result = sf.check(path, quasi_identifiers="age", sensitive="illness", k=2, l=2)
        assert not result.ok
        assert not result
        assert (result.k, result.l, result.rows, result.classes) == (1, 1.0, 3, 2)
        assert "30: 1 row" in result.summary()

    def test_without_a_rule_it_tells_what_holds(self):
        result = sf.check(pa.table(PATIENTS), quasi_identifiers="sex", sensitive="disease")
        assert result.ok
        assert (result.k, result.l) == (2, 2.0)

    def test_missing_values_are_counted(self):
        table = pa.table({"age": [None, None, 3, 3, None], "s": list("ababa")})
        assert sf.check(table, quasi_identifiers="age", k=2).classes == 2
        assert sf.check(table, quasi_identifiers="age").k == 2

    def test_every_model(self):
        models = [sf.LDiversity(1, kind="entropy"), sf.TCloseness(1.0), sf.MinimumSpan("age", 1)]
        result = sf.check(
            pa.table({"age": ["[1, 2]"] * 2, "s": list("ab")}), quasi_identifiers="age", sensitive="s", privacy=models
        )
        assert result.ok
        assert len(result.checks) == 3

    def test_no_quasi_identifier(self):
        with pytest.raises(SchemaError, match="No quasi-identifier"):
            sf.check(pa.table(PATIENTS), quasi_identifiers=[])

    def test_what_is_no_table(self):
        with pytest.raises(SourceError, match="not a table"):
            sf.check(42, quasi_identifiers="age", k=2)
