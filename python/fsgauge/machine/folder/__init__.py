"""Folders that a run works in: found, marked, safe from other users."""
