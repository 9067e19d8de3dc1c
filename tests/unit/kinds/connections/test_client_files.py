"""How many files clients have: as asked, or as the room allows; never more than fit."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fsgauge.errors import InputError
from fsgauge.kinds.connections.client_files import ClientFiles, backup_file_space, own_file_space
from fsgauge.kinds.connections.keys import ConnectionsWorkload
from fsgauge.workload.assumed import Room
from fsgauge.workload.folders import FileSets

MIB = 1 << 20
GIB = 1 << 30


def sets(room: Room, **keys: Any) -> FileSets:
    return ClientFiles(ConnectionsWorkload(**keys)).sets(room)


def refused(room: Room, **keys: Any) -> InputError:
    with pytest.raises(InputError) as refusal:
        sets(room, **keys)
    return refusal.value


def test_a_share_of_the_storage_is_filled() -> None:
    found = sets(Room(100 * GIB, "ext4"))
    assert found.files_per_client == pytest.approx(40 * GIB / 590 / (2046 / 5 * 1024), rel=0.02)
    assert found.backup_files_per_client == pytest.approx(20 * GIB / 590 / MIB, rel=0.04)
    assert sets(Room(100 * GIB, "ext4"), tests=["write"]).backup_files_per_client == 0
    assert sets(Room(100 * GIB, "ext4"), tests=["backup"]).files_per_client == 0


def test_inodes_are_shared_out_too() -> None:
    room = Room(100 * GIB, "ext4", inodes=100_000, fewest="ext4")
    found = sets(room, clients=10, file_sizes=[4096], tests=["write"])
    assert found.files_per_client == (40_000 - 10) // 10


def test_the_numbers_that_fit_are_named_and_fit() -> None:
    room = Room(GIB, "xfs")
    keys: dict[str, Any] = {"clients": 10, "file_sizes": [MIB], "tests": ["write"]}
    error = refused(room, **keys, files_per_connection=200)
    assert error.what.startswith("10 clients with 200 files each need about")
    assert error.cause == '"xfs" leaves 1 GiB, and files may take up 97 % of that'
    fitting = int(error.next.split("=")[1].split(",")[0])
    assert 95 <= fitting <= 99
    assert sets(room, **keys, files_per_connection=fitting).files_per_client == fitting
    refused(room, **keys, files_per_connection=fitting + 1)


def test_fewer_clients_where_one_file_each_is_too_much() -> None:
    error = refused(Room(100 * MIB, "xfs"), clients=590, file_sizes=[MIB], tests=["write"])
    fitting = int(error.next.split("workload.clients=")[1].split(",")[0])
    assert sets(Room(100 * MIB, "xfs"), clients=fitting, file_sizes=[MIB], tests=["write"])
    error = refused(Room(MIB, "xfs"), clients=5, file_sizes=[2 * MIB], tests=["write"])
    assert error.next == "smaller files, or larger storage"


def test_too_few_inodes_are_refused() -> None:
    room = Room(100 * GIB, "ext4", inodes=1000, fewest="ext4")
    keys: dict[str, Any] = {"clients": 10, "file_sizes": [4096], "tests": ["write"]}
    error = refused(room, **keys, files_per_connection=100)
    assert "need 1012 inodes" in error.what
    assert error.cause == '"ext4" has 1000: mkfs decides how many'
    assert error.next.startswith("--set workload.files_per_connection=98, or larger storage")


def test_small_files_take_whole_blocks() -> None:
    refused(Room(GIB, ""), clients=1, file_sizes=[1], files_per_connection=300_000, tests=["write"])
    sets(Room(GIB, ""), clients=1, file_sizes=[1], files_per_connection=190_000, tests=["write"])


def test_drawn_sizes_have_a_margin() -> None:
    keys: dict[str, Any] = {"clients": 1, "file_sizes": [4096, 20 * MIB], "tests": ["write"]}
    room = Room(1100 * MIB, "")
    assert sets(room, **keys, files_per_connection=100)
    error = refused(room, **keys, files_per_connection=100, size_weights=[1, 1])
    assert "need about 1.2" in error.what


@settings(deadline=None, max_examples=50)
@given(
    st.integers(1, 300),
    st.integers(20 * MIB, 50 * GIB),
    st.sampled_from(["listed", "log-normal"]),
    st.sampled_from(["own", "shared"]),
)
def test_what_is_chosen_fits_or_is_refused(
    clients: int, free: int, distribution: str, tree: str
) -> None:
    workload = ConnectionsWorkload(
        clients=clients,
        size_distribution=distribution,  # type: ignore[arg-type]
        tree=tree,  # type: ignore[arg-type]
    )
    room = Room(free, "", inodes=free // 16384, fewest="")
    try:
        found = ClientFiles(workload).sets(room)
    except InputError as error:
        assert error.next
        return
    own, own_files = ClientFiles(workload).volume(found, clients, backup=False)
    backup, backup_files = ClientFiles(workload).volume(found, clients, backup=True)
    assert own + backup < free
    assert own_files + backup_files < free // 16384


def test_with_fill_all_numbers_of_clients_share_the_same_files_out() -> None:
    swept = ClientFiles(ConnectionsWorkload(clients=[10, 40, 80]))
    alone = ClientFiles(ConnectionsWorkload(clients=[80]))
    room = Room(8 * GIB, "")
    sets = swept.sets(room)
    assert sets == alone.sets(room)
    volumes = [swept.volume(sets, clients, backup=False) for clients in (10, 40, 80)]
    assert len({files for _, files in volumes}) == 1
    assert max(size for size, _ in volumes) < 1.01 * min(size for size, _ in volumes)


def test_files_per_connection_are_those_of_every_client() -> None:
    swept = ClientFiles(ConnectionsWorkload(clients=[10, 40], files_per_connection=7))
    sets = swept.sets(Room(8 * GIB, ""))
    found = [swept.volume(sets, clients, backup=False)[1] for clients in (10, 40)]
    assert found == [70, 280]


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


MAKING: dict[str, Any] = {
    "clients": 4,
    "files_per_connection": 10,
    "file_sizes": [MIB],
    "tests": ["write", "mix"],
    "mix": {"create": 1},
}


def test_files_that_a_mix_adds_have_to_fit() -> None:
    """A folder took more than storage.size, as only the files before the mix were counted."""
    error = refused(Room(GIB, ""), **MAKING)
    assert "with 10 files each and about 7," in error.what and "that the mix adds" in error.what
    found = re.match(r"--set workload.mix_duration=(\d+)ms, or larger storage", error.next)
    assert found is not None
    shorter = int(found[1]) * 10**6
    assert 1e9 < shorter < 2e9
    sets(Room(GIB, ""), **MAKING, mix_duration=shorter)
    refused(Room(GIB, ""), **MAKING, mix_duration=shorter * 11 // 10)
    sets(Room(GIB, ""), **MAKING | {"mix": {"create": 1, "delete": 1}})
    sets(Room(GIB, ""), **MAKING | {"tests": ["write"]})
    assert "--set workload.mix_duration" in refused(Room(GIB, "", 500, ""), **MAKING).next


def test_a_mix_adds_no_more_than_rests_and_a_server_allow() -> None:
    sets(Room(GIB, ""), **MAKING, think=10**9)
    small = MAKING | {"file_sizes": [1]}
    refused(Room(GIB, ""), **small)
    sets(Room(GIB, "", is_served=True), **small)


def test_files_that_are_saved_stand_next_to_the_old_ones() -> None:
    saving = MAKING | {"files_per_connection": 240, "mix": {"save": 1}, "clients": 4}
    sets(Room(GIB, ""), **saving)
    error = refused(Room(GIB, ""), **saving, outstanding=16)
    assert "about 64 that the mix adds" in error.what
