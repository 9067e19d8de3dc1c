"""Private servers over real file systems: real smbd and ganesha, started, watched, killed, removed.

Those that need a server are skipped where it is not installed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fsgauge.access import SERVERS, Clients, Server, served
from fsgauge.access.samba import SHARE
from fsgauge.engine.client import Engine
from fsgauge.engine.wire import ClientsJob, Event, IntervalEvent, SmbTarget
from fsgauge.errors import RigError
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.machine.folder.marked_folder import Owner
from fsgauge.machine.ledger import ledger
from fsgauge.machine.ledger.after_death import clean_up_after_the_dead
from fsgauge.machine.ledger.ledger import opened_ledger
from fsgauge.machine.ledger.ledger_folder import begin_ledger
from fsgauge.machine.process.servers import server_processes
from fsgauge.progress import Progress
from fsgauge.record.records import RunRecord
from fsgauge.rig.host.caches import KEEP_CACHES
from fsgauge.rig.host.rig import HostRig
from fsgauge.rig.host.serving import lack_of, require_surroundings
from fsgauge.stats import read_study
from fsgauge.study.access import AccessKeys
from fsgauge.study.model import Study
from tests.patience import patience
from tests.rigs.conftest import MEBIBYTE, Scene
from tests.rigs.measured import measured

pytestmark = pytest.mark.root
NAMES = sorted(SERVERS)
SMALL_CLIENTS = 8
ALONE = {"beside_path": False}
SMALL = {"clients": SMALL_CLIENTS, "files_per_connection": 2, "file_sizes": [4096, 65536]}


def needs(name: str) -> None:
    words = ""
    if missing := lack_of(SERVERS[name]):
        words = f"{missing} is not there: {SERVERS[name].install}"
    else:
        try:
            require_surroundings(SERVERS[name])
        except RigError as error:
            words = f"{error.what}: {error.cause}"
    if words:
        if os.environ.get("FSGAUGE_TEST_SERVERS") == "1" and "chroot" not in words:
            pytest.fail(f"this test must run here and cannot: {words}")
        pytest.skip(f"{words}; FSGAUGE_TEST_SERVERS=1 makes that a failure")


def study_of(
    name: str, *systems: dict[str, Any], access: dict[str, Any] | None = None, **keys: Any
) -> Study:
    """A study of clients, behind a private server unless its systems are shares."""
    plan = {"seed": 1, "blocks": 2}
    kind = "share" if systems and systems[0].get("kind") == "share" else "ram"
    workload = {"kind": "connections", "tests": ["write", "read"]} | SMALL | keys
    server = {} if kind == "share" else {"server": name}
    return Study.model_validate(
        {
            "format": 1,
            "name": "served",
            "question": "What does a server add?",
            "storage": {"kind": kind, "size": 200 * MEBIBYTE},
            "system": list(systems) or [{"name": "ext4"}],
            "access": server | (access or {}),
            "workload": workload,
            "plan": plan,
        }
    )


TOKENS: list[str] = []


def leftovers() -> list[str]:
    """Servers' folders and shares' second places of ledgers that this process has opened."""
    return [str(path) for token in TOKENS for path in Path("/run").glob(f"fsgauge-{token}-*")]


@pytest.fixture(autouse=True)
def _tokens(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Other runs on this machine have servers too: only our own tokens are looked for."""

    def remembered(path: Path, owner: Owner) -> int:
        TOKENS.append(owner.token)
        return begin_ledger(path, owner)

    monkeypatch.setattr(ledger, "begin_ledger", remembered)
    monkeypatch.setenv(KEEP_CACHES, "1")
    yield
    TOKENS.clear()


@pytest.fixture
def shared_folder(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "shared"
    folder.mkdir()
    (folder / "hello").write_text("hello")
    tmp_path.chmod(0o755)
    yield folder


def clients(name: str) -> Clients:
    return Clients(AccessKeys.model_validate({"server": name}), SMALL_CLIENTS)


def answers(server: Server) -> bool:
    with server.reached():
        return listens(server.target.port)


def listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=patience(1.0)):
            return True
    except OSError:
        return False


def folder_of(server: Server) -> str:
    return str(server.child.serving.folder)


