"""How far the layout of a mode is from that of files that are written, on a small image.

The distance is Kolmogorov and Smirnov's: the largest difference of two cumulated distributions,
here of bytes by the length of the extent that they lie in. Lengths are known in powers of two, so
it is never less than shown. The floor is the distance of mode `write` from itself with the same
log: a distance below it says nothing. That of another seed has other files as well: it says how
much the choice of a seed is worth, and is larger.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from fsgauge.age.wearing import Order, Worn
from fsgauge.errors import InputError
from fsgauge.wire import AgeMode, LengthBin, ScanResult

SMALL_BYTES = 512 << 20
Wear = Callable[[Order], Worn]


class Fidelity(BaseModel):
    """Distances from mode `write`, 0 to 1: of this mode, of `write` itself with the same log (the
    floor), and of `write` with the other seed; None: nothing to compare, or not measured.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: AgeMode
    size_bytes: int
    seeds: tuple[int, int]
    extent_length_distance: float | None
    extent_length_floor: float | None
    extent_length_other_seed: float | None
    free_length_distance: float | None
    free_length_floor: float | None
    free_length_other_seed: float | None

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_records(cls, data: object) -> object:
        """Their noise was the other seed's distance, and no floor was measured."""
        if not isinstance(data, dict):
            return data
        read: dict[str, Any] = dict(data)
        for name in ("extent_length", "free_length"):
            if f"{name}_noise" in read:
                read[f"{name}_other_seed"] = read.pop(f"{name}_noise")
                read.setdefault(f"{name}_floor", None)
        return read


def measure_fidelity(order: Order, size_bytes: int, wear: Wear) -> Fidelity | str:
    """The same log in this mode and twice in `write`, then the next seed in `write`; or why not."""
    written = replace(order, mode="write")
    other_seed = replace(written, seed=order.seed + 1)
    layouts: list[ScanResult] = []
    for each in (order, written, written, other_seed):
        try:
            worn = wear(each)
        except InputError as error:
            return f"on the small image: {error.what}"
        if worn.result.ended != "complete":
            return f"on the small image mode {each.mode} did not come to its end"
        layouts.append(worn.after)
    this, reference, again, other = layouts
    return Fidelity(
        mode=order.mode,
        size_bytes=size_bytes,
        seeds=(order.seed, order.seed + 1),
        extent_length_distance=distance(this.extent_lengths, reference.extent_lengths),
        extent_length_floor=distance(again.extent_lengths, reference.extent_lengths),
        extent_length_other_seed=distance(other.extent_lengths, reference.extent_lengths),
        free_length_distance=distance(_free(this), _free(reference)),
        free_length_floor=distance(_free(again), _free(reference)),
        free_length_other_seed=distance(_free(other), _free(reference)),
    )


def distance(first: Sequence[LengthBin], second: Sequence[LengthBin]) -> float | None:
    """The largest difference of shares of bytes in lengths below each power of two."""
    one, two = _bytes_by_length(first), _bytes_by_length(second)
    all_one, all_two = sum(one.values()), sum(two.values())
    if not all_one or not all_two:
        return None
    below_one = below_two = 0
    largest = 0.0
    for length in sorted({*one, *two}):
        below_one += one.get(length, 0)
        below_two += two.get(length, 0)
        largest = max(largest, abs(below_one / all_one - below_two / all_two))
    return largest


def _bytes_by_length(bins: Sequence[LengthBin]) -> dict[int, int]:
    return {each.at_least_bytes: each.size_bytes for each in bins}


def _free(scan: ScanResult) -> Sequence[LengthBin]:
    return scan.free.lengths if scan.free is not None else []
