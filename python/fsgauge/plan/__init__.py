"""The plan of a study: turns and their order, time, space, power, and what is shown of it."""
