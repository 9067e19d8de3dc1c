"""What a study says of its machine: targets, turns, the environment."""

from __future__ import annotations

from typing import Any

from fsgauge.engine.wire import BlockTarget, EngineFault, FilesTarget, LayoutResult, LoadResult
from fsgauge.record.machine import Machine, StorageFacts
from fsgauge.record.parts import in_one
from fsgauge.record.records import EnvironmentRecord, RunRecord, SystemFacts, Turn, TurnRecord
from tests.synthetic.engine import ENGINE
from tests.synthetic.recipe import Recipe

MACHINE = "testbench"
"""The machine on which everything happened."""


def target_of(recipe: Recipe, system: str) -> BlockTarget | FilesTarget:
    if recipe.systems[system] == "raw":
        return BlockTarget(path="/dev/loop0", size_bytes=7 << 30)
    return FilesTarget(directory="/run/fsgauge/mnt", count=16, file_size_bytes=448 << 20)


_MOUNT_OPTIONS = {
    "ext4": "rw,noatime",
    "xfs": "rw,noatime,attr2,inode64,logbufs=8,logbsize=32k,noquota",
    "btrfs": "rw,noatime,ssd,discard=async,space_cache=v2,subvolid=5,subvol=/",
}


def turn_record(recipe: Recipe, turn: Turn) -> TurnRecord:
    kind = recipe.systems[turn.system]
    raw = kind == "raw"
    facts = SystemFacts(
        kind=kind,
        mkfs_command=[] if raw else [f"mkfs.{kind}", "-q", "/dev/loop0"],
        mkfs_output="",
        mount_source="/dev/loop0",
        mount_options="" if raw else _MOUNT_OPTIONS.get(kind, "rw,noatime"),
        tunables={},
        size_bytes=8 << 30,
        free_bytes=None if raw else int((0.8 if kind == "ext4" else 0.95) * 2**30),
        block_size_bytes=None if raw else 4096,
    )
    layout = LayoutResult(
        format=1,
        kind="layout",
        engine=ENGINE,
        files=1 if raw else 16,
        size_bytes=7 << 30,
        elapsed_ns=9 * 10**9,
        fsync_ns=10**8,
        notes=[],
        ended="size_limit",
    )
    return TurnRecord(
        block=turn.block,
        turn=turn.turn,
        system=turn.system,
        again=turn.again,
        facts=facts,
        target=target_of(recipe, turn.system).model_dump(),
        layout=layout,
        start_state=["blkdiscard /dev/loop0"],
        started_unix_ns=1_795_000_000 * 10**9,
        prepare_ns=11 * 10**9,
        notes=[],
    )


def environment(recipe: Recipe, hours: int) -> EnvironmentRecord:
    storage = StorageFacts(
        kind=recipe.storage_kind,
        sentence="loop file 8 GiB on ext4 /var/tmp, direct I/O, under it a solid state disk",
        size_bytes=8 << 30,
        device_chain=[{"name": "loop0", "kind": "loop"}, {"name": "vda", "kind": "disk"}],
        cautions=["The loop file lies on a disk that other work uses too."]
        if recipe.storage_kind == "loop"
        else [],
    )
    machine = Machine(
        name=MACHINE,
        role="load",
        captured_unix_ns=(1_795_000_000 + 3600 * hours) * 10**9,
        kernel="6.18.0",
        architecture="x86_64",
        distribution="Debian GNU/Linux 13",
        processor="Synthetic 2.0 GHz",
        processor_count=2,
        governor=None,
        memory_bytes=8 << 30,
        virtual_machine="kvm",
        load_average=0.3,
        clock_source="tsc",
        storage=storage,
        tool_versions={"mkfs.ext4": "1.47.2", "mkfs.xfs": "6.13.0"},
        missing={"governor": "no cpufreq in this virtual machine"},
    )
    return EnvironmentRecord(machines=[machine])


def with_machine(record: EnvironmentRecord, **changes: Any) -> EnvironmentRecord:
    """The same with facts of its only machine changed."""
    (machine,) = record.machines
    return EnvironmentRecord(machines=[machine.model_copy(update=changes)])


def result_of(run: dict[str, Any]) -> dict[str, Any]:
    """The result in the JSON of a run that one machine measured in one go."""
    (part,) = run["parts"]
    (only,) = part["slices"]
    result: dict[str, Any] = only["result"]
    return result


def with_result(
    run: RunRecord, result: LoadResult | None, fault: EngineFault | None = None
) -> RunRecord:
    """The same run with another result, or with a fault."""
    machine = run.parts[0].machine if run.parts else MACHINE
    return run.model_copy(update={"parts": in_one(machine, result), "fault": fault})
