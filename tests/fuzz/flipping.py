"""Flips bytes of every kind of input, and reads what becomes of it: a result or an error of ours, never anything else.

Run as a program of its own, since damaged files have brought whole processes down.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from tests.fuzz.duration import rounds

import sfumato as sf
from sfumato.errors import SfumatoError

TABLE = pa.table({"age": [30, 31, 40, 41] * 5, "city": ["Rome", "Oslo", "Bern", "Rome"] * 5, "s": [*"abcd"] * 5})
CSV = "age,city,s\n" + "".join(f'{row["age"]},"{row["city"]}",{row["s"]}\n' for row in TABLE.to_pylist())
JSON = "".join(f'{{"age": {row["age"]}, "city": "{row["city"]}", "s": "{row["s"]}"}}\n' for row in TABLE.to_pylist())
TREE = "Rome;South;*\nOslo;North;*\nBern;South;*\n"
POLICY = 'sensitive = ["s"]\n[quasi_identifiers]\nage = {}\ncity = {}\n[[privacy]]\nmodel = "k-anonymity"\nk = 2\n'


def originals(folder: Path) -> dict[str, bytes]:
    pq.write_table(TABLE, folder / "plain.parquet", compression="none")
    pq.write_table(TABLE, folder / "packed.parquet", compression="zstd", store_schema=False)
    return {
        "a.csv": CSV.encode(),
        "a.tsv": CSV.replace(",", "\t").encode(),
        "b.csv.gz": gzip.compress(CSV.encode()),
        "a.jsonl": JSON.encode(),
        "a.json": f"[{JSON.strip()}]".replace("}\n", "},").encode(),
        "a.parquet": (folder / "plain.parquet").read_bytes(),
        "b.parquet": (folder / "packed.parquet").read_bytes(),
        "tree.csv": TREE.encode(),
        "policy.toml": POLICY.encode(),
    }


def read(path: Path) -> None:
    if path.name == "tree.csv":
        sf.anonymize(TABLE, quasi_identifiers={"city": sf.Taxonomy.read(path)}, rest="drop", k=2, method="mondrian")
    elif path.name == "policy.toml":
        sf.Policy.read(path)
    else:
        sf.check(path, quasi_identifiers=["age", "city"], sensitive="s", k=2, l=2)
        sf.anonymize(path, quasi_identifiers=["age", "city"], sensitive="s", k=2, method="mondrian", suppression=0.5)


def main(folder: Path) -> None:
    files = originals(folder)
    tried = refused = 0
    for rng in rounds():
        name = rng.choice(sorted(files))
        content = bytearray(files[name])
        for _ in range(rng.choice([1, 1, 1, 2, 5])):
            place = rng.randrange(len(content))
            change = rng.choice(["flip", "set", "cut", "double", "drop"])
            if change == "flip":
                content[place] ^= 1 << rng.randrange(8)
            elif change == "set":
                content[place] = rng.choice(b'\x00\xff"\n\r,;{}[]\x1b\x80')
            elif change == "cut":
                content = content[: place + 1]
            elif change == "double":
                content[place:place] = content[place : place + rng.randrange(20)]
            else:
                del content[place : place + rng.randrange(1, 9)]
            content = content or bytearray(b"\n")
        path = folder / name
        path.write_bytes(content)
        (folder / "last").write_bytes(content)
        (folder / "last.name").write_text(name)
        try:
            read(path)
        except SfumatoError:
            refused += 1
        tried += 1
    print(tried, refused)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
