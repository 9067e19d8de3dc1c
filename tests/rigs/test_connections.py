"""Clients on real file systems: every test is measured, read back whole, and leaves nothing."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.client import Engine
from fsgauge.errors import InputError, RigError
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record.records import RunRecord
from fsgauge.rig.host.rig import HostRig
from fsgauge.store import StoredStudy
from fsgauge.store.abandon import whole_blocks
from fsgauge.study.model import Study
from tests.commands import interpreted
from tests.needs import need_mkfs
from tests.patience import patience
from tests.rigs.conftest import MEBIBYTE, Scene
from tests.rigs.measured import Meddler, measured

pytestmark = pytest.mark.root
PAIR = [
    {"name": "nodelalloc", "kind": "ext4", "mount": "nodelalloc"},
    {"name": "delalloc", "kind": "ext4"},
]
KERNEL_OF_THE_GOLDEN_FACT = "6.18."


def study_of(systems: list[dict[str, str]], storage: dict[str, object], **keys: object) -> Study:
    """Forty clients unless told otherwise."""
    plan = {"seed": 1, "blocks": keys.pop("blocks", 2)}
    return Study.model_validate(
        {
            "format": 1,
            "name": "connections",
            "question": "What do clients cost?",
            "storage": storage,
            "system": systems,
            "workload": {"kind": "connections", "clients": 40} | keys,
            "plan": plan,
        }
    )


def ram(mebibytes: int = 600) -> dict[str, object]:
    return {"kind": "ram", "size": mebibytes * MEBIBYTE}


def operations_of(run: RunRecord) -> dict[str, int]:
    assert run.result is not None and run.result.clients is not None, run.fault
    return {each.operation: each.operations for each in run.result.clients.operations}


@contextlib.contextmanager
def on_processors(count: int) -> Iterator[None]:
    """What is started meanwhile has so many processors, or all that there are."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def extents_per_file(stored: StoredStudy, system: str, cell: str) -> list[float]:
    found = []
    for scan in stored.scans:
        if (scan.system, scan.cell) == (system, cell):
            assert scan.result is not None, scan.fault
            found.append(scan.result.counts.extents / scan.result.counts.files)
    return found


