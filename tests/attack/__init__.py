"""Attacks that once succeeded, kept as tests, and fuzzers with a fixed budget."""
