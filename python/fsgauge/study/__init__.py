"""Studies: read from a file and checked, written back, described."""
