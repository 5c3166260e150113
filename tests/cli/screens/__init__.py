"""What every command shows on terminals of 80 and 120 columns, as recorded screens.

``make screens`` records them again; look at what changed before you commit it.
"""
