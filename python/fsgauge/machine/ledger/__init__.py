"""The ledger: what a run makes, written down before it is made, and how each is undone."""
