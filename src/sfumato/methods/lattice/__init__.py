"""Full-domain recoding: one level of its hierarchy for every quasi-identifier, searched in the lattice of levels."""

from __future__ import annotations

from sfumato.methods.lattice.bottom_up import BottomUp
from sfumato.methods.lattice.datafly import Datafly
from sfumato.methods.lattice.fixed_levels import FixedLevels
from sfumato.methods.lattice.incognito import Incognito
from sfumato.methods.lattice.lattice import Lattice
from sfumato.methods.lattice.samarati import Samarati

__all__ = ["BottomUp", "Datafly", "FixedLevels", "Incognito", "Lattice", "Samarati"]
