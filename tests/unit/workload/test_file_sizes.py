"""What a file takes on storage, before it is made."""

from __future__ import annotations

import random

import pytest

from fsgauge.study.model import ConnectionsWorkload
from fsgauge.workload.file_sizes import backup_file_space, own_file_space


def test_sizes_in_turn_are_known_exactly() -> None:
    space = own_file_space(ConnectionsWorkload(file_sizes=[1, 8192]))
    assert (space.contents, space.allocated, space.deviation) == (4096.5, 6144, 0)
    assert backup_file_space(ConnectionsWorkload()).allocated_of(3) == 3 << 20


def test_weights_count() -> None:
    space = own_file_space(ConnectionsWorkload(file_sizes=[4096, 40960], size_weights=[8, 1]))
    assert space.contents == pytest.approx(8192)
    assert space.deviation > 0
    assert space.allocated_of(100) > space.contents_of(100)


def test_log_normal_sizes_are_those_that_are_drawn() -> None:
    workload = ConnectionsWorkload(size_distribution="log-normal")
    space = own_file_space(workload)
    chance = random.Random(7)
    drawn = [
        min(max(32768 * 2.718281828 ** chance.gauss(0, 2), 1024), 16 << 20) for _ in range(200_000)
    ]
    assert space.contents == pytest.approx(sum(drawn) / len(drawn), rel=0.03)
    assert space.allocated_of(200_000) > sum(-(-size // 4096) * 4096 for size in drawn)
