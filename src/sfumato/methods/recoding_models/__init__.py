"""The other recoding models of the taxonomy in Section 5 of the Incognito paper, a file and a method for each."""
