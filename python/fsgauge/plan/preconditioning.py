"""What preconditioning takes: seconds, bytes, and how much of a flash device's life."""

from __future__ import annotations

from fsgauge.record.preconditioning import MOST_ROUNDS, PASSES, ROUNDS
from fsgauge.study.model import Study
from fsgauge.study.storage import is_preconditioned
from fsgauge.units import figure, format_duration, format_size
from fsgauge.workload.assumed import EXPECTED, FASTEST, Speed

EXPECTED_ROUNDS = 10
_DAY_SECONDS = 24 * 3600.0


def storage_seconds(study: Study, size_bytes: int, speed: Speed = EXPECTED) -> float:
    """Once for the study, before its first turn."""
    return storage_written_bytes(study, size_bytes) / speed.bytes_per_second


def storage_written_bytes(study: Study, size_bytes: int) -> int:
    return PASSES * size_bytes if is_preconditioned(study.storage) else 0


def rounds(study: Study, speed: Speed = EXPECTED) -> int:
    """Rounds of a cell's own load before each run."""
    if not is_preconditioned(study.storage):
        return 0
    if speed == FASTEST:
        return ROUNDS
    return EXPECTED_ROUNDS if speed == EXPECTED else MOST_ROUNDS


def most_rounds(study: Study) -> int:
    """The most that are made, for the bytes that may be written."""
    return MOST_ROUNDS if is_preconditioned(study.storage) else 0


def endurance(
    study: Study, size_bytes: int, written_bytes: int, seconds: float, longest_seconds: float
) -> str:
    """What the plan takes of the device's endurance; "" where it is not preconditioned."""
    if not is_preconditioned(study.storage) or size_bytes == 0:
        return ""
    writes = written_bytes / size_bytes
    days = seconds / _DAY_SECONDS
    rate = f", at a rate of {figure(writes / days)} drive writes a day" if days > 0 else ""
    return (
        f"up to {figure(written_bytes / 1e12)} TB written, {figure(writes)} times the"
        f" {format_size(size_bytes)} of the device, in {format_duration(int(seconds * 1e9))}"
        f" ({format_duration(int(longest_seconds * 1e9))} where every cell needs"
        f" {MOST_ROUNDS} rounds){rate}"
    )
