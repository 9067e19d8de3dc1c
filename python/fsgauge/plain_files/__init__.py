"""Files that another user may have laid out: opened only when they are plain, from an open folder.

folder.py    a folder held open, and what is read and written in it
naming.py    a folder by the path that the user named
opening.py   what a plain file is, looked at before it is opened
refused.py   why a folder did not take a file
rights.py    root takes the rights of a folder's owner; what root alone may write
seen.py      a folder that is opened again
whole.py     one file by its path; errors in words
"""

from fsgauge.plain_files.folder import LARGEST_BYTES, MissingError, PlainFolder
from fsgauge.plain_files.opening import open_to_read, write_all
from fsgauge.plain_files.refused import cause_in, cause_of
from fsgauge.plain_files.seen import SeenFolder
from fsgauge.plain_files.whole import cannot_write, head_of, read_plain, write_whole

__all__ = [
    "LARGEST_BYTES",
    "MissingError",
    "PlainFolder",
    "SeenFolder",
    "cannot_write",
    "cause_in",
    "cause_of",
    "head_of",
    "open_to_read",
    "read_plain",
    "write_all",
    "write_whole",
]
