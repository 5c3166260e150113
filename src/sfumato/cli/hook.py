"""``python -m sfumato.cli.hook``: one ``sfumato check`` for each of several files, as pre-commit and dbt jobs want it.

The options of the check come first, then ``--``, then the files. The exit code is the worst of all checks.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence


def main(words: Sequence[str]) -> int:
    """Check every file by the same options, and print the verdict on each file that fails."""
    if "--" not in words:
        print("Name options of a check, then --, then the files: --policy policy.toml -- a.csv b.csv", file=sys.stderr)
        return 2
    cut = len(words) - 1 - list(reversed(words)).index("--")
    options, files = words[:cut], words[cut + 1 :]
    return max((_checked(file, options) for file in files), default=0)


def _checked(file: str, options: Sequence[str]) -> int:
    # One process per file, because a check exits with its verdict.
    done = subprocess.run(
        [sys.executable, "-m", "sfumato", "check", file, *options], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"{file}\n{done.stdout}{done.stderr}".rstrip(), file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
