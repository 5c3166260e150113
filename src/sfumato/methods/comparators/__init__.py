"""Methods of other papers, with which the four papers compare theirs."""
