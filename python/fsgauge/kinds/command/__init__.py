"""Any program of yours, timed over file systems: its time, what it waits for, its own numbers."""
