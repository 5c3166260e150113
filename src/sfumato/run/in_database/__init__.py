"""Full-domain recoding inside a database: the search runs here, the release is made there."""
