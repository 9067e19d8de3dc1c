"""Servers that fsgauge starts: what other users and hostile studies got out of them."""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fsgauge.access import SERVERS, samba, served
from fsgauge.access.running import Server
from fsgauge.access.samba import users_can_be_private
from fsgauge.engine.client import Engine
from fsgauge.engine.wire import NfsTarget, SmbTarget
from fsgauge.errors import InputError
from fsgauge.machine.facts.mounts import mount_holding
from fsgauge.machine.ledger.ledger import opened_ledger
from fsgauge.machine.process.own_network import own_network
from fsgauge.machine.process.processes import RUN_VARIABLE
from fsgauge.machine.process.servers import end_server, server_processes
from fsgauge.rig.host.before_runs import KEEP_CACHES
from fsgauge.rig.host.facts import PreparedSystem
from fsgauge.rig.host.rig import HostRig
from fsgauge.study.model import Study
from fsgauge.study.server_options import OPTIONS, unknown_option
from fsgauge.workload.folders import ClientFolders
from tests.attack import nfs_client
from tests.needs import need
from tests.patience import patience
from tests.rigs.conftest import Scene, engine, rig, scene
from tests.rigs.serving import SMALL, clients, needs, study_of

__all__ = ["engine", "rig", "scene"]

NOT_OWNER, ACCESS_DENIED = 1, 13
_CONTENT = "for root alone"


Prepare = Callable[[str], contextlib.AbstractContextManager[tuple[PreparedSystem, Server]]]


@pytest.fixture
def prepared(scene: Scene, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Prepare]:
    """A system as a study has it, with its server, by that server's name; nothing of it stays."""
    monkeypatch.setenv(KEEP_CACHES, "1")

    @contextlib.contextmanager
    def prepare(name: str) -> Iterator[tuple[PreparedSystem, Server]]:
        needs(name)
        study, rig = study_of(name), HostRig(engine)
        with rig.systems(study) as systems, systems.prepare(study, study.systems[0]) as made:
            assert made.server is not None
            yield made, made.server

    yield prepare
    assert scene.left() == []


def planted_secret(made: PreparedSystem) -> Path:
    """A file of root's at the root of the file system under test."""
    assert isinstance(made.target, ClientFolders)
    mount = mount_holding(made.target.directory)
    assert mount is not None
    secret = Path(mount.mount_point, "secret")
    secret.write_text(_CONTENT)
    secret.chmod(0o600)
    return secret


def as_user(user: int, attempt: Callable[[], object]) -> bool:
    """Whether an attempt of another user of this machine succeeds: in a child, which changes."""
    child = os.fork()
    if child == 0:
        code = 1
        with contextlib.suppress(BaseException):
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            attempt()
            code = 0
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.root
@pytest.mark.parametrize("name", sorted(SERVERS))
def test_no_process_of_this_machine_can_connect_to_a_server(name: str, prepared: Prepare) -> None:
    """They listened on 127.0.0.1 of the machine, and every local user was let in by Ganesha."""
    with prepared(name) as (_, server):
        target = server.target
        ports = [target.port, getattr(target, "mount_port", target.port)]

        def connect() -> None:
            for port in ports:
                with socket.create_connection(("127.0.0.1", port), timeout=patience(2)):
                    return

        for user in (0, 65534):
            assert not as_user(user, connect)
        with server.reached():
            assert as_user(65534, connect), "the port is the right one"


