"""What others published, claim by claim: the ledger, how each is tested, and what came of it."""
