"""Faults of machines: carried out while a run goes on, undone, and what became of the run."""
