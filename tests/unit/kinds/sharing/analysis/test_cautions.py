"""Which cells are tests of caches: by the file's size and the memory of client and server.

Cluster file systems on one node: their locks stay there, and the page says so.
"""

from __future__ import annotations

import pytest

from fsgauge.kinds.sharing.analysis.cautions import (
    SHARE_FOR_FILES,
    cache_test_finding,
    counted,
    memory_of,
    one_node_finding,
    with_local_locks,
    words,
)
from fsgauge.kinds.sharing.analysis.model import CellMemory
from fsgauge.record.machine import Machine
from fsgauge.record.records import EnvironmentRecord
from fsgauge.stats.analysis import Material
from tests.synthetic_sharing import make_sharing

GIB = 1 << 30


def machine(name: str, role: str, memory_bytes: int) -> Machine:
    first = make_sharing(2).before.machines[0]
    changes = {"name": name, "role": role, "memory_bytes": memory_bytes}
    return first.model_copy(update=changes)


def material(machines: list[Machine], **changes: object) -> Material:
    """Two tests on a file of 16 MiB, unless `changes` of the factors say otherwise."""
    study = make_sharing(2).study
    plan = study.plan
    cells = [
        cell.model_copy(update={"factors": {**cell.factors, **changes}}) for cell in plan.cells
    ]
    plan = plan.model_copy(update={"cells": cells})
    return Material(
        study=study.model_copy(update={"plan": plan}),
        whole_plan=plan,
        turns=[],
        runs=[],
        path_runs=[],
        scans=[],
        steps=[],
        environment=EnvironmentRecord(machines=machines, left_out=[]),
        samples={},
        equivalence_percent=5.0,
        limits={},
    )


CLIENT, SERVER = machine("c", "load", GIB), machine("s", "server", 3 * GIB)
BELOW = machine("rack", "host", 64 * GIB)


def verdicts(machines: list[Machine], **changes: object) -> list[tuple[bool, bool]]:
    found = memory_of(material(machines, **changes))
    return [(each.is_small, each.is_cache_test) for each in found]


def test_a_file_is_held_against_twice_the_memory_of_client_and_server() -> None:
    """Client 1 GiB, server 3 GiB: 8 GiB are enough, a byte less is not."""
    machines = [CLIENT, SERVER, BELOW]
    assert verdicts(machines, file_size_bytes=8 * GIB) == [(False, False)] * 2
    assert verdicts(machines, file_size_bytes=8 * GIB - 1) == [(True, True)] * 2


def test_without_a_server_it_is_the_client_s_memory_that_counts() -> None:
    (first, _) = memory_of(material([CLIENT, BELOW], file_size_bytes=2 * GIB))
    assert first.memory_bytes == {"c": GIB} and first.servers == []
    assert not first.is_cache_test


def test_of_several_clients_the_largest_counts_since_each_has_a_file() -> None:
    second = machine("d", "load 2", 2 * GIB)
    assert [each.name for each in counted([CLIENT, second, SERVER])] == ["d", "s"]


def test_a_write_that_is_not_flushed_is_a_cache_test_whatever_its_size() -> None:
    (first, _) = memory_of(material([CLIENT], file_size_bytes=64 * GIB, is_cache_test=True))
    assert (first.is_small, first.is_unflushed, first.is_cache_test) == (False, True, True)


def test_tests_on_empty_files_have_no_file_to_hold() -> None:
    assert memory_of(material([CLIENT], file_size_bytes=None, folder_files=10)) == []
    assert memory_of(material([BELOW])) == []


def said(cells: list[CellMemory]) -> list[str]:
    return [each.sentence for each in cache_test_finding(cells, make_sharing(2).study.plan)]


def test_the_finding_says_by_which_half_of_the_rule() -> None:
    small = material([CLIENT, SERVER], is_cache_test=True)
    (sentence,) = said(memory_of(small))
    assert "2 of 2 cells with a file that is smaller than twice the memory" in sentence
    assert "8 GiB; 2 of 2 cells with writes not flushed" in sentence
    (found,) = cache_test_finding(memory_of(small), small.study.plan)
    assert found.advice.startswith("--set 'workload.file_sizes=[\"8 GiB\"]' and --set workload.inc")
    assert said(memory_of(material([CLIENT], file_size_bytes=64 * GIB))) == []


def test_the_advice_makes_room_for_the_files_that_it_asks_for() -> None:
    """The advice "file_sizes 4 GiB" was refused by the next command: there was room for 288 MiB."""
    small = material([CLIENT, SERVER])
    (found,) = cache_test_finding(memory_of(small), small.study.plan, "loop")
    assert "--set 'storage.size=10 GiB'" in found.advice
    assert 10 * GIB * SHARE_FOR_FILES >= 8 * GIB
    (on_folders,) = cache_test_finding(memory_of(small), small.study.plan, "path")
    assert "--set 'storage.size=10 GiB'" in on_folders.advice
    assert "hours" not in on_folders.advice
    (on_a_device,) = cache_test_finding(memory_of(small), small.study.plan, "device")
    assert "storage.size" not in on_a_device.advice


@pytest.mark.parametrize(
    ("options", "is_local"),
    [
        ("rw,relatime,localflocks,rgrplvb", True),
        ("rw,relatime,heartbeat=none,nointr", True),
        ("rw,relatime,heartbeat=local", False),
        ("rw,relatime", False),
    ],
)
def test_a_mount_s_options_in_force_say_whether_others_take_part(
    options: str, is_local: bool
) -> None:
    turns = [
        turn.model_copy(update={"facts": turn.facts.model_copy(update={"mount_options": options})})
        for turn in make_sharing(2).turns
        if turn.system == "ocfs2"
    ]
    found = material([CLIENT])
    assert with_local_locks(type(found)(**{**vars(found), "turns": turns})) == (
        ["ocfs2"] if is_local else []
    )


def test_the_words_send_to_the_study_that_has_two_nodes() -> None:
    assert words(["gfs2"]) == "gfs2 is mounted on one node only, so its locks never leave it"
    (found,) = one_node_finding(["gfs2", "ocfs2"])
    assert found.sentence.startswith(
        "gfs2 and ocfs2 are mounted on one node only, so their locks never leave it"
    )
    assert found.advice.startswith("fsgauge run two-nodes")
    assert list(one_node_finding([])) == []
