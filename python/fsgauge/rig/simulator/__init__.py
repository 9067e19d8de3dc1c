"""The simulator rig: a model of an allocator and of a device in the place of both. No disk, no
root: the engine lives each turn's life in memory (kind "simulate"), and its answers are recorded
as those of a measurement are, with the models' names beside them."""
