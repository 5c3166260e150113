"""Against anonypy and anjana from the package index, on Adult, scored by one scorer."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import sfumato as sf
from benchmarks.environments import environment
from benchmarks.measure import ADULT, NO_ADULT, Result, seconds

QIS = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"]
KS = (5, 10, 50)
CALLS = 30


def run() -> Iterator[Result]:
    if not ADULT.exists():
        yield NO_ADULT
        return
    adult = sf.datasets.adult(ADULT).without_levels()
    schema = sf.Schema({name: adult.hierarchies.get(name) for name in QIS}, sensitive="occupation", rest="drop")
    frame = adult.to_pandas()
    # They need other versions of common packages than Sfumato does.
    python = environment("peers", "anonypy", "anjana", "pandas") / "python"
    for k in KS:
        gcp = sf.anonymize(frame, schema, k=k, method="mondrian").loss.gcp
        # So short a call is measured often, and by its median: the peers run once, and do not get to choose.
        ours = statistics.median(
            seconds(lambda k=k: sf.anonymize(frame, schema, k=k, method="mondrian"), repeat=1) for _ in range(CALLS)
        )
        for peer in ("anonypy", "anjana"):
            theirs = measure_peer(python, peer, k)
            if "error" in theirs:
                yield Result(f"{peer}, k={k}: {theirs['error']}", float("nan"), unit="")
                continue
            score = scored(theirs["classes"], schema, adult.table)
            yield Result(
                f"time of Mondrian / {peer}, k={k}",
                ours / theirs["seconds"],
                0.01,
                note=f"{ours:.3f} s / {theirs['seconds']:.1f} s",
            )
            yield Result(f"GCP of Mondrian / {peer}, k={k}", gcp / score, 1.0, note=f"{gcp:.4f} / {score:.4f}")


def measure_peer(python: Path, peer: str, k: int) -> dict[str, object]:
    """Run a peer in its own process; it reports its seconds and the spans of its classes."""
    script = Path(__file__).with_name("peer_runner.py")
    done = subprocess.run([python, script, peer, str(k), str(ADULT)], capture_output=True, text=True, check=False)
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "failed"}
    return json.loads(done.stdout)


def scored(classes: list[dict[str, object]], schema: sf.Schema, table: object) -> float:
    """The GCP of classes given as values per quasi-identifier, by Sfumato's own span costs.

    Each class is ``{"rows": n, "values": {column: [values]}}``; rows that a peer suppressed come as ``"values": None``.
    """
    import numpy as np

    from sfumato.table.encoding import encode

    microdata = encode(table, schema.quasi_identifiers)
    code_of = [{text: code for code, text in enumerate(domain.texts.to_pylist())} for domain in microdata.domains]
    total = 0.0
    for group in classes:
        if group["values"] is None:
            total += group["rows"]
            continue
        for place, domain in enumerate(microdata.domains):
            codes = [code_of[place][str(value)] for value in group["values"][domain.name]]
            cost = domain.span_costs(np.array([min(codes)]), np.array([max(codes)]))[0]
            total += group["rows"] * cost * microdata.weights[place]
    return total / len(microdata)


if __name__ == "__main__":
    sys.exit("Run it as: python -m benchmarks peers")
