"""Files that another user may have laid out: opened only when they are plain, from an open folder.

content.py   how many values a text has, before anything is made of it
folder.py    a folder held open; what is read and written in it
kept.py      the base of what files and messages keep, for models of pydantic
opening.py   what a plain file is, checked before it is opened
rights.py    root in another user's folder: which links it follows, with whose rights it acts
seen_folder.py   a folder that was read, opened again
whole.py     one file by its path; why a folder does not take a file
"""

from fsgauge.plain_files.content import require_few_in_toml
from fsgauge.plain_files.folder import MissingError, PlainFolder
from fsgauge.plain_files.opening import open_to_read, write_all
from fsgauge.plain_files.rights import was_moved
from fsgauge.plain_files.seen_folder import SeenFolder
from fsgauge.plain_files.whole import (
    cannot_write,
    cause_in,
    cause_of,
    head_of,
    read_json,
    read_named,
    read_named_json,
    read_plain,
    write_whole,
)

__all__ = [
    "MissingError",
    "PlainFolder",
    "SeenFolder",
    "cannot_write",
    "cause_in",
    "cause_of",
    "head_of",
    "open_to_read",
    "read_json",
    "read_named",
    "read_named_json",
    "read_plain",
    "require_few_in_toml",
    "was_moved",
    "write_all",
    "write_whole",
]
