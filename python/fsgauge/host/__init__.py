"""This machine: its tools, mounts, devices and limits, and the traces that a run leaves on it."""
