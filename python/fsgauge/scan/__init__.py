"""Scans: the numbers of one, the difference of two, how they are saved and printed.

Pure: from a wire `ScanResult`, without engine or disk.
"""
