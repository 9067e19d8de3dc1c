"""The results folder: written by one process, file by file, each atomically; read by anyone.

The layout is drawn in `fsgauge.record.records`.
"""

from fsgauge.record.stored import StoredStudy
from fsgauge.store.folder import ResultsFolder
from fsgauge.store.read import read_results

__all__ = ["ResultsFolder", "StoredStudy", "read_results"]
