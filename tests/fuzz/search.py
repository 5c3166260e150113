"""A search by seeds, for every fuzzer: one number makes one case, and what is found says how to repeat it."""

from __future__ import annotations

import argparse
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

from sfumato.errors import SfumatoError


class Finding(Exception):
    """A false promise, or a fault where a message was due."""


def refusal(error: SfumatoError) -> str:
    """What kind of refusal this is; a finding if Sfumato blames itself."""
    if "please report it" in str(error):
        raise Finding(f"the product blames itself: {error}") from error
    return type(error).__name__


def judged(run: Callable[[], str], module: str, seed: int, described: Any) -> str:
    """What became of a case; whatever is found says how to repeat it."""
    repeat = f"repeat: python -m {module} --seed {seed} --cases 1\n{described}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return run()
    except Finding as finding:
        raise Finding(f"{finding}\n{repeat}") from finding
    except Exception as error:
        told = "".join(traceback.format_exception(error)[-4:])
        raise Finding(f"{told}\n{repeat}") from error


def search(attempt: Callable[[int], str], description: str | None) -> None:
    """Search as long as the command line asks for, and tell about everything that was found."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    counts, found = Counter[str](), 0
    end = time.monotonic() + given.seconds
    for seed in range(given.seed, given.seed + given.cases):
        if time.monotonic() > end and seed > given.seed:
            break
        try:
            counts[attempt(seed)] += 1
        except Finding as finding:
            found += 1
            print(f"--- case {seed}\n{finding}\n", flush=True)
    print(f"{counts.total()} cases, {dict(counts)}, {found} found", flush=True)
