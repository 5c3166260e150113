"""The method `proven`: low loss, with a proof of how near it is to the least possible."""
