"""Ageing on real file systems: the state after each step, by the scanner and by statvfs."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from fsgauge.errors import InputError, RigError
from fsgauge.kinds.aging.factors import AgingFactors
from fsgauge.machine.facts.mounts import mount_at
from fsgauge.machine.ledger.ledger import clean_up_after_the_dead
from fsgauge.progress import Progress
from fsgauge.record.records import Cell, ScanRecord, StepRecord, Turn
from fsgauge.rig.host.rig import HostRig
from fsgauge.store import StoredStudy, read_results
from fsgauge.store.abandon import whole_blocks
from fsgauge.study.model import Study
from tests.needs import need_mkfs
from tests.patience import patience
from tests.rigs.conftest import MEBIBYTE, Scene
from tests.rigs.conftest import run as command
from tests.rigs.measured import measured
from tests.rigs.test_connections_faults import command as program

pytestmark = pytest.mark.root
System = dict[str, object]


def chunked(kind: str, mebibytes: int) -> System:
    chunk = mebibytes * MEBIBYTE
    return {"name": f"{kind} {mebibytes}", "kind": kind, "allocation_chunk": chunk}


def study_of(systems: list[System], mebibytes: int, **keys: object) -> Study:
    """Ten files on memory, two streams, three levels."""
    own = {"files": 10, "streams": 2, "levels": [10]} | keys
    return Study.model_validate(
        {
            "format": 1,
            "name": "aging",
            "question": "What is left of the rates?",
            "storage": {"kind": "ram", "size": mebibytes * MEBIBYTE},
            "system": systems,
            "workload": {"kind": "aging"} | own,
            "plan": {"seed": 1, "blocks": 2},
        }
    )


def scan_of(stored: StoredStudy, system: str, cell: str | None) -> ScanRecord:
    when = "aged" if cell is None else "after cell"
    found = (each for each in stored.scans if (each.system, each.cell) == (system, cell))
    return next(each for each in found if each.when == when)


def bytes_by_length(scan: ScanRecord) -> Counter[int]:
    """Bytes of the listed files in extents of each length."""
    assert scan.result is not None, scan.fault
    found: Counter[int] = Counter()
    for file in scan.result.top:
        for extent in file.list:
            found[extent.length_bytes] += extent.length_bytes
    return found


def steps_of(stored: StoredStudy, turn: int) -> list[StepRecord]:
    return [step for step in stored.steps if (step.block, step.turn) == (0, turn)]


def test_the_published_method_on_ext4(scene: Scene, rig: HostRig, tmp_path: Path) -> None:
    study = study_of([chunked("ext4", 1), chunked("ext4", 4)], 480)
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None
    assert whole_blocks(stored) == {0, 1}
    assert len(stored.runs) == 2 * 3 * 4 and all(run.result for run in stored.runs)
    file_bytes = stored.turns[0].target["file_size_bytes"]
    rate_bytes = 2 * stored.turns[0].target["rate_file_bytes"]
    for run in stored.runs:
        assert run.result is not None
        moved = run.result.write if AgingFactors.of(run.cell).side == "write" else run.result.read
        assert moved is not None
        assert moved.size_bytes == rate_bytes and moved.errors == 0
    for mebibytes in (1, 4):
        # Files dealt piece by piece: every byte in pieces of exactly the chunk.
        aged = scan_of(stored, f"ext4 {mebibytes}", None)
        assert bytes_by_length(aged) == {mebibytes * MEBIBYTE: 10 * file_bytes}
        # What one deleted file has freed are its pieces, and new files are in them.
        holes = scan_of(stored, f"ext4 {mebibytes}", "free-10-write")
        in_pieces = bytes_by_length(holes)[mebibytes * MEBIBYTE]
        assert in_pieces >= 0.7 * rate_bytes
        assert holes.result is not None and holes.result.map is not None
        assert holes.result.free is not None
        clean = scan_of(stored, f"ext4 {mebibytes}", "clean-write")
        assert clean.result is not None and clean.result.free is not None
        assert (clean.result.free.largest_bytes or 0) > 64 * MEBIBYTE
    assert scene.left() == []


def test_free_space_is_what_deletes_give_back(scene: Scene, rig: HostRig, tmp_path: Path) -> None:
    study = study_of([chunked("ext4", 1)], 320, levels=[10, 50, 100])
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None
    file_bytes = stored.turns[0].target["file_size_bytes"]
    names = []
    for turn in (0, 1):
        steps = steps_of(stored, turn)
        assert [step.number for step in steps] == list(range(len(steps)))
        words = [step.step for step in steps]
        assert words == [
            *("clear", "age", "ballast", "delete"),
            *("clear", *["delete"] * 4),
            *("clear", *["delete"] * 5),
        ]
        ballast = steps[2]
        assert ballast.free_bytes < 24 * MEBIBYTE  # ext4 keeps 16 MiB for its own use
        freed = [step for step in steps if step.step == "delete"]
        # Each level: what was free after the ballast, and k files; rate files are gone by then.
        for count, step in enumerate(freed, 1):
            assert abs(step.size_bytes - file_bytes) < MEBIBYTE
            assert abs(step.free_bytes - ballast.free_bytes - count * file_bytes) < 2 * MEBIBYTE
        names.append([step.what for step in freed])
        age = steps[1]
        assert age.result is not None and age.result.live_files == 10
        assert age.result.live_bytes == age.size_bytes == 10 * file_bytes
    assert len(set(names[0])) == 10 and names[0] == names[1]
    assert scene.left() == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("system", "keys", "piece"),
    [
        ({"name": "xfs hint", "kind": "xfs", "extent_size_hint": 2 * MEBIBYTE}, {}, 2),
        ({"name": "xfs", "kind": "xfs"}, {}, None),
        ({"name": "ext4", "kind": "ext4"}, {"aged_by": "write", "verify": True}, None),
        (chunked("btrfs", 1), {}, 1),
    ],
    ids=["xfs-hint", "xfs", "ext4-write", "btrfs-chunk"],
)
def test_other_systems_and_their_own_allocators(
    system: System,
    keys: dict[str, object],
    piece: int | None,
    scene: Scene,
    rig: HostRig,
    tmp_path: Path,
) -> None:
    need_mkfs(system["kind"])
    study = study_of([system], 400, **keys)
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None
    assert all(run.result for run in stored.runs), [run.fault for run in stored.runs]
    if keys.get("verify"):
        writes = [run for run in stored.runs if AgingFactors.of(run.cell).side == "write"]
        checked = [run.result.integrity for run in writes if run.result]
        assert all(each and each.checked_blocks and not each.faulty for each in checked)
    mode = {step.result.mode for step in stored.steps if step.result}
    asked = str(keys.get("aged_by", "fast" if "allocation_chunk" in system else "direct"))
    assert mode == {asked}
    if piece is not None:
        aged = scan_of(stored, str(system["name"]), None)
        lengths = bytes_by_length(aged)
        assert all(length % (piece * MEBIBYTE) == 0 for length in lengths), lengths
    target = stored.turns[0].target
    assert target["extent_size_hint_bytes"] == system.get("extent_size_hint")
    assert scene.left() == []


@pytest.mark.parametrize(
    ("systems", "mebibytes", "keys", "words"),
    [
        ([chunked("ext3", 1)], 320, {}, ['"ext3 1" has no fallocate', "leave allocation_chunk"]),
        ([chunked("ext4", 64)], 320, {}, ["2 streams need", "smaller allocation_chunks"]),
        ([chunked("ext4", 1)], 64, {"streams": 20}, ["20 streams need", "workload.streams=2"]),
        (
            [{"name": "xfs", "kind": "xfs", "extent_size_hint": 512}],
            320,
            {},
            ["does not take an extent size hint", "leave extent_size_hint out"],
        ),
    ],
    ids=["no-fallocate", "chunk-too-large", "too-small", "no-hint"],
)
def test_what_cannot_work_is_refused_before_anything_is_measured(
    systems: list[System],
    mebibytes: int,
    keys: dict[str, object],
    words: list[str],
    scene: Scene,
    rig: HostRig,
    tmp_path: Path,
) -> None:
    with pytest.raises(InputError) as refusal:
        measured(study_of(systems, mebibytes, **keys), rig, tmp_path / "results")
    for word in words:
        assert word in refusal.value.render()
    assert scene.left() == []
    assert not (tmp_path / "results").exists() or not list((tmp_path / "results").iterdir())


class Filler(Progress):
    """Takes most of the mounted system's space: before it is aged, or once its files are there."""

    def __init__(self, scene: Scene, half_way: bool) -> None:
        self.scene, self.half_way = scene, half_way
        self.thread: threading.Thread | None = None

    def step_started(self, turn: Turn, what: str) -> None:
        if self.thread is None and "intermingled" in what:
            self.thread = threading.Thread(target=self._fill)
            self.thread.start()
            if not self.half_way:
                self.thread.join(timeout=patience(60))

    def _fill(self) -> None:
        deadline = time.monotonic() + 60
        while self.half_way and not list(self.scene.ledgers.rglob("aged/d0000/f0009")):
            if time.monotonic() > deadline:
                return
            time.sleep(0.001)
        (folder,) = self.scene.ledgers.rglob("rate")
        with (folder.parent / "in-the-way").open("xb") as file, contextlib.suppress(OSError):
            for piece in range(100):
                os.posix_fallocate(file.fileno(), piece * 2 * MEBIBYTE, 2 * MEBIBYTE)


