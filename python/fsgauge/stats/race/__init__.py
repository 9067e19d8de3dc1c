"""A race of many systems: who leaves it after which block, and what its end claims."""
