"""Servers that are killed, missing, full or closed under a study, and shares of others' servers."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from fsgauge.access import SERVERS, served
from fsgauge.access.samba import SHARE
from fsgauge.engine.client import Engine
from fsgauge.engine.wire import Event, IntervalEvent
from fsgauge.errors import RigError
from fsgauge.machine.ledger.ledger import opened_ledger
from fsgauge.machine.process.servers import server_processes
from fsgauge.progress import Progress
from fsgauge.rig.host.rig import HostRig
from tests.rigs import serving
from tests.rigs.conftest import MEBIBYTE, Scene
from tests.rigs.measured import Meddler, measured
from tests.rigs.serving import (
    ALONE,
    NAMES,
    TOKENS,
    clients,
    leftovers,
    needs,
    network_runs,
    share_of,
    study_of,
)

pytestmark = pytest.mark.root
tokens, shared_folder = serving.tokens, serving.shared_folder


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
        share, access = share_of(server)
        study = study_of(name, share, access=access)
        with server.reached():
            outcome, stored = measured(study, HostRig(engine), tmp_path / "results")
        assert outcome.ended_by is None
        network_runs(stored.runs)
        assert stored.scans == [] and stored.path_runs == []
        assert sorted(path.name for path in shared_folder.iterdir()) == ["hello"]
    assert scene.left() == [] and leftovers() == []


class Filler(Meddler):
    def meddle(self, files: Path) -> None:
        """What is left of the served file system."""
        with (files.parent / "ballast").open("wb") as ballast, contextlib.suppress(OSError):
            for piece in (MEBIBYTE, 65536, 4096):
                with contextlib.suppress(OSError):
                    while True:
                        os.posix_fallocate(ballast.fileno(), ballast.seek(0, 2), piece)


class Denier(Meddler):
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
    meddler: type[Meddler],
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
