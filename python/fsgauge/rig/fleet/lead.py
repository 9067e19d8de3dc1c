"""How far away a common start is: further after one that was missed, then nearer again."""

from __future__ import annotations

from dataclasses import dataclass

_LONGER, _SHORTER = 2.0, 0.9
_MOST_TIMES = 8.0


@dataclass
class Lead:
    """Seconds from the moment in which a start is given to the start itself, at least."""

    least_seconds: float
    _times: float = 1.0

    @property
    def seconds(self) -> float:
        """What the next start has."""
        return self.least_seconds * self._times

    def missed(self) -> None:
        """Some host heard of a start too late: twice as long, up to eight times the least."""
        self._times = min(_LONGER * self._times, _MOST_TIMES)

    def kept(self) -> None:
        """All hosts began together: a tenth shorter, down to the least."""
        self._times = max(_SHORTER * self._times, 1.0)
