"""Speed as ratios against a peer or a limit on the same work in the same run, and quality beside it."""
