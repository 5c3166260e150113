"""A lower bound on the loss of any release: prices that every row must pay."""
