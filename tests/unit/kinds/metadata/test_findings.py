"""Uneven clients, folders that never had their size, and answers from memory are findings."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from fsgauge.kinds.metadata.analysis import (
    MetadataAnalysis,
    from_memory,
    never_full,
    no_stonewall,
    uneven_at_the_stonewall,
)
from tests.unit.kinds.metadata.studies import records, run

WALLED = 'stonewall="1 s"'


def test_a_stonewall_that_finds_clients_uneven() -> None:
    even = run("create", WALLED, stonewall_ns=10**9, fewest_files=95, most_files=100)
    uneven = run("create", WALLED, stonewall_ns=10**9, fewest_files=50, most_files=100)
    assert list(uneven_at_the_stonewall([even])) == []
    (found,) = uneven_at_the_stonewall([even, uneven])
    assert found.level == "warning" and "one had 100 files and another 50" in found.sentence
    assert "All went on to as many." in found.sentence


def test_a_time_limit_that_leaves_clients_behind() -> None:
    (found,) = uneven_at_the_stonewall(
        [run("create", ended="duration", fewest_files=1, most_files=9)]
    )
    assert "workload.stonewall" in found.advice
    whole = run("create", fewest_files=1, most_files=9)
    assert list(uneven_at_the_stonewall([whole])) == []


def test_a_folder_that_never_had_its_size() -> None:
    keys = ("clients=2", "entries=100")
    assert list(never_full([run("create", *keys, files=100)])) == []
    (found,) = never_full([run("create", *keys, files=60, ended="duration")])
    assert (found.level, found.code) == ("warning", "metadata.folder_size")
    assert "there were 60 of 100 files" in found.sentence
    (meant,) = never_full([run("create", *keys, WALLED, files=60, stonewall_ns=10**9)])
    assert meant.level == "note"


def test_a_list_that_was_given_too_few_names() -> None:
    own, shared = (
        ("clients=2", "entries=100", 'folders="own"'),
        ("clients=2", "entries=100", 'folders="shared"'),
    )
    assert list(never_full([run("list", *own, files=2, names=100)])) == []
    (found,) = never_full([run("list", *own, files=2, names=80)])
    assert "there were 80 of 100 files" in found.sentence
    in_one = run("list", *shared, files=2, names=200)
    in_one.__dict__["parts"] = [object()]
    assert list(never_full([in_one])) == []


def test_a_list_from_caches_that_were_kept() -> None:
    kept = "synced; dentry and inode caches kept (not root)"
    (found,) = from_memory([run("list", caches=kept), run("create", caches=kept)])
    assert found.code == "metadata.caches_kept" and "1 of 1 runs" in found.sentence


def test_a_list_for_which_nothing_was_read() -> None:
    assert list(from_memory([run("list"), run("create", read_requests=0)])) == []
    assert list(from_memory([run("stat", read_requests=None)])) == []
    (found,) = from_memory([run("stat", read_requests=0), run("list")])
    assert found.code == "metadata.from_memory" and "1 of 2 runs" in found.sentence


def test_a_stonewall_that_no_run_reached() -> None:
    reached = run("create", WALLED, files=60, stonewall_ns=10**9)
    short = run("create", WALLED, files=100)
    plain = run("create", files=100)
    assert list(no_stonewall([reached, plain])) == []
    (found,) = no_stonewall([reached, short, plain])
    assert (found.level, found.code) == ("warning", "metadata.no_stonewall")
    assert "in 1 of 2 runs" in found.sentence and "before 1 s" in found.sentence
    assert "workload.entries" in found.advice and "workload.records" not in found.advice


def test_a_shared_file_that_was_whole_before_the_stonewall() -> None:
    """IO500's ior-hard rests on it, and nothing said that it was not reached."""
    keys = ('operations=["record write"]', WALLED)
    whole, walled = (records("record write", *keys, elapsed_ns=ns) for ns in (10**8, 2 * 10**9))
    assert list(no_stonewall([walled])) == []
    (found,) = no_stonewall([walled, whole])
    assert "in 1 of 2 runs" in found.sentence and "workload.records" in found.advice


def test_records_that_the_time_limit_cut_are_said_and_a_stonewall_is_meant() -> None:
    """Creates alone were: nothing said why a record read found a short file."""
    keys = ('operations=["record write"]',)
    cut = records("record write", *keys, elapsed_ns=10**9, ended="duration")
    whole = records("record write", *keys, elapsed_ns=10**9)
    walled = records("record write", *keys, WALLED, elapsed_ns=10**9, ended="duration")
    assert [run.left_files_short for run in (cut, whole, walled)] == [True, False, False]
    plan = SimpleNamespace(cells=[], systems=[])
    evidence: Any = SimpleNamespace(
        runs=[cut, whole, walled],
        samples=SimpleNamespace(plan=plan),
        study=SimpleNamespace(plan=plan),
    )
    found = {each.code: each for each in MetadataAnalysis().findings(evidence)}["clients.cut"]
    assert found.sentence.startswith("In 1 of 2 runs the time limit ended the work early")
    assert "workload.records" in found.advice
