"""Limits in words: those that bind, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.record.limits import IoLimit, Limits, Throttled, in_force, memory_is_limited
from tests.unit.stats.test_machine_findings import MIB, limits


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, []),
        ({"processor_quota": 1.99}, ["CPU quota of 1.99 processors"]),
        ({"processor_quota": 2.0}, []),
        ({"online_processors": 8}, ["2 of 8 processors"]),
        ({"memory_bytes": 160 * MIB}, ["memory of 160 MiB"]),
        ({"memory_bytes": 8 << 30}, []),
        ({"nice": -5}, ["nice -5"]),
        ({"scheduling": "idle"}, ["scheduling idle"]),
        ({"resources": {"fsize": MIB}}, ["size of a file of 1 MiB"]),
        ({"resources": {"as": 2 << 30}}, ["address space of a process of 2 GiB"]),
        ({"resources": {"nofile": 256, "nproc": 9, "memlock": 0}}, []),
        ({"io": [IoLimit(device="/dev/sda", read_bytes=4096)]}, ["reads of /dev/sda at 4 KiB/s"]),
        ({"io": [IoLimit(device="/dev/sdb", write_operations=9)]}, []),
    ],
)  # fmt: skip
def test_what_binds(changes: dict[str, Any], words: list[str]) -> None:
    assert in_force(limits(**changes), 2, ["/dev/sda"]) == words


def test_old_records_have_none() -> None:
    assert in_force(None, 2) == [] and not memory_is_limited(None)


def test_memory_that_is_less_than_an_unknown_size_is_limited() -> None:
    assert memory_is_limited(limits(memory_bytes=1, machine_memory_bytes=None))


def test_counters_that_began_anew_count_nothing() -> None:
    before = Throttled(periods=9, throttled_periods=5, throttled_ns=7)
    now = Throttled(periods=3, throttled_periods=1, throttled_ns=1)
    assert now.since(before) == Throttled(periods=0, throttled_periods=0, throttled_ns=0)
    assert now.since(before).share == 0.0


def test_a_record_says_nothing_of_a_quota_that_is_none() -> None:
    assert Limits.model_validate_json(limits().model_dump_json()) == limits()
