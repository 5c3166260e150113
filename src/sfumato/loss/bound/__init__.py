"""A lower bound on the loss of any release, from prices that every row must pay."""