@pytest.mark.root
@pytest.mark.parametrize("user", [0, 65534])
def test_a_forged_file_handle_opens_nothing_that_is_roots(user: int, prepared: Prepare) -> None:
    """A handle with the inode number replaced named any file of the file system, and the client was
    believed to be root: it read a file of mode 0600, wrote to it, and left a setuid program of
    root's. Here the attacker is even inside of the server's network."""
    with prepared("ganesha") as (made, server):
        target = server.target
        assert isinstance(target, NfsTarget) and target.mount_port is not None
        secret = planted_secret(made)
        attacker = nfs_client.Server(target.port, target.mount_port, user, user)
        with server.reached():
            export = attacker.mount(target.export)
            root = nfs_client.forged(export, secret.parent.stat().st_ino)
            to_secret = nfs_client.forged(export, secret.stat().st_ino)
            assert attacker.owner(to_secret) == (0o600, 0), "the forged handle names the file"
            attempts: dict[str, Callable[[], object]] = {
                "read": lambda: attacker.read(to_secret),
                "write": lambda: attacker.write(to_secret, b"changed"),
                "open it to all": lambda: attacker.set_mode(to_secret, 0o666),
                "create": lambda: attacker.create(root, "planted"),
                "remove": lambda: attacker.remove(root, "secret"),
            }
            for what, attempt in attempts.items():
                with pytest.raises(nfs_client.Refused) as refusal:
                    attempt()
                assert refusal.value.status in (NOT_OWNER, ACCESS_DENIED), what
        assert secret.read_text() == _CONTENT and secret.stat().st_mode & 0o777 == 0o600
        assert not (secret.parent / "planted").exists()


@pytest.mark.root
def test_ganesha_itself_has_no_more_rights_than_it_needs_for_handles(prepared: Prepare) -> None:
    """It was root with all capabilities. What it does not have, nobody gets by way of it."""
    with prepared("ganesha") as (_, server):
        account = server.child.serving.account
        (process,) = [
            pid
            for pid in server.child.processes()
            if Path(f"/proc/{pid}/comm").read_text().startswith("ganesha")
        ]
        status = dict(
            line.split(":\t", 1)
            for line in Path(f"/proc/{process}/status").read_text().splitlines()
        )
        assert set(status["Uid"].split()) == {str(account.user_id)}
        assert status["Groups"].split() == []
        read_search = 1 << 2
        for name in ("CapPrm", "CapEff", "CapBnd"):
            assert int(status[name], 16) == read_search, name
        assert status["NoNewPrivs"] == "1"


@pytest.mark.root
def test_other_users_cannot_walk_to_the_files_that_are_served(prepared: Prepare) -> None:
    """Samba's share lay where anybody could walk, and its folder was open to all."""
    with prepared("samba") as (_, server):
        serving = server.child.serving
        stranger = serving.account.user_id - 1
        assert not as_user(stranger, lambda: list(serving.shared.iterdir()))
        assert not as_user(stranger, lambda: (serving.shared / "files").stat())
        assert not as_user(stranger, lambda: list(serving.folder.iterdir()))
        assert not as_user(serving.account.user_id, lambda: list(serving.folder.iterdir()))


@pytest.mark.root
def test_a_process_of_nobody_cannot_touch_what_samba_serves(prepared: Prepare) -> None:
    """Samba's clients worked as `nobody`, whom services of the machine are too: any of them could
    remove and plant files in the share, and signal the sessions."""
    if not users_can_be_private():
        need("a root that is a mount point: unshare --mount --propagation slave")
    with prepared("samba") as (_, server):
        serving = server.child.serving
        account, files = serving.account, serving.shared / "files"
        for number in (account.user_id, account.group_id):
            with pytest.raises(KeyError):
                pwd.getpwuid(number)
            with pytest.raises(KeyError):
                grp.getgrgid(number)
        assert files.stat().st_uid == account.user_id, "it is the clients' folder"
        nobody = pwd.getpwnam("nobody").pw_uid
        for user in (nobody, 65534):
            assert not as_user(user, lambda: list(serving.shared.iterdir()))
            assert not as_user(user, lambda: (files / "planted").touch())
        assert as_user(account.user_id, lambda: (files / "own").touch()), (
            "the place is the right one"
        )
        (files / "own").unlink()


