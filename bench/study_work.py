"""The work of the published study's clients, at a size that fits a bench.

Each client makes a folder of its own, writes files of 4 KiB, 8 KiB, 16 KiB and so on in records of
4 KiB, and reads them again; one request at a time on one connection.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from file_work import RECORD_BYTES
from side_by_side import expect


@dataclass(frozen=True)
class StudyWork:
    """Clients and their files: so many sizes, each in so many files."""

    clients: int
    sizes: int
    files_of_size: int

    @property
    def sizes_bytes(self) -> list[int]:
        """The sizes, smallest first."""
        return [RECORD_BYTES << step for step in range(self.sizes)]

    @property
    def files_of_client(self) -> list[int]:
        """Bytes of each file of one client."""
        return self.sizes_bytes * self.files_of_size

    @property
    def records(self) -> int:
        """Writes of all clients; reads are as many."""
        return self.clients * sum(self.files_of_client) // RECORD_BYTES

    @property
    def operations(self) -> int:
        """What both passes are made of: each file made, or opened, and closed, and all records."""
        return 2 * (self.records + 2 * self.clients * len(self.files_of_client))

    @property
    def moved_bytes(self) -> int:
        """All that is written, and again as it is read."""
        return 2 * self.records * RECORD_BYTES

    def expect_files(self, directory: Path) -> None:
        """End where a file is missing below the directory, or is not whole."""
        found = sorted(path.stat().st_size for path in directory.rglob("*") if path.is_file())
        wanted = sorted(self.files_of_client * self.clients)
        expect(len(found), len(wanted), f"files in {directory}")
        expect(sum(found), sum(wanted), f"bytes in {directory}")
