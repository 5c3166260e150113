"""Full-domain recoding: searches of the lattice for one hierarchy level per quasi-identifier."""
