"""What newcomers get wrong in their first hour with the Python interface: each message says what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import InfeasibleError, ParameterError, SchemaError, SourceError

RANDOM = np.random.default_rng(1)
PEOPLE = pd.DataFrame(
    {
        "name": [f"P{number}" for number in range(60)],
        "age": RANDOM.integers(20, 80, 60),
        "zip": RANDOM.choice(["53711", "53712", "53800"], 60),
        "disease": RANDOM.choice(["flu", "gout", "asthma"], 60),
    }
)
RIGHT: dict[str, Any] = {"quasi_identifiers": ["age", "zip"], "sensitive": "disease", "identifiers": "name", "k": 5}


def asked(**changes: Any) -> Callable[[], object]:
    return lambda: sf.anonymize(PEOPLE, **RIGHT | changes)


REQUESTS = [
    (lambda: sf.anonymize(PEOPLE, quasi_identifier=["age"], k=5), TypeError, "Did you mean 'quasi_identifiers'?"),
    (asked(k="5"), ParameterError, "Got '5'. Write k=5, without quotes."),
    (asked(k=5.0), ParameterError, "Got 5.0. Write k=5."),
    (asked(k=[5, 10]), ParameterError, "an integer of at least 1. Got [5, 10]."),
    (asked(k=100), InfeasibleError, "the table has only 60 rows to release. The largest k that works is 60."),
    (asked(l="2"), ParameterError, "Write l=2, without quotes."),
    (asked(l=9), InfeasibleError, "The largest l that works is 2."),
    (asked(t=20), ParameterError, "For 20 % write 0.2."),
    (asked(suppression=5), ParameterError, "For 5 % write 0.05."),
    (asked(quasi_identifiers=["agee", "zip"]), SchemaError, "Did you mean 'age'?"),
    (asked(quasi_identifiers=["Age", "zip"]), SchemaError, "Did you mean 'age'?"),
    (asked(quasi_identifiers="age,zip"), SchemaError, "Name 'age', 'zip' one by one"),
    (asked(quasi_identifiers=["age", "age", "zip"]), SchemaError, "declared twice as quasi-identifier. Name it once."),
    (asked(sensitive="age"), SchemaError, "declared both as quasi-identifier and as sensitive. Give every column one"),
    (asked(sensitive=(), rest="drop", l=2), SchemaError, "l-diversity needs a sensitive column, but none is declared."),
    (asked(identifiers=()), SchemaError, "No role is declared for 'name'."),
    (asked(quasi_identifiers=()), SchemaError, "No quasi-identifier is declared, so there is nothing to protect."),
    (asked(k=None), ParameterError, "No privacy is asked for. Say how much, for example k=10"),
    (asked(method="mondrain"), ParameterError, "Did you mean 'mondrian'?"),
    (asked(method="Hilbert"), ParameterError, "Did you mean 'hilbert'?"),
    (asked(preset="hipaa-safe-harbour"), ParameterError, "Did you mean 'hipaa-safe-harbor'?"),
    (asked(intervals="midpiont"), ParameterError, "Did you mean 'midpoint'?"),
    (asked(missing="supress"), ParameterError, "Did you mean 'suppress'?"),
    (asked(minimize="pridiction"), ParameterError, "Did you mean 'prediction'?"),
    (asked(sensitive=(), rest="drop", minimize="prediction"), ParameterError, "needs a sensitive column: the label"),
    (asked(engine="duckbd"), ParameterError, "Did you mean 'duckdb'?"),
    (asked(confirm="agee"), ParameterError, "Did you mean 'age'?"),
    (asked(quasi_identifiers={"age": "numeric"}), ParameterError, "Write sf.Numeric()."),
    (lambda: sf.anonymize(PEOPLE, ["age"], k=5), ParameterError, "Say what each column is: quasi_identifiers="),
    (lambda: sf.anonymize({"age": [1, 2]}, quasi_identifiers="age", k=2), SourceError, "pandas.DataFrame(…)"),
    (asked(quasi_identifiers={"age": sf.Numeric}), ParameterError, "Write sf.Numeric()."),
    (asked(quasi_identifiers={"age": [5, 10]}), ParameterError, "Write sf.Numeric(widths=[5, 10])."),
    (asked(quasi_identifiers={"zip": "prefx"}), ParameterError, "Did you mean 'prefix'?"),
    (asked(privacy="k-anonymity"), ParameterError, "a privacy model or a list of them. Got 'k-anonymity'."),
    (asked(privacy={"k": 5}), ParameterError, "a privacy model or a list of them. Got {'k': 5}."),
    (asked(minimize="prediction:diseas"), ParameterError, "'diseas' is none. Sensitive columns: 'disease'. Did you"),
    (asked(transform={"agee": sf.Round(5)}), SchemaError, "Did you mean 'age'?"),
    (asked(na={"agee": 9}), SchemaError, "Did you mean 'age'?"),
    (asked(k="0"), ParameterError, "an integer of at least 1. Got '0'."),
    (asked(privacy=sf.LDiversity(2, column="diseas")), SchemaError, "Did you mean 'disease'?"),
    (
        lambda: sf.anonymize(PEOPLE.to_dict("records"), quasi_identifiers="age", k=2),
        SourceError,
        "pyarrow.Table.from_pylist(…)",
    ),
    (lambda: sf.profile(PEOPLE)["agee"], SchemaError, "Did you mean 'age'?"),
    (lambda: sf.anonymize(PEOPLE["age"], quasi_identifiers="age", k=2), SourceError, "to_frame() makes one."),
    (lambda: sf.anonimize, AttributeError, "Did you mean 'anonymize'?"),
]


@pytest.mark.parametrize(("ask", "error", "said"), REQUESTS)
def test_a_mistake_is_answered_with_what_to_do(ask, error, said):
    with pytest.raises(error) as caught:
        ask()
    assert said in str(caught.value)


def test_a_misspelt_file_is_told_the_one_beside_it(tmp_path):
    PEOPLE.to_csv(tmp_path / "patients.csv", index=False)
    with pytest.raises(SourceError, match=r"There is no file .*patiens.csv'\. Did you mean 'patients.csv'\?"):
        sf.anonymize(tmp_path / "patiens.csv", **RIGHT)
    with pytest.raises(SourceError, match=r"Check the path\."):
        sf.anonymize(tmp_path / "nowhere" / "people.csv", **RIGHT)


@pytest.fixture(scope="module")
def release() -> sf.Release:
    return sf.anonymize(PEOPLE, **RIGHT, seed=1)


QUESTIONS = [
    (lambda made: made.count({"agee": (20, 30)}), SchemaError, "Did you mean 'age'?"),
    (lambda made: made.count({"disease": "asthme"}), ParameterError, "Did you mean 'asthma'?"),
    (lambda made: made.count({"age": (20, 30, 40)}), ParameterError, "a range has two ends, such as (30, 40)"),
    (lambda made: made.count({"disease": ("a", "b")}), ParameterError, "give a value or a set such as {'a', 'b'}"),
    (lambda made: made.count("age > 30"), ParameterError, "such as {'age': (30, 40)}. Got 'age > 30'."),
    (lambda made: made.mean("disease"), ParameterError, "holds no numbers or dates, so it has no sum, mean"),
    (lambda made: made.gcp, AttributeError, "Did you mean 'loss.gcp'?"),
    (lambda made: made.count({"age": (40, 20)}), ParameterError, "a range begins with its lower end; write (20, 40)"),
    (lambda made: made.to_csv, AttributeError, "Did you mean 'write'?"),
    (lambda made: made.df, AttributeError, "Did you mean 'data'?"),
    (lambda made: sf.attack(made, PEOPLE), ParameterError, "The original comes first: attack(original, release)."),
    (lambda made: sf.utility(made, PEOPLE), ParameterError, "The original comes first: utility(original, release)."),
    (lambda made: made.to_panda, AttributeError, "Did you mean 'to_pandas'?"),
    (lambda made: made.to_polars(intervals="bound"), ParameterError, "Did you mean 'bounds'?"),
    (lambda made: sf.attack(PEOPLE, made, attacks="linkag"), ParameterError, "Did you mean 'linkage'?"),
    (lambda made: sf.attack(PEOPLE, made, knows="agee"), ParameterError, "Did you mean 'age'?"),
    (lambda made: made.write("release.docx"), ParameterError, "Take a name that ends in one of .csv"),
]


@pytest.mark.parametrize(("ask", "error", "said"), QUESTIONS)
def test_a_question_that_cannot_be_answered_says_which_can(ask, error, said, release):
    with pytest.raises(error) as caught:
        ask(release)
    assert said in str(caught.value)


def test_a_value_that_nobody_has_is_a_question_like_any_other(release):
    assert release.count({"disease": "cholera"}).estimate == 0


def test_the_loss_to_minimize_is_an_argument():
    by_label = sf.anonymize(PEOPLE, **RIGHT, minimize="prediction", seed=1)
    assert by_label.manifest["method"]["parameters"]["minimize"] == "prediction"
    refined = sf.anonymize(PEOPLE, **RIGHT, method="mondrian", minimize="dm", refine=True, seed=1)
    assert refined.minimized == "dm"
    assert sf.anonymize(PEOPLE, **RIGHT, method=sf.Lattice(), minimize="dm").policy.method.minimize == "dm"
    with pytest.raises(ParameterError, match="has no choice of what it minimizes"):
        sf.anonymize(PEOPLE, **RIGHT, method="mondrian", minimize="dm")
