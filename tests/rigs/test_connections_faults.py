"""What goes wrong while clients work: counted by kind, bounded in time, named in the report.

A fault that hits one client or file leaves the others alone and the study goes on; one that hits
most ends it with exit code 3 and what is needed. Each happens on a real file system.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import ClientsResult
from fsgauge.errors import RigError
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.machine.facts.mounts import mount_at
from fsgauge.machine.ledger.ledger import clean_up_after_the_dead
from fsgauge.record.records import Cell, RunRecord, Turn
from fsgauge.report.write import write_report
from fsgauge.rig.host.rig import HostRig
from fsgauge.run import Outcome
from fsgauge.stats.read import read_stored
from fsgauge.store import StoredStudy, read_results
from fsgauge.study.model import Study
from tests.patience import patience
from tests.rigs.conftest import MEBIBYTE, Scene, run
from tests.rigs.test_connections import Meddler, measured, ram, study_of

pytestmark = pytest.mark.root
EXT4 = [{"name": "ext4"}]
FILES = 30
"""Of each client."""
QUOTA_BYTES = 8 * MEBIBYTE
PROGRAM = """
import sys
from pathlib import Path
from fsgauge.cli import main
from fsgauge.machine.ledger import ledger_folder

ledgers = Path(sys.argv.pop(1))
ledger_folder.ledger_folder = lambda: ledgers
main()
"""

STUDY = """
format = 1
question = "Does it go on?"
[storage]
kind = "ram"
size = "200 MiB"
[[system]]
name = "ext4"
[workload]
kind = "connections"
clients = 40
tests = ["write"]
files_per_connection = 20
file_sizes = ["16 KiB"]
think = "20 ms"
extents = false
[plan]
blocks = 2
seed = 7
"""


def slow(system: list[dict[str, str]], storage: dict[str, object], *, files: int = FILES) -> Study:
    """Forty clients that write 50 files a second each, then read them all back.

    A meddler comes after the first tenth of a second, on a busy machine later: `files` have to
    last until then, and ten more.
    """
    return study_of(
        system,
        storage,
        tests=["write", "read"],
        files_per_connection=files,
        file_sizes=[16_384],
        think=20_000_000,
        scan=False,
        extents=False,
    )


def clients_of(record: RunRecord) -> ClientsResult:
    assert record.result is not None and record.result.clients is not None, record.fault
    return record.result.clients


def errors_of(record: RunRecord) -> dict[tuple[str, str], int]:
    return {(each.operation, each.kind): each.count for each in clients_of(record).errors}


def all_whole(records: list[RunRecord]) -> bool:
    """There are some, and nothing went wrong in them."""
    found = [clients_of(record) for record in records]
    return len(found) > 0 and all(not each.errors and not each.bad_records for each in found)


def findings_of(stored: StoredStudy) -> dict[str, str]:
    results = read_stored(stored)
    return {each.code: each.sentence for each in results.findings}


def is_refused(outcome: Outcome, stored: StoredStudy, needed: str) -> RunRecord:
    """The study ended with exit code 3 in its first test, and the report can be made."""
    assert isinstance(outcome.ended_by, RigError)
    assert outcome.ended_by.exit_code == 3
    assert "of 40 clients gave up in" in outcome.ended_by.what
    assert needed in outcome.ended_by.next
    (record,) = stored.runs
    assert record.most_gave_up
    return record


@pytest.fixture
def unprivileged(engine: Engine, tmp_path: Path) -> Engine:
    """The engine without root's capabilities, so that modes of directories bind it."""
    program = tmp_path / "engine"
    program.write_text(
        f'#!/bin/sh\nexec setpriv --bounding-set=-all --inh-caps=-all "{engine.binary}" "$@"\n'
    )
    program.chmod(0o755)
    return Engine(program)


