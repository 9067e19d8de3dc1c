"""Lines as they come from another machine, over a pipe, a socket or a port: whole ones, bounded."""

from __future__ import annotations

LONGEST_BYTES = 64 << 20
"""A record with its histograms is a hundredth of it, a program that is brought along a tenth."""


class Lines:
    """What has come so far. `add` takes a piece of any length, `take` gives the next whole line."""

    def __init__(self, longest_bytes: int = LONGEST_BYTES) -> None:
        self._come = bytearray()
        self._searched = 0
        self._longest_bytes = longest_bytes

    def add(self, piece: bytes) -> None:
        """ValueError for a line that has no end."""
        self._come += piece
        if len(self._come) > self._longest_bytes and not self.has_one:
            raise ValueError(f"a line of more than {self._longest_bytes} bytes")

    @property
    def has_one(self) -> bool:
        return self._end >= 0

    def take(self) -> bytes | None:
        """The next line without its end; None where none is whole yet."""
        end = self._end
        if end < 0:
            return None
        line = bytes(self._come[:end])
        del self._come[: end + 1]
        self._searched = 0
        return line

    @property
    def _end(self) -> int:
        found = self._come.find(b"\n", self._searched)
        if found < 0:
            self._searched = len(self._come)
        return found