@pytest.mark.parametrize("name", NAMES)
def test_a_server_starts_answers_on_loopback_and_leaves_nothing(
    name: str, scene: Scene, shared_folder: Path
) -> None:
    needs(name)
    with opened_ledger() as opened:
        with served(SERVERS[name], shared_folder, clients(name), {}, opened) as server:
            port, folder = server.target.port, folder_of(server)
            assert port > 1024 and answers(server) and not listens(port)
            assert server.facts.version[0].isdigit()
            assert server.facts.listen_backlog or shutil.which("ss") is None
            assert server_processes(folder, opened.token)
            # In a session of its own it was given half of the processors (autogroup), and the
            # clients were woken for every single answer: half the throughput.
            leader = server.child.leader()
            assert os.getpgid(leader) == leader and os.getsid(leader) == os.getsid(0)
            assert not any(word.startswith(str(scene.ledgers)) for word in server.facts.command)
            for path in Path(folder).rglob("password"):
                assert path.stat().st_mode & 0o777 == 0o600
                password = path.read_text()
                assert password not in opened.path.read_text()
                assert password not in server.facts.model_dump_json()
                assert password not in server.target.model_dump_json()
        assert server_processes(folder, opened.token) == []
    assert scene.left() == [] and leftovers() == []


@pytest.mark.parametrize("name", NAMES)
def test_a_server_starts_where_the_path_lacks_the_administrators_folders(
    name: str, scene: Scene, shared_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """smbd and rpcbind lie in /usr/sbin, and shells start them by their names."""
    needs(name)
    monkeypatch.setenv("PATH", "/usr/local/bin:/usr/bin:/bin")
    with (
        opened_ledger() as opened,
        served(SERVERS[name], shared_folder, clients(name), {}, opened) as server,
    ):
        assert answers(server)
    assert scene.left() == [] and leftovers() == []


def test_samba_serves_the_folder_to_its_own_user_alone(scene: Scene, shared_folder: Path) -> None:
    needs("samba")

    def listing(password: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["smbclient", f"//127.0.0.1/{SHARE}", "-p", f"{port}", "-c", "ls"],
            env={"PATH": os.environ["PATH"], "USER": user, "PASSWD": password},
            capture_output=True,
            text=True,
            timeout=patience(20),
            check=False,
        )

    with (
        opened_ledger() as opened,
        served(SERVERS["samba"], shared_folder, clients("samba"), {}, opened) as server,
    ):
        target = server.target
        assert isinstance(target, SmbTarget) and target.password is not None
        port, user = target.port, target.user
        password = Path(getattr(target.password, "path", "")).read_text()
        with server.reached():
            assert "hello" in listing(password).stdout
            refused = listing("wrong")
        assert refused.returncode != 0 and "hello" not in refused.stdout
    assert scene.left() == [] and leftovers() == []


@pytest.mark.parametrize(
    ("name", "options"),
    [("samba", {"aio read size": "plenty"}), ("ganesha", {"MaxRead": "plenty"})],
)
def test_options_that_a_server_refuses_end_before_anything_is_measured(
    name: str, options: dict[str, str], scene: Scene, shared_folder: Path
) -> None:
    needs(name)
    with (
        pytest.raises(RigError) as refusal,
        opened_ledger() as opened,
        served(SERVERS[name], shared_folder, clients(name), options, opened),
    ):
        pytest.fail("the server took it")
    assert refusal.value.details
    assert scene.left() == [] and leftovers() == []


@pytest.mark.parametrize("name", NAMES)
def test_a_server_that_was_killed_is_started_again(
    name: str, scene: Scene, shared_folder: Path
) -> None:
    needs(name)
    with (
        opened_ledger() as opened,
        served(SERVERS[name], shared_folder, clients(name), {}, opened) as server,
    ):
        observation = server.observe()
        observation.begin()
        os.kill(server.child.leader(), signal.SIGKILL)
        deadline = time.monotonic() + 10
        time.sleep(0.3)
        while not answers(server) and time.monotonic() < deadline:
            time.sleep(0.05)
        used = observation.end()
        assert (used.restarts, used.user_ns) == (1, None)
        assert answers(server)
    assert scene.left() == [] and leftovers() == []


KILLED = """
import os, signal, sys, time
from pathlib import Path
from fsgauge.machine.ledger import ledger_folder
ledger_folder.ledger_folder = lambda: Path(sys.argv[1])
from fsgauge.machine.ledger import ledger
from fsgauge.machine.ledger.ledger import opened_ledger
from fsgauge.machine.ledger.ledger_folder import begin_ledger
from fsgauge.machine.folder.marked_folder import Owner
from fsgauge.study.access import AccessKeys
from fsgauge.access import SERVERS, Clients, served
clients = Clients(AccessKeys(server=sys.argv[2]), 590)
with opened_ledger() as ledger:
    with served(SERVERS[sys.argv[2]], Path(sys.argv[3]), clients, {}, ledger) as server:
        if sys.argv[4] == "again":
            os.kill(server.child.leader(), signal.SIGKILL)
            while not server.child.revive():
                time.sleep(0.05)
        network = os.fstat(server.child.network.descriptor).st_ino
        print(ledger.token, server.child.serving.folder, network, flush=True)
        time.sleep(60)
"""


def network_of(pid: int) -> int:
    try:
        return Path(f"/proc/{pid}/ns/net").stat().st_ino
    except OSError:
        return 0


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("how", ["first", "again"])
def test_kill_9_of_fsgauge_leaves_no_server(
    name: str, how: str, scene: Scene, shared_folder: Path
) -> None:
    """The kernel ends it, started once or started again: nothing listens until the next command.

    Ganesha's first process had blocked the signal that its parent's death sent it, a Samba that was
    started again had been sent none, and one with sessions had changed its user, whereupon the
    kernel forgets: all three listened until the next command came.
    """
    needs(name)
    arguments = [str(scene.ledgers), name, str(shared_folder), how]
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, *arguments], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        token, folder, network = process.stdout.readline().split()
        TOKENS.append(token)
        inside = [pid for pid in server_processes(folder, token) if network_of(pid) == int(network)]
        assert inside
        process.kill()
        process.wait(timeout=patience(10))

    def left() -> list[int]:
        """Its processes, and all in its network: one that is dying has no command line any more."""
        every = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal())
        return [
            *server_processes(folder, token),
            *(pid for pid in every if network_of(pid) == int(network)),
        ]

    deadline = time.monotonic() + 5
    while left() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert left() == []
    clean_up_after_the_dead()
    assert scene.left() == [] and leftovers() == []


