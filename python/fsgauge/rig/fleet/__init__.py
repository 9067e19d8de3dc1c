"""The fleet rig: many hosts at once. dask carries control, the engine carries time and load.

A host runs the host rig's own code with its share of each run, and the coordinator here brings all
hosts to the same cell, starts them together and adds what they measured.
"""
