"""The gate of a host: where its thread waits, prepared, until all hosts are."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from fsgauge.errors import Interrupted, RigError

LONGEST_WAIT_SECONDS = 1800.0
"""Others may lay out files for so long; then something is wrong with the coordinator."""


@dataclass(frozen=True)
class Label:
    """Which run waits: equal on all hosts, since all have one plan."""

    block: int
    turn: int
    cell: str

    def __str__(self) -> str:
        return f"block {self.block + 1}, turn {self.turn + 1}, {self.cell}"


class Gate:
    """One thread waits at it; another one opens it, or ends the wait."""

    def __init__(self, changed: threading.Condition) -> None:
        self._changed = changed
        self._start_at_ns: int | None = None
        self._because: str | None = None
        self.waiting: Label | None = None

    def wait(self, label: Label) -> int:
        """When to begin, by this machine's monotonic clock. Raises Interrupted once it is ended."""
        with self._changed:
            self._start_at_ns, self.waiting = None, label
            self._changed.notify_all()
            try:
                ready = self._changed.wait_for(
                    lambda: self._start_at_ns is not None or self._because is not None,
                    LONGEST_WAIT_SECONDS,
                )
            finally:
                self.waiting = None
            if self._because is not None:
                raise Interrupted(self._because)
            if not ready or self._start_at_ns is None:
                raise RigError(
                    f"{label}: no start came within {LONGEST_WAIT_SECONDS:.0f} s",
                    cause="another host is still preparing, or the coordinator hangs",
                )
            return self._start_at_ns

    def open(self, label: Label, start_at_ns: int) -> bool:
        """Let the run begin at that moment; False where it is not the one that waits."""
        with self._changed:
            if self.waiting != label:
                return False
            self._start_at_ns = start_at_ns
            self._changed.notify_all()
            return True

    def end(self, because: str) -> None:
        """Whoever waits is told why it is over, and whoever would."""
        with self._changed:
            self._because = because
            self._changed.notify_all()

    def reopen(self) -> None:
        """It can be waited at again."""
        with self._changed:
            self._because = None

    def require_not_ended(self) -> None:
        """Raise Interrupted where it was ended."""
        if self._because is not None:
            raise Interrupted(self._because)
