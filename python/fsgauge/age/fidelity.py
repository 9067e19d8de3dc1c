"""How far the layout of a mode is from that of files that are written, on a small image.

The distance is Kolmogorov and Smirnov's: the largest difference of two cumulated distributions,
here of bytes by the length of the extent that they lie in. Lengths are known in powers of two, so
it is never less than shown. The noise floor is the distance of mode `write` from itself with
another seed: a distance below it says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pydantic import BaseModel, ConfigDict

from fsgauge.age.wearing import Order, Worn
from fsgauge.errors import InputError
from fsgauge.wire import AgeMode, LengthBin, ScanResult

SMALL_BYTES = 512 << 20
Wear = Callable[[Order], Worn]


class Fidelity(BaseModel):
    """Distances from mode `write`, 0 to 1, and its own noise; None: nothing to compare."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: AgeMode
    size_bytes: int
    seeds: tuple[int, int]
    extent_length_distance: float | None
    extent_length_noise: float | None
    free_length_distance: float | None
    free_length_noise: float | None


def measure_fidelity(order: Order, size_bytes: int, wear: Wear) -> Fidelity | str:
    """The same log in this mode and in `write`, and `write` with the next seed; or why not."""
    written = replace(order, mode="write")
    again = replace(written, seed=order.seed + 1)
    layouts: list[ScanResult] = []
    for each in (order, written, again):
        try:
            worn = wear(each)
        except InputError as error:
            return f"on the small image: {error.what}"
        if worn.result.ended != "complete":
            return f"on the small image mode {each.mode} did not come to its end"
        layouts.append(worn.after)
    this, reference, other = layouts
    return Fidelity(
        mode=order.mode,
        size_bytes=size_bytes,
        seeds=(order.seed, order.seed + 1),
        extent_length_distance=distance(this.extent_lengths, reference.extent_lengths),
        extent_length_noise=distance(other.extent_lengths, reference.extent_lengths),
        free_length_distance=distance(_free(this), _free(reference)),
        free_length_noise=distance(_free(other), _free(reference)),
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
