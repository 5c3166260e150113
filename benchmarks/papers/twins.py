"""The papers' own algorithms, where Sfumato's is stronger: one name for each, as experiments call them."""

from __future__ import annotations

from benchmarks.literal.lattice import ScanningSamarati, WholeFamilies
from benchmarks.literal.linear import LiteralDiversity
from benchmarks.literal.mondrian import ABLATION, LiteralMondrian
from benchmarks.papers.measuring import Recoder
from sfumato.methods import Method

#: Mondrian as the papers had it: rows at the median to the lower side, width as a share of what the column spans.
paper_mondrian: Recoder = LiteralMondrian().run

#: Mondrian between the papers' form and Sfumato's, one difference at a time.
mondrian_causes: dict[str, Recoder] = {cause: method.run for cause, method in ABLATION.items()}

#: Groups on the Hilbert curve for l-diversity by the paper's pseudocode.
paper_diversity: Recoder = LiteralDiversity().run

#: Binary search that counts every node from the table, and super-roots that never split a family.
paper_binary_search: Method = ScanningSamarati()
paper_super_roots: Method = WholeFamilies()
