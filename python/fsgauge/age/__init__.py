"""Ageing one file system by an operation log, with a scan before and after."""
