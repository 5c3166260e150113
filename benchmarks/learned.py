"""A model trained on a release against one trained on the original: the area under the curve on rows held out.

Two real tables, if they lie beside the repository: Adult (the class of income by seven columns), and stays in hospital
with diabetes (readmission by six columns). A quarter of the rows is held out before the release of the others is made;
of the stays, once also by patients. A gradient-boosted classifier sees midpoints, and categories as they are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import sfumato as sf
from benchmarks.measure import ADULT, NO_ADULT, Result

K, SPLITS = 10, 5
STAYS = ADULT.parent / "tables" / "diabetes.csv"


class Task(NamedTuple):
    """A table, the columns that a model sees, the one that it foretells, and whose rows stay together."""

    name: str
    frame: pd.DataFrame
    columns: list[str]
    label: str
    groups: pd.Series | None = None


def run() -> Iterator[Result]:
    for task in tasks():
        found = np.array([areas(task, seed) for seed in range(SPLITS)])
        original, loss, aimed = found.mean(axis=0)
        spread = (found[:, 1:] - found[:, :1]).std(axis=0, ddof=1)
        for how, area, of_splits in (("least loss", loss, spread[0]), ("minimize=prediction", aimed, spread[1])):
            note = f"{area:.4f} against {original:.4f}, {SPLITS} splits, their differences vary by {of_splits:.4f}"
            yield Result(f"AUC, {task.name}, k={K}, {how}: release less original", area - original, unit="", note=note)


def tasks() -> Iterator[Task]:
    if not (ADULT / "adult.csv").exists() or not STAYS.exists():
        print(NO_ADULT.name)
        return
    adult = pd.read_csv(ADULT / "adult.csv", sep=";").dropna().sample(12_000, random_state=1)
    columns = ["age", "sex", "race", "marital-status", "education", "workclass", "occupation"]
    yield Task("Adult", adult, columns, "salary-class")
    stays = pd.read_csv(STAYS, na_values="?", keep_default_na=False)
    stays["readmitted"] = (stays["readmitted"] != "NO").astype(str)
    columns = ["age", "gender", "race", "time_in_hospital", "number_inpatient", "num_medications"]
    yield Task("stays, held out by rows", stays, columns, "readmitted")
    yield Task("stays, held out by patients", stays, columns, "readmitted", stays["patient_nbr"])


def areas(task: Task, seed: int) -> tuple[float, float, float]:
    """The area of a model of the original, of a release of least loss, and of one made to foretell the label."""
    held_out = drawn(task, seed)
    kept, tested = task.frame[~held_out], task.frame[held_out]
    views = [kept]
    for aim in ("gcp", "prediction"):
        release = sf.anonymize(
            kept[[*task.columns, task.label]], quasi_identifiers=task.columns, sensitive=task.label, k=K,
            minimize=aim, seed=seed, confirm=["lost-column", task.label],
        )  # fmt: skip
        views.append(release.to_pandas(intervals="midpoint"))
    return tuple(area(task, view, tested) for view in views)  # type: ignore[return-value]


def drawn(task: Task, seed: int) -> NDArray[np.bool_]:
    random = np.random.default_rng(seed)
    if task.groups is None:
        return random.random(len(task.frame)) < 0.25
    people = task.groups.unique()
    return task.groups.isin(people[random.random(len(people)) < 0.25]).to_numpy()


def area(task: Task, trained: pd.DataFrame, tested: pd.DataFrame) -> float:
    words = [name for name in task.columns if not pd.api.types.is_numeric_dtype(task.frame[name])]
    numbers = [name for name in task.columns if name not in words]

    def seen(frame: pd.DataFrame) -> pd.DataFrame:
        told = frame[words].astype(object).where(frame[words].notna(), "(missing)").astype(str)
        return pd.concat([told, frame[numbers].apply(pd.to_numeric, errors="coerce")], axis=1)

    places = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), words), remainder="passthrough"
    )
    model = make_pipeline(places, HistGradientBoostingClassifier(random_state=1))
    wanted = max(set(task.frame[task.label]))
    model.fit(seen(trained), trained[task.label].astype(str) == wanted)
    return float(roc_auc_score(tested[task.label] == wanted, model.predict_proba(seen(tested))[:, 1]))