@pytest.fixture
def under_quota(tmp_path: Path) -> Iterator[Path]:
    """A folder of a btrfs whose quota group ends at 8 MiB, for root as well.

    Not XFS or ext4: many kernels are built without their quotas, a full project on XFS is called
    ENOSPC (fs/xfs/xfs_trans_dquot.c: xfs_trans_dqresv), and ext4 lets root pass (fs/quota/dquot.c:
    ignore_hardlimit).
    """
    image, mounted = tmp_path / "quota.img", tmp_path / "quota"
    with image.open("wb") as file:
        file.truncate(600 * MEBIBYTE)
    mounted.mkdir()
    folder = mounted / "limited"
    run("mkfs.btrfs", "--quiet", str(image))
    run("mount", "-o", "loop", str(image), str(mounted))
    try:
        run("btrfs", "quota", "enable", str(mounted))
        run("btrfs", "subvolume", "create", str(folder))
        run("btrfs", "qgroup", "limit", str(QUOTA_BYTES), str(folder))
        yield folder
    finally:
        run("umount", str(mounted))


def test_a_quota_ends_the_study_and_is_told_from_a_full_disk(
    under_quota: Path, scene: Scene, engine: Engine, rig: HostRig, tmp_path: Path
) -> None:
    storage = {"kind": "path", "path": str(under_quota), "size": 100 * MEBIBYTE}
    study = slow([{"name": "here", "kind": "mounted"}], storage)
    began = time.monotonic()
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert time.monotonic() - began < 60
    record = is_refused(outcome, stored, "a larger quota")
    assert {kind for _, kind in errors_of(record)} == {"quota"}
    assert 0 < clients_of(record).files * 16_384 <= QUOTA_BYTES
    assert list(under_quota.iterdir()) == []
    assert scene.left() == []


class DescriptorThief(Meddler):
    """Takes the engine's right to open files while it runs."""

    def meddle(self, files: Path) -> None:
        tasks = Path("/proc/self/task")
        children = [pid for each in tasks.glob("*/children") for pid in each.read_text().split()]
        for pid in children:
            if "fsgauge-engine" in Path(f"/proc/{pid}/cmdline").read_text():
                run("prlimit", "--pid", pid, "--nofile=3:3")


def test_too_many_open_files_end_the_study_and_name_the_limit(
    scene: Scene, engine: Engine, rig: HostRig, tmp_path: Path
) -> None:
    """Each client tries ten files more and gives up.

    Which call is refused first is chance: a file may have been created and not yet opened again.
    So is how many clients had ten files left: 399 creates were refused in one study of five.
    """
    thief = DescriptorThief(scene)
    study = slow(EXT4, ram(200), files=100)
    outcome, stored = measured(study, rig, tmp_path / "results", thief)
    record = is_refused(outcome, stored, "ulimit -Hn")
    errors, clients = errors_of(record), clients_of(record)
    assert {kind for _, kind in errors} == {"too_many_open_files"}
    assert {operation for operation, _ in errors} <= {"create", "open"}
    refused, through = sum(errors.values()), 40 - clients.clients_gave_up
    assert refused == clients.files_given_up
    assert 10 * clients.clients_gave_up <= refused <= 10 * clients.clients_gave_up + 9 * through
    assert scene.left() == []


class Warden(Meddler):
    """One client's directory cannot be written any more."""

    def meddle(self, files: Path) -> None:
        (files / "c00012").chmod(0o555)


def test_one_client_without_permission_gives_up_alone(
    scene: Scene, unprivileged: Engine, tmp_path: Path
) -> None:
    warden = Warden(scene)
    rig = HostRig(unprivileged)
    outcome, stored = measured(slow(EXT4, ram(200)), rig, tmp_path / "results", warden)
    assert outcome.ended_by is None
    write, read, *others = stored.runs
    assert errors_of(write) == {("create", "permission_denied"): 10}
    assert clients_of(write).clients_gave_up == 1
    (error,) = clients_of(write).errors
    assert "/c00012/c00012-f" in error.first_path
    assert set(errors_of(read)) == {("open", "missing")}
    assert clients_of(read).files == clients_of(write).files
    assert clients_of(read).bad_records == 0
    assert all_whole(others)
    assert "c00012" in findings_of(stored)["clients.permission_denied"]
    assert scene.left() == []


