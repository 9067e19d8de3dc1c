"""Whether every writer finds a place in the file, and what is said where one does not."""

from __future__ import annotations

from fsgauge.errors import InputError
from fsgauge.units import exact_size, format_size


def fewest_places(ranges: str, units: int, blocks_a_unit: int, writers: int) -> int:
    """Blocks of the writer that has the fewest; `units` are dealt, each of some blocks."""
    dealt = units if ranges in ("shared", "own files") else units // writers
    return dealt * blocks_a_unit


def too_many(
    ranges: str,
    writers: int,
    fitting: list[int],
    needed: int,
    file_bytes: int,
    unit_bytes: int,
    cause: str,
) -> InputError:
    """The refusal; `fitting` are the numbers of writers that would have places."""
    places = file_bytes // unit_bytes
    each = "one each" if needed == 1 else f"{needed} blocks each, to be verified"
    counts = ", ".join(str(count) for count in fitting)
    return InputError(
        f"the file is too small for {writers} writers with {ranges} ranges",
        details=(
            f"{format_size(file_bytes)} hold {places} units of {exact_size(unit_bytes)},"
            f" and the writers need {each}",
        ),
        cause=cause,
        next=f"--set 'workload.writers=[{counts}]', or larger storage"
        if fitting
        else "larger storage, or a larger workload.fill",
    )
