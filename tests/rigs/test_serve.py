"""Private servers over real file systems: real smbd and ganesha, started, watched, killed, removed.

Those that need a server are skipped where it is not installed.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fsgauge.access import SERVERS, served
from fsgauge.access.observation import Observation
from fsgauge.access.samba import SHARE
from fsgauge.engine.wire import SmbTarget
from fsgauge.errors import RigError
from fsgauge.machine.ledger.ledger import clean_up_after_the_dead, opened_ledger
from fsgauge.machine.process.servers import server_processes
from tests.patience import patience
from tests.rigs import serving
from tests.rigs.conftest import Scene

pytestmark = pytest.mark.root
tokens, shared_folder = serving.tokens, serving.shared_folder


@pytest.mark.parametrize("name", serving.NAMES)
def test_a_server_starts_answers_on_loopback_and_leaves_nothing(
    name: str, scene: Scene, shared_folder: Path
) -> None:
    serving.needs(name)
    with opened_ledger() as opened:
        with served(SERVERS[name], shared_folder, serving.clients(name), {}, opened) as server:
            port, folder = server.target.port, serving.folder_of(server)
            assert port > 1024 and serving.answers(server) and not serving.listens(port)
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
    assert scene.left() == [] and serving.leftovers() == []


@pytest.mark.parametrize("name", serving.NAMES)
def test_a_server_starts_where_the_path_lacks_the_administrators_folders(
    name: str, scene: Scene, shared_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """smbd and rpcbind lie in /usr/sbin, and shells start them by their names."""
    serving.needs(name)
    monkeypatch.setenv("PATH", "/usr/local/bin:/usr/bin:/bin")
    with (
        opened_ledger() as opened,
        served(SERVERS[name], shared_folder, serving.clients(name), {}, opened) as server,
    ):
        assert serving.answers(server)
    assert scene.left() == [] and serving.leftovers() == []


def test_samba_serves_the_folder_to_its_own_user_alone(scene: Scene, shared_folder: Path) -> None:
    serving.needs("samba")

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
        served(SERVERS["samba"], shared_folder, serving.clients("samba"), {}, opened) as server,
    ):
        target = server.target
        assert isinstance(target, SmbTarget) and target.password is not None
        port, user = target.port, target.user
        password = Path(getattr(target.password, "path", "")).read_text()
        with server.reached():
            assert "hello" in listing(password).stdout
            refused = listing("wrong")
        assert refused.returncode != 0 and "hello" not in refused.stdout
    assert scene.left() == [] and serving.leftovers() == []


@pytest.mark.parametrize(
    ("name", "options"),
    [("samba", {"aio read size": "plenty"}), ("ganesha", {"MaxRead": "plenty"})],
)
def test_options_that_a_server_refuses_end_before_anything_is_measured(
    name: str, options: dict[str, str], scene: Scene, shared_folder: Path
) -> None:
    serving.needs(name)
    with (
        pytest.raises(RigError) as refusal,
        opened_ledger() as opened,
        served(SERVERS[name], shared_folder, serving.clients(name), options, opened),
    ):
        pytest.fail("the server took it")
    assert refusal.value.details
    assert scene.left() == [] and serving.leftovers() == []


@pytest.mark.parametrize("name", serving.NAMES)
def test_a_server_that_was_killed_is_started_again(
    name: str, scene: Scene, shared_folder: Path
) -> None:
    serving.needs(name)
    with (
        opened_ledger() as opened,
        served(SERVERS[name], shared_folder, serving.clients(name), {}, opened) as server,
    ):
        observation = Observation(server.child)
        observation.begin()
        os.kill(server.child.leader(), signal.SIGKILL)
        deadline = time.monotonic() + 10
        time.sleep(0.3)
        while not serving.answers(server) and time.monotonic() < deadline:
            time.sleep(0.05)
        used = observation.end()
        assert (used.restarts, used.user_ns) == (1, None)
        assert serving.answers(server)
    assert scene.left() == [] and serving.leftovers() == []


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
@pytest.mark.parametrize("name", serving.NAMES)
@pytest.mark.parametrize("how", ["first", "again"])
def test_kill_9_of_fsgauge_leaves_no_server(
    name: str, how: str, scene: Scene, shared_folder: Path
) -> None:
    """The kernel ends it, started once or started again: nothing listens until the next command.

    Ganesha's first process had blocked the signal that its parent's death sent it, a Samba that was
    started again had been sent none, and one with sessions had changed its user, whereupon the
    kernel forgets: all three listened until the next command came.
    """
    serving.needs(name)
    arguments = [str(scene.ledgers), name, str(shared_folder), how]
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, *arguments], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        token, folder, network = process.stdout.readline().split()
        serving.TOKENS.append(token)
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
    assert scene.left() == [] and serving.leftovers() == []
