"""Runs one peer in its own environment and prints its seconds and its classes as JSON; knows nothing of Sfumato."""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

QIS = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"]


def load(folder):
    return pd.read_csv(folder / "adult.csv", sep=";").reset_index(drop=True)


def classes_of(data, groups):
    return [
        {"rows": len(rows), "values": {name: data.loc[rows, name].unique().tolist() for name in QIS}} for rows in groups
    ]


def native(value):
    return value.item() if isinstance(value, np.generic) else value


def anonypy(folder, k):
    from anonypy import Preserver

    data = load(folder)
    typed = data.copy()
    for name in typed.columns:
        if name != "age":
            typed[name] = typed[name].astype("category")
    begin = time.perf_counter()
    preserver = Preserver(typed, QIS, "occupation")
    partitions = preserver.modrian.partition(k, 0, 0.0)
    took = time.perf_counter() - begin
    return took, classes_of(data, partitions)


def anjana(folder, k):
    from anjana.anonymity import k_anonymity

    data = load(folder)
    hierarchies = {}
    for name in QIS:
        rows = pd.read_csv(folder / f"adult_hierarchy_{name}.csv", sep=";", header=None)
        if name != "age":
            rows = rows.astype(str)
        hierarchies[name] = {level: np.asarray(rows[level].values) for level in rows.columns}
    begin = time.perf_counter()
    released = k_anonymity(data.copy(), [], QIS, k, 5, hierarchies)
    took = time.perf_counter() - begin
    # The released rows come without their place in the input, so a label stands for all values below it that occur.
    occurring = {name: set(data[name]) for name in QIS}
    below = {name: {} for name in QIS}
    for name in QIS:
        levels = [hierarchies[name][level] for level in sorted(hierarchies[name])]
        for row in zip(*levels, strict=True):
            for label in set(row):
                if row[0] in occurring[name]:
                    below[name].setdefault(label, []).append(row[0])
    classes = [
        {
            "rows": int(size),
            "values": {
                name: [native(value) for value in below[name][label]] for name, label in zip(QIS, labels, strict=True)
            },
        }
        for labels, size in released.groupby(QIS, observed=True, dropna=False).size().items()
    ]
    if len(released) < len(data):
        classes.append({"rows": len(data) - len(released), "values": None})
    return took, classes


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    peer, k, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    stdout, sys.stdout = sys.stdout, sys.stderr
    took, classes = {"anonypy": anonypy, "anjana": anjana}[peer](folder, k)
    json.dump({"seconds": took, "classes": classes}, stdout)
