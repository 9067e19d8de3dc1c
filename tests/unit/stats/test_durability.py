"""A system that gives up durability is never praised without it, and only such a one is marked.

Systems that answered fsync without a flush, by counters below the virtual machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from fsgauge.engine.wire import DsyncSync, FileOperation, FsyncSync, WeightedOperation
from fsgauge.record.parts import Part, Slice, Traffic
from fsgauge.record.records import RunRecord
from fsgauge.stats import Results, read_study
from fsgauge.stats.durability import (
    OPTION,
    caveats,
    durability_of,
    names_in,
    running_with,
    unflushed,
)
from fsgauge.stats.results import Durability, WeakSystem
from tests.synthetic import SyntheticStudy, make_study
from tests.synthetic.setting import with_machine
from tests.synthetic_writers import make_writers
from tests.unit.stats.one_run import one_run

SMALL: dict[str, Any] = {
    "patterns": ("randwrite",),
    "block_sizes": (4096,),
    "queue_depths": (32,),
    "blocks": 6,
    "noise": 0.01,
    "systems": {"ext4": "ext4", "ext4 wb": "ext4", "xfs": "xfs"},
    "effect": lambda system, cell: {"ext4 wb": 1.5, "xfs": 1.1}.get(system, 1.0),
}


def with_options(study: SyntheticStudy, system: str | None, options: str) -> Results:
    turns = [
        turn.model_copy(update={"facts": turn.facts.model_copy(update={"mount_options": options})})
        if system in (None, turn.system)
        else turn
        for turn in study.turns
    ]
    return read_study(turns, study.runs, study.study, study.before, study.after)


def test_a_sentence_that_praises_says_what_the_system_gave_up() -> None:
    results = with_options(make_study(**SMALL), "ext4 wb", "rw,noatime,data=writeback")
    assert "ext4 wb" in results.answer
    assert results.answer.endswith(
        " ext4 wb runs with data=writeback: a crash may lose or expose old data."
    )
    (weak,) = results.durability.systems
    assert (weak.system, weak.option, weak.guards) == ("ext4 wb", "data=writeback", "crash")
    finding = next(f for f in results.findings if f.code == "durability.weakened")
    assert finding.level == "warning" and "ext4.rst" in finding.advice
    assert "data=writeback: a crash may lose or expose old data" in finding.sentence


def test_many_systems_that_give_up_the_same_are_one_finding() -> None:
    """A comparison of thirty folders in memory had thirty times the same two findings."""
    made = make_study(**(SMALL | {"systems": {f"fs{number}": "ext4" for number in range(9)}}))
    found = [
        each
        for each in with_options(made, None, "rw,data=writeback").findings
        if each.code == "durability.weakened"
    ]
    assert [each.sentence.partition(" (")[0] for each in found] == [
        "fs0, fs1, fs2 and 6 more give up durability"
    ]


def test_an_option_that_weakens_nothing_is_not_named() -> None:
    results = with_options(make_study(**SMALL), "ext4 wb", "rw,noatime,nodelalloc")
    assert results.durability.systems == []
    assert not any(f.code == "durability.weakened" for f in results.findings)
    assert "runs with" not in results.answer


def weak(system: str, option: str, loses: str) -> WeakSystem:
    return WeakSystem(system=system, option=option, loses=loses, source="mount(8)", guards="crash")


def test_only_whole_names_are_named() -> None:
    assert names_in("ext4 wb keeps 94 % of ext4", ["ext4", "ext4 wb"]) == ["ext4", "ext4 wb"]
    assert names_in("ext4 wb keeps 94 % of raw", ["ext4", "ext4 wb"]) == ["ext4 wb"]
    assert names_in("ext4-b keeps 94 % of raw", ["ext4"]) == []


def test_systems_with_the_same_weakness_share_a_sentence() -> None:
    both = Durability(
        systems=[weak("a", "nobarrier", "data"), weak("b", "nobarrier", "data")], of_all=[]
    )
    assert caveats("a beats b.", both) == ["a and b run with nobarrier: data."]
    assert caveats("a wins.", both) == ["a runs with nobarrier: data."]
    assert caveats("c wins.", both) == []


def test_an_option_in_the_name_is_not_said_again() -> None:
    """ "ext4 nobarrier runs with nobarrier" says it twice."""
    told = {
        "ext4 nobarrier": (("nobarrier",), "ext4 nobarrier"),
        "ext4 nobarrier,commit=60": (("nobarrier", "commit=60"), "ext4 nobarrier,commit=60"),
        "ext4 commit=60": (("commit=600",), "ext4 commit=60 runs with commit=600"),
        "nobarrier": (("nobarrier", "commit=60"), "nobarrier runs with commit=60"),
    }
    assert {each: running_with([each], of) for each, (of, _) in told.items()} == {
        each: said for each, (_, said) in told.items()
    }
    both = ["ext4 nobarrier", "xfs nobarrier"]
    assert running_with(both, ["nobarrier"]) == "ext4 nobarrier and xfs nobarrier"
    assert running_with([*both, "fast"], ["nobarrier"]).endswith("and fast run with nobarrier")


def test_memory_holds_nothing() -> None:
    study = make_study(**{**SMALL, "storage_kind": "ram"})
    results = study.results()
    assert any("memory" in text for text in results.durability.of_all)
    on_tmpfs = study.before.storage.model_copy(
        update={"kind": "loop", "device_chain": [{"kind": "file_system", "file_system": "tmpfs"}]}
    )
    found = durability_of(["ext4"], study.turns, [], on_tmpfs)
    assert [text for text in found.of_all if "memory" in text]


def test_one_folder_in_memory_says_nothing_of_another_on_a_disk() -> None:
    """The page of such a study said that a power failure loses everything on every system."""
    study = make_study(**SMALL)
    memory = {"kind": "file_system", "path": "/dev/shm/a", "file_system": "tmpfs"}
    disk = [
        {"kind": "file_system", "path": "/srv/b", "file_system": "ext4"},
        {"kind": "device", "path": "/dev/sda"},
    ]
    served = [{"kind": "file_system", "path": "/net/c", "file_system": "nfs4"}]
    loop = [
        {"kind": "file_system", "path": "/mnt/d", "file_system": "xfs"},
        {"kind": "device", "path": "/dev/loop0", "backing_file": "/dev/shm/image"},
    ]
    for chain, all_memory in (
        ([memory, *disk], False),
        ([*disk, memory], False),
        ([memory, *served], False),
        ([*served, memory], False),
        ([*loop, memory], True),
        ([memory, *loop, memory], True),
    ):
        storage = study.before.storage.model_copy(update={"kind": "path", "device_chain": chain})
        found = durability_of(["ext4"], study.turns, [], storage)
        assert any("memory" in text for text in found.of_all) is all_memory, chain


@pytest.mark.parametrize("sync", [DsyncSync(), FsyncSync(every=8)], ids=lambda sync: sync.kind)
def test_a_load_that_never_syncs_is_named_and_one_that_does_is_not(sync: Any) -> None:
    study = make_study(**SMALL)

    def said(runs: list[Any]) -> list[str]:
        return durability_of(
            study.study.plan.systems, study.turns, runs, study.before.storage
        ).of_all

    assert any("nothing syncs" in text for text in said(study.runs))
    synced = [
        run.model_copy(update={"job": run.job.model_copy(update={"sync": sync})})
        for run in study.runs
    ]
    assert said(synced) == []
    reading = make_study(**{**SMALL, "patterns": ("randread",)}).runs
    assert said(reading) == []


@pytest.mark.parametrize("called", ["fsync", "fdatasync"])
def test_a_mix_that_calls_fsync_by_its_weight_is_synced(called: FileOperation) -> None:
    """Of mix-mail, whose page has its fsyncs, it said that nothing syncs."""
    study = make_study(**SMALL)

    def said(weight: int) -> list[str]:
        drawn = [
            WeightedOperation(operation="write", weight=4),
            WeightedOperation(operation=called, weight=weight),
        ]
        runs = [
            run.model_copy(update={"job": run.job.model_copy(update={"operations": drawn})})
            for run in study.runs
        ]
        systems = study.study.plan.systems
        return durability_of(systems, study.turns, runs, study.before.storage).of_all

    assert said(1) == [] and any("nothing syncs" in text for text in said(0))


def test_slices_that_pay_for_their_sync_are_durable() -> None:
    study = make_study(**SMALL)
    charged = [
        run.model_copy(
            update={
                "parts": [
                    Part(
                        machine=part.machine,
                        slices=[
                            Slice(start_ns=each.start_ns, result=each.result, sync_ns=1_000_000)
                            for each in part.slices
                        ],
                    )
                    for part in run.parts
                ]
            }
        )
        for run in study.runs
    ]
    assert durability_of(["ext4"], study.turns, charged, study.before.storage).of_all == []


def test_writers_say_it_too() -> None:
    """One path for all kinds: the sentence of another kind has it as well."""
    results = with_options(make_writers(blocks=6), "xfs", "rw,nobarrier")
    assert "xfs" in results.answer and "xfs runs with nobarrier" in results.answer


def test_a_noisy_shared_disk_is_not_said_to_hold() -> None:
    def advice(noise: float) -> str:
        study = make_study(**{**SMALL, "noise": noise, "storage_kind": "loop"})
        before = with_machine(study.before)
        results = read_study(study.turns, study.runs, study.study, before, study.after)
        return next(f.advice for f in results.findings if f.code == "storage.caution")

    assert advice(0.01).startswith("Ratios hold within its noise here (")
    assert "too noisy" in advice(0.5) and "Ratios hold" not in advice(0.5)


def runs(flushes: Mapping[str, list[int | None]]) -> list[RunRecord]:
    made = []
    for system, counts in flushes.items():
        for number in counts:
            parts = {"write": 9} | ({} if number is None else {"flush": number})
            counted = Traffic(name="disk_requests", title="", unit="", parts=parts)
            made.append(one_run().model_copy(update={"system": system, "traffic": [counted]}))
    return made


def named(flushes: Mapping[str, list[int | None]], *, synced: bool | None = True) -> list[str]:
    found = unflushed(list(flushes), runs(flushes), lambda _: synced)
    assert all(each.option == OPTION for each in found)
    return [each.system for each in found]


def test_who_never_flushed_where_another_did_is_named() -> None:
    """OCFS2 was "better" than ext3 at writing: without barrier=1 it never flushed its disk."""
    found = unflushed(["ext3", "ocfs2"], runs({"ext3": [2, 4], "ocfs2": [0, 0, 0]}), lambda _: True)
    (weak,) = found
    assert weak.system == "ocfs2"
    assert weak.source == (
        "flushes counted below the virtual machines: none in 3 synced runs, 6 in 2 of ext3"
    )


def test_one_flush_is_enough_and_so_is_a_study_in_which_no_one_flushes() -> None:
    assert named({"ext3": [2], "gfs2": [0, 1]}) == []
    assert named({"ext3": [0], "gfs2": [0]}) == []


def test_nothing_is_said_of_runs_that_were_not_synced_or_not_counted() -> None:
    assert named({"ext3": [2], "ocfs2": [0]}, synced=False) == []
    assert named({"ext3": [2], "ocfs2": [None]}) == []
