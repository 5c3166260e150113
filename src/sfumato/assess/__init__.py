"""What a table and a release are worth, to an attacker and to an analyst: cautions, risk, attacks, queries, utility."""