@pytest.mark.root
def test_a_samba_without_mounts_of_its_own_serves_as_nobody(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In a chroot whose root is no mount point no file of /etc can have another in its place."""
    needs("samba")
    monkeypatch.setattr(samba, "users_can_be_private", lambda: False)
    account = samba.SAMBA.account()
    assert account.name == "nobody" and account.user_id == pwd.getpwnam("nobody").pw_uid
    tmp_path.chmod(0o755)
    with (
        opened_ledger() as opened,
        served(SERVERS["samba"], tmp_path, clients("samba"), {}, opened, account) as server,
    ):
        assert not (server.child.serving.folder / "users").exists()
        assert isinstance(server.target, SmbTarget) and server.target.user == "nobody"
    assert scene.left() == []


@pytest.mark.root
def test_ganesha_does_not_serve_a_folder_of_a_file_system_with_other_files(
    tmp_path: Path, scene: Scene, engine: Engine
) -> None:
    """File handles reach the whole file system, so the users' files in it were open to all."""
    needs("ganesha")
    study = Study.model_validate(
        {
            "format": 1,
            "name": "served",
            "question": "What does a server add?",
            "storage": {"kind": "path", "path": str(tmp_path), "size": 200 << 20},
            "system": [{"name": "mounted", "kind": "mounted"}],
            "access": {"server": "ganesha"},
            "workload": {"kind": "connections"} | SMALL,
            "plan": {"seed": 1, "blocks": 2},
        }
    )
    with pytest.raises(InputError, match="does not serve a folder") as refusal:
        HostRig(engine).check(study, None)
    assert "file handle" in refusal.value.cause and "--storage loop" in refusal.value.next


def test_a_study_cannot_choose_whom_a_server_believes() -> None:
    """What is served, to whom and as whom is fsgauge's: no option of a study undoes it."""
    for name in ("Squash", "Anonymous_Uid", "Anonymous_Gid", "Path", "Access_Type", "CLIENT"):
        assert name not in OPTIONS["ganesha"] and unknown_option("ganesha", name) is not None
        assert unknown_option("ganesha", name.lower()) is not None
    for name in ("force user", "admin users", "guest ok", "path", "include", "root preexec"):
        assert name not in OPTIONS["samba"] and unknown_option("samba", name) is not None


def test_an_option_cannot_name_a_file() -> None:
    """Samba appends the log of a class to any file, as root: `log level = 3 auth:5@/etc/passwd`."""
    with pytest.raises(ValueError, match="a study may not set"):
        study_of("samba", {"name": "ext4", "server": {"log level": "3 auth:5@/tmp/planted"}})
    assert study_of("samba", {"name": "ext4", "server": {"log level": "3 auth:5"}})


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A user who looks at a server's log."""
    log = tmp_path / "log"
    log.touch()
    with subprocess.Popen(["tail", "-f", str(log)], process_group=0) as process:
        yield process
        process.kill()


def test_whoever_reads_a_servers_log_is_not_ended_with_it(
    reader: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    """Every process that named the server's folder was killed, and its process group with it."""
    run = "0123456789ab"
    with subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(60)", str(tmp_path / "conf")],
        process_group=0,
        env={**os.environ, RUN_VARIABLE: run},
    ) as server:
        assert server_processes(str(tmp_path), run) == [server.pid]
        ended, left = end_server(str(tmp_path), run)
        assert [process.pid for process in ended] == [server.pid] and left == []
    assert reader.poll() is None


@pytest.mark.root
def test_a_name_in_the_abstract_is_not_seen_from_outside_of_a_network() -> None:
    """Abstract Unix sockets have no owner and no mode; they belong to a network."""
    name = f"\0fsgauge-test-{os.getpid()}"
    with own_network() as network:
        with network.entered():
            inner = socket.socket(socket.AF_UNIX)
            inner.bind(name)
            inner.listen()
        with inner, socket.socket(socket.AF_UNIX) as outer, pytest.raises(ConnectionRefusedError):
            outer.connect(name)
