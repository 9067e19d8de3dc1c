"""How rates change as space is freed and used again, by the size of allocations."""
