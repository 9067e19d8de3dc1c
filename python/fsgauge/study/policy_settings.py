"""One setting of an allocation policy: what it takes, its limits, what is wrong with a value."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from fsgauge.quantities import UnitError
from fsgauge.units import exact_size, parse_size

BLOCK_BYTES = 4096
"""Of every simulated device."""
_BLOCK = exact_size(BLOCK_BYTES)
LARGEST_NUMBER = (1 << 32) - 1
_MOST_DIGITS = len(str(LARGEST_NUMBER))

GROUP_BLOCKS = 8 * BLOCK_BYTES
"""Of a group: its bitmap is one block."""
_MOST_ENTRIES = 63
"""Of a table of windows."""

Value = int | bool | list[int]


@dataclass(frozen=True)
class Setting:
    """One thing that can be set of a policy. A size is given in bytes and used in whole blocks.

    `least` and `most` are in blocks, or in whatever else `of` says is counted.
    """

    what: str
    takes: Literal["number", "size", "size or 0", "yes or no", "ascending blocks"]
    default: str
    least: int = 0
    most: int = LARGEST_NUMBER
    of: str = ""
    is_power_of_two: bool = False

    def read(self, text: str) -> Value:
        """The value as the engine takes it; ValueError says what is wrong with it."""
        if self.takes == "yes or no":
            if text not in ("yes", "no"):
                raise ValueError('it is "yes" or "no"')
            return text == "yes"
        if self.takes == "ascending blocks":
            return self._table(text)
        if self.takes == "size or 0" and text == "0":
            return 0
        if self.takes in ("size", "size or 0"):
            return self._blocks(text)
        return self._number(text)

    def limits(self) -> str:
        """What it can be, with its unit: "a whole number of blocks from 1 to 32768"."""
        if self.takes == "yes or no":
            return "yes or no"
        if self.takes == "ascending blocks":
            return f"ascending numbers of blocks from {self.least} to {self.most}"
        if self.takes in ("size", "size or 0"):
            least, most = (
                exact_size(max(1, each) * BLOCK_BYTES) for each in (self.least, self.most)
            )
            whole = "a power of two" if self.is_power_of_two else f"whole blocks of {_BLOCK}"
            zero = ", or 0" if self.takes == "size or 0" else ""
            return f"a size from {least} to {most}, {whole}{zero}"
        return self._whole()

    def _whole(self) -> str:
        of = f" of {self.of}" if self.of else ""
        most = f" to {self.most}" if self.most < LARGEST_NUMBER else " up"
        return f"a whole number{of} from {self.least}{most}"

    def _number(self, text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > _MOST_DIGITS:
            raise ValueError(f"it is {self._whole()}")
        if not self.least <= int(text) <= self.most:
            raise ValueError(f"it is {self._whole()}")
        return int(text)

    def _table(self, text: str) -> list[int]:
        words = text.split()
        if not words:
            raise ValueError("it has no entry; entries are numbers of blocks")
        if len(words) > _MOST_ENTRIES:
            raise ValueError(f"it has {len(words)} entries, and at most {_MOST_ENTRIES} are read")
        entries = []
        for word in words:
            try:
                entries.append(self._number(word))
            except ValueError:
                raise ValueError(f'its entry "{word}" is not {self._whole()}') from None
        for before, after in pairwise(entries):
            if before >= after:
                raise ValueError(f"it is not ascending, {before} comes before {after}")
        return entries

    def _blocks(self, text: str) -> int:
        try:
            size_bytes = parse_size(text)
        except UnitError as error:
            raise ValueError(f"{error}; it is {self.limits()}") from None
        blocks, rest_bytes = divmod(size_bytes, BLOCK_BYTES)
        is_even = not self.is_power_of_two or blocks.bit_count() == 1
        if rest_bytes or not is_even or not max(1, self.least) <= blocks <= self.most:
            raise ValueError(f"it is {self.limits()}")
        return blocks
