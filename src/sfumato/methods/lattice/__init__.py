"""Full-domain recoding: one level of its hierarchy for every quasi-identifier, searched in the lattice of levels."""
