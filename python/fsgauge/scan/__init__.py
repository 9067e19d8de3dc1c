"""Scans: the numbers of one, the difference of two, how they are kept and said.

Pure: from a wire `ScanResult` alone, without engine or disk.
"""
