"""fio's words for what a load does, and the same in a sentence."""

from __future__ import annotations

PATTERNS = {
    "read": "sequential reads",
    "write": "sequential writes",
    "rw": "sequential reads and writes",
    "randread": "random reads",
    "randwrite": "random writes",
    "randrw": "random reads and writes",
}
