"""The papers' own algorithms, where Sfumato's is stronger: one name for each, as experiments call them."""

from __future__ import annotations

from benchmarks.literal.mondrian import LiteralMondrian
from benchmarks.papers.measuring import Recoder

#: Mondrian as the papers had it: rows at the median to the lower side, width as a share of what the column spans.
paper_mondrian: Recoder = LiteralMondrian(widths="codes").run
