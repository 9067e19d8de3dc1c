"""What a file takes on storage, before it is made."""

from __future__ import annotations

import random

import pytest

from fsgauge.kinds.connections.file_sizes import backup_file_space, own_file_space
from fsgauge.kinds.connections.keys import ConnectionsWorkload


def test_sizes_in_turn_are_known_exactly() -> None:
    space = own_file_space(ConnectionsWorkload(file_sizes=[1, 8192]))
    assert (space.contents, space.allocated, space.deviation) == (4096.5, 6144, 0)
    assert backup_file_space(ConnectionsWorkload()).allocated_of(3, 1) == 3 << 20


@pytest.mark.parametrize("clients", [1, 2, 3, 4, 5, 7, 11, 30])
@pytest.mark.parametrize("files", [1, 2, 3, 4, 6, 9, 20])
@pytest.mark.parametrize("sizes", [[1], [100, 8192], [5, 4096, 40_000, 70_001]])
def test_few_files_in_turn_are_summed_one_by_one(
    clients: int, files: int, sizes: list[int]
) -> None:
    """The mean is another: five clients of four files said 8 MiB, and wrote 1.8 MiB."""
    space = own_file_space(ConnectionsWorkload(file_sizes=sizes))
    each = [sizes[(c + f) % len(sizes)] for c in range(clients) for f in range(files)]
    assert space.contents_of(clients, files) == sum(each)
    assert space.allocated_of(clients, files) == sum(-(-size // 4096) * 4096 for size in each)


def test_weights_count() -> None:
    space = own_file_space(ConnectionsWorkload(file_sizes=[4096, 40960], size_weights=[8, 1]))
    assert space.contents == pytest.approx(8192)
    assert space.deviation > 0
    assert space.allocated_of(100, 1) > space.contents_of(100, 1)


def test_log_normal_sizes_are_those_that_are_drawn() -> None:
    workload = ConnectionsWorkload(size_distribution="log-normal")
    space = own_file_space(workload)
    chance = random.Random(7)
    drawn = [
        min(max(32768 * 2.718281828 ** chance.gauss(0, 2), 1024), 16 << 20) for _ in range(200_000)
    ]
    assert space.contents == pytest.approx(sum(drawn) / len(drawn), rel=0.03)
    assert space.allocated_of(200_000, 1) > sum(-(-size // 4096) * 4096 for size in drawn)