def test_the_published_tests_from_the_study_to_its_records(
    scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    study = study_of(PAIR, ram(), files_per_connection=10, backup_files_per_connection=2)
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None
    assert len(stored.runs) == 2 * 3 * 4
    assert whole_blocks(stored) == {0, 1}
    records = 40 * sum(1 << n for n in range(10))
    expected = {
        "write": {"create": 400, "open": 400, "write": records, "close": 400},
        "read": {"open": 400, "read": records, "close": 400},
        "backup fill": {"create": 80, "open": 80, "write": 80 * 256, "close": 80},
        "backup": {"list": 41, "open": 80, "read": 80, "close": 80},
    }
    for run in stored.runs:
        assert run.result is not None and run.result.clients is not None, run.fault
        clients = run.result.clients
        done = operations_of(run)
        done.pop("connect", None)
        assert done == expected[str(ConnectionsFactors.of(run.cell).test)], run.cell.id
        assert (clients.errors, clients.bad_records, clients.clients_gave_up) == ([], 0, 0)
        assert clients.dispatch == "event_loop" and clients.calls
        if ConnectionsFactors.of(run.cell).test in ("read", "backup"):
            assert clients.checked_records > 0
        if ConnectionsFactors.of(run.cell).test == "backup":
            assert clients.backup is not None and clients.backup.files == 80
    for turn in stored.turns:
        assert turn.layout is None
        assert turn.target["files_per_client"] == 10
    assert len(stored.scans) == 2 * 3 * 2
    for cell, files in (("write", 400), ("backup-fill", 80)):
        for scan in stored.scans:
            if scan.cell == cell:
                assert scan.result is not None and scan.result.counts.files == files
        with_it, without = (
            extents_per_file(stored, each, cell) for each in ("delalloc", "nodelalloc")
        )
        assert max(with_it) < min(without), (with_it, without)
    assert scene.left() == []


@pytest.mark.long
@pytest.mark.skipif(
    not os.uname().release.startswith(KERNEL_OF_THE_GOLDEN_FACT),
    reason=f"how ext4 deals out blocks was measured on Linux {KERNEL_OF_THE_GOLDEN_FACT}x",
)
@pytest.mark.parametrize("number_of_processors", [1, 2])
def test_interleaved_writers_fragment_ext4_as_was_measured(
    number_of_processors: int, scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    """590 writers in turn, 4 KiB each, into files of 1 MiB: on Linux 6.18, 20 extents or 1.

    Without delayed allocation the first 16 blocks of each file come one by one from a stock that
    all small files of a processor share, then 64, 128, 256 and 512 KiB at once are set aside for it
    (fs/ext4/mballoc.c: ext4_mb_group_or_file, ext4_mb_normalize_request): 16 + 4 pieces. Event
    loops on several processors are not in step, and now and then a piece comes to lie beside the
    last one of its own file (measured: up to 6 of 11,800); on one processor it is exact.
    """
    storage = {"kind": "loop", "size": 2 << 30, "directory": str(scene.scratch)}
    study = study_of(
        PAIR, storage, clients=590, tests=["write"], file_sizes=[MEBIBYTE], files_per_connection=1
    )
    with on_processors(number_of_processors):
        outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None
    # Where others work, the kernel may write back before a file is whole.
    assert min(extents_per_file(stored, "delalloc", "write")) == 1.0
    without = extents_per_file(stored, "nodelalloc", "write")
    if number_of_processors == 1:
        assert set(without) == {20.0}
        pieces = [(4096, 16), (65536, 1), (131_072, 1), (262_144, 1), (524_288, 1)]
        for scan in stored.scans:
            if scan.system == "nodelalloc" and scan.result is not None:
                lengths = [
                    (each.at_least_bytes, each.extents) for each in scan.result.extent_lengths
                ]
                assert lengths == [(at_least, 590 * each) for at_least, each in pieces]
    assert all(19.9 <= each <= 20.0 for each in without), without
    assert scene.left() == []


@pytest.mark.parametrize(
    "keys",
    [
        {"tree": "shared", "depth": 2, "fan_out": 4, "create": "and write", "fsync": True},
        {"dispatch": "threads", "size_distribution": "log-normal", "largest_size": MEBIBYTE},
        {"interface": "io_uring", "outstanding": 2, "threads": 1, "ramp": 50_000_000},
        {"interface": "plain", "size_weights": [3, 1], "file_sizes": [5000, 70_000]},
        {"think": 1_000_000, "think_spread": "constant", "data": "zero", "verify": False},
    ],
    ids=["shared tree", "threads", "io_uring", "plain", "think"],
)
def test_every_way_of_working_is_whole(
    keys: dict[str, Any], scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    tests = ["write", "read", "stat", "mix", "delete", "backup"]
    orders = ["directory", "inode", "physical"]
    mix = {"mix_duration": 300_000_000, "files_per_connection": 4}
    size = {"backup_file_size": 65536, "backup_files_per_connection": 2, "backup_orders": orders}
    study = study_of(PAIR[:1], ram(), tests=tests, **mix, **size, **keys)
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None
    for run in stored.runs:
        done = operations_of(run)
        assert run.result is not None and run.result.clients is not None
        clients = run.result.clients
        assert (clients.errors, clients.bad_records) == ([], 0), run.cell.id
        if ConnectionsFactors.of(run.cell).test in ("stat", "delete"):
            assert (
                done["stat" if ConnectionsFactors.of(run.cell).test == "stat" else "unlink"] == 160
            )
        if keys.get("fsync") and ConnectionsFactors.of(run.cell).test == "write":
            assert done["fsync"] == 160
    assert scene.left() == []


@pytest.mark.long
@pytest.mark.parametrize("kind", ["xfs", "btrfs", "ext3"])
def test_other_systems_can_be_asked_for(
    kind: str, scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    need_mkfs(kind)
    system = {"name": kind} | ({"mount": "allocsize=64m"} if kind == "xfs" else {})
    study = study_of([system], ram(), files_per_connection=2, file_sizes=[4096, 262_144])
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None
    assert all(run.result and run.result.clients for run in stored.runs)
    assert all(each >= 1 or kind == "btrfs" for each in extents_per_file(stored, kind, "write"))
    assert scene.left() == []


class Filler(Meddler):
    def meddle(self, files: Path) -> None:
        """All that is left, in ever smaller pieces."""
        end = 0
        with (files.parent / "ballast").open("wb") as ballast:
            for piece in (8 * MEBIBYTE, MEBIBYTE, 65536, 4096):
                with contextlib.suppress(OSError):
                    while end < 1 << 40:
                        os.posix_fallocate(ballast.fileno(), end, piece)
                        end += piece


class Remover(Meddler):
    def meddle(self, files: Path) -> None:
        shutil.rmtree(files, ignore_errors=True)


def slow_study(**keys: object) -> Study:
    """Clients that take their time, so that something can happen to them."""
    own = {"files_per_connection": 60, "file_sizes": [65536], "think": 20_000_000}
    return study_of(PAIR[:1], ram(), tests=["write", "read"], **own, **keys)


@pytest.mark.parametrize(
    ("meddler", "kind", "needed"),
    [(Filler, "no_space", "larger storage"), (Remover, "missing", "nothing else removes")],
    ids=["full", "removed"],
)
def test_when_most_clients_give_up_the_study_ends_and_says_what_is_needed(
    meddler: type[Meddler],
    kind: str,
    needed: str,
    scene: Scene,
    rig: HostRig,
    tmp_path: Path,
) -> None:
    progress = meddler(scene)
    outcome, stored = measured(slow_study(), rig, tmp_path / "results", progress)
    assert progress.done
    assert isinstance(outcome.ended_by, RigError)
    assert "of 40 clients gave up in" in outcome.ended_by.what
    assert needed in outcome.ended_by.next
    (run,) = stored.runs
    assert run.most_gave_up and run.result is not None and run.result.clients is not None
    assert kind in {each.kind for each in run.result.clients.errors}
    assert whole_blocks(stored) == set()
    assert scene.left() == []


def test_more_than_the_file_system_holds_is_refused_before_anything(
    scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    study = study_of(PAIR, ram(100), tests=["write"], files_per_connection=60, file_sizes=[40_000])
    with pytest.raises(InputError) as refusal:
        measured(study, rig, tmp_path / "results")
    assert "40 clients with 60 files each need about" in refusal.value.what
    fitting = int(refusal.value.next.split("files_per_connection=")[1].split(",")[0])
    assert scene.left() == [] and not (tmp_path / "results").exists()
    keys = {"files_per_connection": fitting, "file_sizes": [40_000]}
    study = study_of(PAIR, ram(100), tests=["write"], **keys)
    outcome, _ = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None


def test_more_clients_than_open_files_are_refused(scene: Scene, engine: Engine) -> None:
    done = interpreted(
        *("run", "connections", "--results", str(scene.scratch)),
        seconds=patience(60),
        env=os.environ | {"FSGAUGE_ENGINE": str(engine.binary)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (400, 400)),
    )
    assert done.returncode == 2, done.stderr
    assert (
        "590 clients with 1 open file each are more than this process may open: 400" in done.stderr
    )
    assert "next: --set workload.clients=144" in done.stderr


@pytest.mark.parametrize("seconds", [0.3, 1.0])
def test_ctrl_c_leaves_nothing(seconds: float, scene: Scene, rig: HostRig, tmp_path: Path) -> None:
    def press() -> None:
        deadline = time.monotonic() + 60
        while not list(scene.ledgers.rglob("c00039*")) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=press)
    presser.start()
    try:
        outcome, stored = measured(slow_study(), rig, tmp_path / "results")
        assert outcome.ended_by is not None and outcome.ended_by.exit_code == 130
        assert whole_blocks(stored) == set()
    except BaseException as error:
        assert getattr(error, "exit_code", None) == 130, error
    finally:
        presser.join(timeout=patience(60))
    assert scene.left() == []
