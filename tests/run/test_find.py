"""Classes that readers cannot tell apart are one class, in which people are counted once."""

from __future__ import annotations

import pyarrow as pa

import sfumato as sf

#: Patient, age, region, illness; some classes look alike in steps of 2 and 10 years, and share patients.
VISITS = [
    *(("P0", 30, "N", "flu"), ("P1", 33, "S", "acne"), ("P2", 39, "S", "ulcer"), ("P2", 40, "S", "asthma")),
    *(("P2", 41, "S", "gout"), ("P2", 39, "S", "flu"), ("P3", 24, "N", "ulcer"), ("P3", 23, "N", "ulcer")),
    *(("P4", 29, "N", "ulcer"), ("P5", 42, "W", "acne"), ("P5", 39, "W", "acne"), ("P7", 21, "W", "acne")),
    ("P7", 22, "W", "asthma"),
]


def test_diversity_of_people_holds_in_classes_that_look_alike():
    columns = zip(*VISITS, strict=True)
    table = pa.table(dict(zip(["patient", "age", "region", "illness"], map(list, columns), strict=True)))
    release = sf.anonymize(
        table,
        quasi_identifiers={"age": sf.Numeric(widths=(2, 10)), "region": None},
        sensitive="illness",
        person="patient",
        k=2,
        l=2,
        method="hilbert-fast",
        seed=1,
    )
    assert release.achieved.sensitive["illness"].frequency_l >= 2
