"""The machine as it is: environment, mounts, memory, noise."""
