"""The gate of a host: where its thread waits, prepared, until all hosts are."""

from __future__ import annotations

import threading

from fsgauge.errors import Interrupted, RigError
from fsgauge.rig.fleet.messages import Label

LONGEST_WAIT_SECONDS = 1800.0
"""Others may lay out files for so long; then something is wrong with the coordinator."""


RESTING = "others measure"
"""The meeting of a host that takes no part in a run: it ends once the others are through."""
LONGEST_REST_SECONDS = 24 * 3600.0

THROUGH = "through"
"""The meeting of hosts that have ended a run; one offers why it missed the start, if it did."""
AGAIN = "again"
"""What such a host hears instead of nothing where one has: the run begins again for all."""


class Gate:
    """One thread waits at it; another one opens it, or ends the wait."""

    def __init__(self, changed: threading.Condition) -> None:
        self._changed = changed
        self._opened: int | str | None = None
        self._because: str | None = None
        self.waiting: Label | None = None
        self.offer = ""

    def wait(self, label: Label) -> int:
        """When to begin, by this machine's monotonic clock. Raises Interrupted once it is ended."""
        return int(self._wait(label, ""))

    def meet(self, label: Label, offer: str = "") -> str:
        """Wait for all hosts; gives what the first of them offered. Raises Interrupted as well."""
        return str(self._wait(label, offer))

    def _wait(self, label: Label, offer: str) -> int | str:
        seconds = LONGEST_WAIT_SECONDS + label.patience_seconds
        with self._changed:
            self._opened, self.waiting, self.offer = None, label, offer
            self._changed.notify_all()
            try:
                ready = self._changed.wait_for(
                    lambda: self._opened is not None or self._because is not None, seconds
                )
            finally:
                self.waiting = None
            if self._because is not None:
                raise Interrupted(self._because)
            if not ready or self._opened is None:
                raise RigError(
                    f"{label}: no start came within {seconds:.0f} s",
                    cause="another host is still preparing, or the coordinator hangs",
                    next="uptime, on each host; fsgauge resume goes on with the study",
                )
            return self._opened

    def open(self, label: Label, opened: int | str) -> bool:
        """Let the run begin at that moment, or the meeting end with what the first host offered;
        False where it is not the one that waits."""
        with self._changed:
            if self.waiting != label:
                return False
            self._opened = opened
            self.waiting = None  # whoever looks before the thread has woken up is told so
            self._changed.notify_all()
            return True

    def end(self, because: str) -> None:
        with self._changed:
            self._because = because
            self._changed.notify_all()

    def reopen(self) -> None:
        with self._changed:
            self._because = None

    def require_not_ended(self) -> None:
        if self._because is not None:
            raise Interrupted(self._because)