@pytest.mark.parametrize("half_way", [False, True], ids=["before", "half-way"])
def test_without_space_for_its_files_the_study_ends_and_keeps_what_there_is(
    half_way: bool, scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    study = study_of([{"name": "ext4"}], 320, aged_by="write")
    filler = Filler(scene, half_way)
    outcome, stored = measured(study, rig, tmp_path / "results", filler)
    assert filler.thread is not None
    filler.thread.join(timeout=patience(60))
    assert isinstance(outcome.ended_by, RigError) and outcome.ended_by.exit_code == 3
    assert "larger storage" in outcome.ended_by.render()
    assert {run.cell.id for run in stored.runs} == {"clean-write", "clean-read"}
    if half_way:
        (step,) = [step for step in stored.steps if step.step == "age"]
        assert step.result is not None and step.result.errors
        assert step.result.live_bytes < 10 * stored.turns[0].target["file_size_bytes"]
    assert whole_blocks(stored) == set()
    assert scene.left() == []


class Damager(Progress):
    """Before a last read, the extents of one file are wiped on the device."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.done = scene, False

    def run_started(self, turn: Turn, cell: Cell) -> None:
        if cell.id == "free-10-read" and not self.done:
            self.done = True
            (folder,) = self.scene.ledgers.rglob("rate")
            mount = mount_at(folder.parent)
            assert mount is not None
            wipe = "set_inode_field /rate/rate-0001 block[0] 0"
            command("debugfs", "-w", "-R", wipe, mount.source)
            Path("/proc/sys/vm/drop_caches").write_text("3")


def test_an_io_error_is_recorded_and_the_study_goes_on(
    scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    damager = Damager(scene)
    study = study_of([chunked("ext4", 1)], 320)
    outcome, stored = measured(study, rig, tmp_path / "results", damager)
    assert outcome.ended_by is None and damager.done
    (damaged, *others) = [run for run in stored.runs if run.cell.id == "free-10-read"]
    read = damaged.result.read if damaged.result else None
    assert damaged.fault is not None or (read is not None and read.errors)
    assert all(run.result and not (run.result.read and run.result.read.errors) for run in others)
    assert whole_blocks(stored) == {0, 1}
    assert scene.left() == []


class Presser(Progress):
    """Presses Ctrl-C at a step."""

    def __init__(self, at: str) -> None:
        self.at = at
        self.thread: threading.Thread | None = None

    def step_started(self, turn: Turn, what: str) -> None:
        if self.thread is None and self.at in what:
            self.thread = threading.Thread(target=self._press)
            self.thread.start()

    def _press(self) -> None:
        time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("at", ["intermingled", "free space", "removed"])
def test_ctrl_c_leaves_nothing(at: str, scene: Scene, rig: HostRig, tmp_path: Path) -> None:
    study = study_of([{"name": "ext4"}], 320, aged_by="write")
    presser = Presser(at)
    outcome, stored = measured(study, rig, tmp_path / "results", presser)
    assert presser.thread is not None
    presser.thread.join(timeout=patience(60))
    assert outcome.ended_by is not None and outcome.ended_by.exit_code == 130
    assert stored.runs and whole_blocks(stored) == set()
    assert scene.left() == []


STUDY = """
format = 1
question = "Does it go on?"
[storage]
kind = "ram"
size = "240 MiB"
[[system]]
name = "ext4"
[workload]
kind = "aging"
files = 4
streams = 1
levels = ["50 %"]
aged_by = "write"
[plan]
blocks = 2
seed = 7
"""


def test_a_study_killed_while_it_is_aged_is_cleaned_up_and_goes_on(
    scene: Scene, engine: Engine, tmp_path: Path
) -> None:
    study = tmp_path / "mine.toml"
    study.write_text(STUDY)
    with program(scene, engine, "run", str(study), "--quiet") as process:
        deadline = time.monotonic() + 60
        while not list(scene.ledgers.rglob("aged/d0000/f0003")):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.005)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=patience(60))
    assert any(each.startswith("mount ") for each in scene.left())
    (folder,) = (tmp_path / "results").iterdir()
    with program(scene, engine, "resume", str(folder), "--quiet") as process:
        _, told = process.communicate(timeout=patience(120))
        assert process.returncode == 0, told
    stored = read_results(folder)
    assert whole_blocks(stored) == {0, 1}
    assert len(stored.steps) == 4 * 5
    assert clean_up_after_the_dead() == []
    assert scene.left() == []