def network_runs(runs: list[RunRecord]) -> list[RunRecord]:
    for run in runs:
        assert run.result is not None and run.result.clients is not None, run.fault
        assert run.result.clients.network is not None
        assert (run.result.clients.errors, run.result.clients.bad_records) == ([], 0), run.cell.id
    return runs


@pytest.mark.parametrize(
    ("name", "tests"),
    [("samba", ["write", "read"]), ("ganesha", ["write", "backup"])],
    ids=NAMES[::-1],
)
def test_clients_work_through_a_server_and_over_the_path_beside_it(
    name: str, tests: list[str], scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    needs(name)
    backup = {"backup_files_per_connection": 1, "backup_file_size": 65536}
    study = study_of(name, tests=tests, **(backup if "backup" in tests else {}))
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None
    network_runs(stored.runs)
    cells = 3 if "backup" in tests else 2
    assert len(stored.runs) == 2 * 2 * cells and len(stored.path_runs) == 2 * cells
    for run in stored.runs:
        assert run.server is not None
        connecting_ns = run.server.connecting_ns
        assert connecting_ns is not None and connecting_ns > 0
        assert run.server.listen_drops == (0 if shutil.which("ss") else None)
        assert run.result is not None and run.result.clients is not None
        if ConnectionsFactors.of(run.cell).test in ("read", "backup"):
            assert run.result.clients.checked_records > 0
    for run in stored.path_runs:
        assert run.server is None and run.result is not None and run.result.clients is not None
        assert run.result.clients.network is None and run.result.clients.errors == []
    assert all(turn.server is not None for turn in stored.turns)
    written = {scan.result.counts.files for scan in stored.scans if scan.result is not None}
    assert written == ({16, 8} if "backup" in tests else {16})
    assert "password" not in outcome.directory.joinpath("study.json").read_text().replace(
        "password_file", ""
    )
    assert scene.left() == [] and leftovers() == []


def test_signing_and_encryption_are_what_systems_may_differ_in(
    scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    """A server that requires them has clients that do them; the others stay as they are."""
    needs("samba")
    systems = [
        {"name": "plain", "kind": "ext4"},
        {"name": "signed", "kind": "ext4", "server": {"server signing": "mandatory"}},
        {"name": "encrypted", "kind": "ext4", "server": {"server smb encrypt": "required"}},
    ]
    study = study_of("samba", *systems, access=ALONE)
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None
    spoken = {}
    for run in network_runs(stored.runs):
        assert isinstance(run.job, ClientsJob) and isinstance(run.job.target, SmbTarget)
        spoken[run.system] = (run.job.target.signing, run.job.target.encryption)
    assert spoken == {"plain": (False, False), "signed": (True, False), "encrypted": (False, True)}
    assert scene.left() == [] and leftovers() == []


def test_one_block_compares_the_path_samba_and_ganesha(
    scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    """One file system, reached in three ways: each is a system, all in one block."""
    for name in NAMES:
        needs(name)
    systems = [
        {"name": name, "kind": "ext4", "access": access}
        for name, access in (("path", "path"), ("smb", "samba"), ("nfs", "ganesha"))
    ]
    study = study_of("none", *systems, access=ALONE)
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None and stored.path_runs == []
    spoken = {run.system: run.job.target.kind for run in stored.runs}
    assert spoken == {"path": "path", "smb": "smb", "nfs": "nfs"}
    assert {turn.system: turn.server and turn.server.name for turn in stored.turns} == {
        "path": None,
        "smb": "Samba",
        "nfs": "NFS-Ganesha",
    }
    assert all(len({r.system for r in stored.runs if r.block == at}) == 3 for at in (0, 1))
    for run in stored.runs:
        assert run.result is not None and run.result.clients is not None
        assert (run.result.clients.errors, run.result.clients.bad_records) == ([], 0)
    results = read_study(
        stored.turns,
        stored.runs,
        stored.study,
        stored.environment_before,
        stored.environment_after,
    )
    assert {each.system for each in results.comparisons} == {"smb", "nfs"}
    assert scene.left() == [] and leftovers() == []


SERVED_LOADS = {
    "writers": {"writers": [1], "passes": 1, "block_sizes": [8192], "fill": 20, "verify": True},
    "overhead": {
        "patterns": ["randread", "randwrite"],
        "queue_depths": [4],
        "block_sizes": [4096],
        "fill": 20,
        "warm_up": 50_000_000,
        "duration": 300_000_000,
    },
    "churn": {"fills": [30], "tests": ["write"], "clients": 4, "storage_age": 1.5, "fsync": False},
}


@pytest.mark.long
@pytest.mark.parametrize("kind", SERVED_LOADS)
@pytest.mark.parametrize("name", NAMES)
def test_other_kinds_work_through_a_server_too(
    name: str, kind: str, scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    """Each writer or job has a connection of its own; the files lie on the path below."""
    needs(name)
    study = Study.model_validate(
        {
            "format": 1,
            "name": "served",
            "question": "What does a server add?",
            "storage": {"kind": "ram", "size": 200 * MEBIBYTE},
            "system": [{"name": "ext4"}, {"name": "served", "kind": "ext4", "access": name}],
            "workload": {"kind": kind} | SERVED_LOADS[kind],
            "plan": {"seed": 1, "blocks": 2},
        }
    )
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None and stored.path_runs == []
    for run in stored.runs:
        assert run.fault is None and run.result is not None, run.fault
        assert (run.server is None) == (run.system == "ext4")
        target = run.job.target.kind
        assert (target in ("share_files", "smb", "nfs")) == (run.system == "served")
        if run.result.integrity is not None:
            assert run.result.integrity.faulty == []
    assert scene.left() == [] and leftovers() == []


class Killer(Progress):
    """Kills the server under load, once."""

    def __init__(self) -> None:
        self.killed = 0

    def event(self, event: Event) -> None:
        if not isinstance(event, IntervalEvent) or self.killed:
            return
        for folder in Path("/run").glob(f"fsgauge-{TOKENS[-1]}-server-*/own"):
            living = server_processes(str(folder), TOKENS[-1])
            self.killed += len(living)
            for pid in living:
                with contextlib.suppress(ProcessLookupError):  # the first one took others along
                    os.kill(pid, signal.SIGKILL)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_a_server_killed_under_load_comes_back_and_the_study_goes_on(
    name: str, scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    needs(name)
    slow = {"files_per_connection": 15, "think": 20_000_000}
    study = study_of(name, tests=["write"], file_sizes=[65536], access=ALONE, clients=4, **slow)
    killer = Killer()
    outcome, stored = measured(study, rig, tmp_path / "results", killer)
    assert killer.killed
    assert outcome.ended_by is None
    first = stored.runs[0]
    assert first.server is not None and first.server.restarts == 1
    assert first.result is not None and first.result.clients is not None
    clients = first.result.clients
    assert clients.network is not None and clients.network.reconnections >= 1
    assert {error.kind for error in clients.errors} <= {
        "connection_lost",
        "connection_refused",
        "timed_out",
        "missing",
        "exists",
    }
    assert clients.clients_gave_up == 0
    network_runs(stored.runs[1:])
    assert scene.left() == [] and leftovers() == []


def test_without_the_server_a_run_ends_before_anything_and_names_the_package(
    scene: Scene, rig: HostRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fsgauge.rig.host.serving.find_tool", lambda _: None)
    with pytest.raises(RigError) as refusal:
        measured(study_of("samba"), rig, tmp_path / "results")
    assert "apt-get install samba" in refusal.value.next
    assert refusal.value.exit_code == 3
    assert scene.left() == [] and not (tmp_path / "results").exists()


@pytest.mark.parametrize("name", NAMES)
def test_a_share_of_a_running_server_is_used_and_cleared(
    name: str, scene: Scene, engine: Engine, tmp_path: Path, shared_folder: Path
) -> None:
    needs(name)
    shared_folder.chmod(0o777)
    with (
        opened_ledger() as opened,
        served(SERVERS[name], shared_folder, clients(name), {}, opened) as server,
    ):
        target = server.target
        access: dict[str, Any] = {}
        if isinstance(target, SmbTarget):
            address = f"smb://{target.user}@127.0.0.1:{target.port}/{target.share}"
            access["password_file"] = getattr(target.password, "path", "")
        else:
            address = f"nfs://127.0.0.1:{target.port}{target.export}"
            access["nfs_mount_port"] = target.mount_port
        share = {"name": "share", "kind": "share", "access": address}
        study = study_of(name, share, access=access)
        with server.reached():
            outcome, stored = measured(study, HostRig(engine), tmp_path / "results")
        assert outcome.ended_by is None
        network_runs(stored.runs)
        assert stored.scans == [] and stored.path_runs == []
        assert sorted(path.name for path in shared_folder.iterdir()) == ["hello"]
    assert scene.left() == [] and leftovers() == []


class Filler(Progress):
    """Takes what is left of the served file system, once, under load."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.done = scene, False

    def event(self, event: Event) -> None:
        if isinstance(event, IntervalEvent) and not self.done:
            self.done = True
            (files,) = self.scene.ledgers.rglob("files")
            self.meddle(files)

    def meddle(self, files: Path) -> None:
        with (files.parent / "ballast").open("wb") as ballast, contextlib.suppress(OSError):
            for piece in (MEBIBYTE, 65536, 4096):
                with contextlib.suppress(OSError):
                    while True:
                        os.posix_fallocate(ballast.fileno(), ballast.seek(0, 2), piece)


class Denier(Filler):
    """Lets the server's user into no folder any more."""

    def meddle(self, files: Path) -> None:
        for folder in files.iterdir():
            os.chown(folder, 0, 0)
            folder.chmod(0o755)


@pytest.mark.long
@pytest.mark.parametrize(
    ("meddler", "kind", "needed"),
    [(Filler, "no_space", "larger storage"), (Denier, "permission_denied", "this user may make")],
    ids=["full", "denied"],
)
@pytest.mark.parametrize("name", NAMES)
def test_a_full_or_closed_share_ends_the_study_with_what_is_needed(
    name: str,
    meddler: type[Filler],
    kind: str,
    needed: str,
    scene: Scene,
    rig: HostRig,
    tmp_path: Path,
) -> None:
    needs(name)
    slow = {"files_per_connection": 40, "think": 20_000_000}
    study = study_of(name, tests=["write"], file_sizes=[262_144], access=ALONE, clients=4, **slow)
    progress = meddler(scene)
    outcome, stored = measured(study, rig, tmp_path / "results", progress)
    assert progress.done and isinstance(outcome.ended_by, RigError)
    assert "clients gave up in" in outcome.ended_by.what
    assert needed in outcome.ended_by.next
    (run,) = stored.runs
    assert run.result is not None and run.result.clients is not None
    assert kind in {each.kind for each in run.result.clients.errors}
    assert scene.left() == [] and leftovers() == []


def test_a_refused_login_ends_before_anything_is_written(
    scene: Scene, engine: Engine, tmp_path: Path, shared_folder: Path, monkeypatch: Any
) -> None:
    needs("samba")
    monkeypatch.setenv("FSGAUGE_SMB_PASSWORD", "not-this-one")
    with (
        opened_ledger() as opened,
        served(SERVERS["samba"], shared_folder, clients("samba"), {}, opened) as server,
    ):
        port = server.target.port
        address = f"smb://nobody@127.0.0.1:{port}/{SHARE}"
        share = {"name": "share", "kind": "share", "access": address}
        study = study_of("samba", share)
        with server.reached(), pytest.raises(RigError) as refusal:
            measured(study, HostRig(engine), tmp_path / "results")
        assert "refuses the user nobody" in refusal.value.what
        assert "not-this-one" not in refusal.value.render()
    assert list((tmp_path / "results").iterdir()) == []
    with pytest.raises(RigError, match="no server answers"):
        measured(study, HostRig(engine), tmp_path / "results")
    assert scene.left() == [] and leftovers() == []
