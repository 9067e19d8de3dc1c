"""The results folder: written by one process, file by file, each atomically; read by anyone.

    folder.py    create or open a folder, lock it, write records
    journal.py   what happened, in order, on disk before the next step
    read.py      every record of a folder
    blocks.py    the many rows of a finished block, in Parquet
    abandon.py   which blocks are whole; the others are set aside, never deleted
    views.py     the tables that SQL sees, with the meaning of each column
    query.py     SQL over a folder, read-only

The layout is drawn in `fsgauge.record.records`.
"""

from fsgauge.record.stored import StoredStudy
from fsgauge.store.folder import ResultsFolder
from fsgauge.store.read import read_results

__all__ = ["ResultsFolder", "StoredStudy", "read_results"]
