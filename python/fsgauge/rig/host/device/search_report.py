"""What was looked at of a device's bytes, and what was there: for people who decide about it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fsgauge.units import format_duration, format_size

_CONFIDENCE = 0.95
_SHOWN_BYTES = 16


@dataclass(frozen=True)
class FoundData:
    """The first bytes that are not zero, where the search came by."""

    offset: int
    first_bytes: bytes

    def __str__(self) -> str:
        shown = self.first_bytes[:_SHOWN_BYTES]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in shown)
        return f'data at byte {self.offset}: {shown.hex(" ")} "{text}"'


@dataclass(frozen=True)
class Looked:
    """The search for data on one device.

    `hole_bytes` are holes of a loop device's backing file, zero without being read. `samples` were
    spread over all that the search did not read whole.
    """

    path: str
    size_bytes: int
    whole: bool = False
    hole_bytes: int = 0
    places: int = 0
    samples: int = 0
    sample_bytes: int = 0
    whole_seconds: float = 0.0
    """What reading all of it would have taken, at the rate that was seen."""
    data: FoundData | None = None
    unreadable: tuple[int, ...] = ()

    @property
    def zero(self) -> bool:
        """Whether every byte is known to be zero."""
        return self.whole and self.data is None and not self.unreadable

    @property
    def missed_percent(self) -> float:
        """Data in this share of the device or more would have been met with 95 % confidence.

        Every sample misses a share p with probability 1 - p (one of each stratum: never more).
        """
        return 100 * (1 - (1 - _CONFIDENCE) ** (1 / self.samples)) if self.samples else 100.0

    def sentences(self) -> list[str]:
        """What was looked at and what was found, a line each."""
        lines = [f"{self.path}  {format_size(self.size_bytes)}, {self._extent()}"]
        if self.data is not None:
            lines.append(f"{self.path}  {self.data}")
        if self.unreadable:
            where = ", ".join(str(offset) for offset in self.unreadable)
            lines.append(f"{self.path}  cannot be read at byte {where}")
        return lines

    def _extent(self) -> str:
        if self.data is not None:
            return "read until data was found"
        holes = (
            f" ({format_size(self.hole_bytes)} are holes of its file)" if self.hole_bytes else ""
        )
        if self.whole:
            return f"read whole{holes}: zero" if self.zero else f"read where it can be{holes}: zero"
        places = f"{self.places} places of superblocks"
        if not self.samples:
            return f"{places} read: zero; nothing is known of the rest"
        takes = format_duration(int(self.whole_seconds * 1e9))
        return (
            f"{places} and {self.samples:,} spread samples of {format_size(self.sample_bytes)}"
            f" read{holes}: zero; data in less than {_rounded_up(self.missed_percent)} % of it"
            f" could have been missed (95 % confidence); reading all of it takes about {takes}"
        )


def _rounded_up(percent: float) -> str:
    """One significant digit, never too small."""
    power = 10.0 ** math.floor(math.log10(percent))
    return f"{math.ceil(percent / power - 1e-9) * power:.6f}".rstrip("0").rstrip(".")