class Squatter(Meddler):
    """Something else makes a file where a client is about to."""

    def meddle(self, files: Path) -> None:
        (files / "c00012" / "c00012-f000029").touch()


def test_a_name_that_is_taken_costs_that_file_alone(
    scene: Scene, engine: Engine, rig: HostRig, tmp_path: Path
) -> None:
    squatter = Squatter(scene)
    outcome, stored = measured(slow(EXT4, ram(200)), rig, tmp_path / "results", squatter)
    assert outcome.ended_by is None
    write, read, *others = stored.runs
    assert errors_of(write) == {("create", "exists"): 1}
    assert (clients_of(write).files, clients_of(write).clients_gave_up) == (40 * FILES - 1, 0)
    assert errors_of(read) == {("read", "short"): 1}
    assert (clients_of(read).files, clients_of(read).bad_records) == (clients_of(write).files, 0)
    assert all_whole(others)
    assert "c00012-f000029" in findings_of(stored)["clients.exists"]
    assert scene.left() == []


class Damager(Meddler):
    """Before the read test, the extent header of one file is wiped on the device."""

    NAME = "c00007/c00007-f000003"

    def run_started(self, turn: Turn, cell: Cell) -> None:
        if ConnectionsFactors.of(cell).test == "read" and not self.done:
            self.done = True
            (files,) = self.scene.ledgers.rglob("files")
            mount = mount_at(files.parent)
            assert mount is not None
            wipe = f"set_inode_field /files/{self.NAME} block[0] 0"
            run("debugfs", "-w", "-R", wipe, mount.source)
            Path("/proc/sys/vm/drop_caches").write_text("3")

    def event(self, event: object) -> None:
        """Only between the tests."""


def test_an_io_error_on_one_file_gives_up_that_file_and_the_report_names_it(
    scene: Scene, engine: Engine, rig: HostRig, tmp_path: Path
) -> None:
    damager = Damager(scene)
    outcome, stored = measured(slow(EXT4, ram(200)), rig, tmp_path / "results", damager)
    assert outcome.ended_by is None and damager.done
    write, read, *others = stored.runs
    assert errors_of(write) == {}
    assert errors_of(read) == {("open", "io"): 1}
    found = clients_of(read)
    assert (found.files, found.files_given_up, found.clients_gave_up) == (40 * FILES - 1, 1, 0)
    assert (found.checked_records, found.bad_records) == ((40 * FILES - 1) * 4, 0)
    assert found.errors[0].first_path.endswith(damager.NAME)
    page = write_report(outcome.directory).read_text()
    assert all_whole(others)
    assert damager.NAME in page and "I/O error" in page
    assert scene.left() == []


@contextlib.contextmanager
def command(scene: Scene, engine: Engine, *words: str) -> Iterator[subprocess.Popen[str]]:
    """The command line as a process group of its own with this scene's ledgers; surely gone."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(scene.ledgers), *words],
        env=os.environ | {"FSGAUGE_ENGINE": str(engine.binary)},
        cwd=scene.scratch.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=patience(60))


def test_a_study_killed_while_clients_write_is_cleaned_up_and_goes_on(
    scene: Scene, engine: Engine, tmp_path: Path
) -> None:
    study = tmp_path / "mine.toml"
    study.write_text(STUDY)
    with command(scene, engine, "run", str(study), "--quiet") as process:
        deadline = time.monotonic() + 60
        while not list(scene.ledgers.rglob("c00039-f000002")):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=patience(60))
    assert any(each.startswith("mount ") for each in scene.left())
    (folder,) = (tmp_path / "results").iterdir()
    with command(scene, engine, "resume", str(folder), "--quiet") as process:
        _, told = process.communicate(timeout=patience(120))
        assert process.returncode == 0, told
    stored = read_results(folder)
    turns = stored.study.plan.turns
    assert len(stored.runs) == sum(len(turn.cells) for turn in turns)
    assert all(errors_of(record) == {} for record in stored.runs)
    assert clean_up_after_the_dead() == []
    assert scene.left() == []
