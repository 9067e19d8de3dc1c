"""Nodes that share files, each asked for one small step at a time."""
