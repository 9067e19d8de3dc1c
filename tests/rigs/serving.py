"""What tests of private servers share: studies behind one, its clients, what must not be left."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fsgauge.access import SERVERS, Clients, Server
from fsgauge.engine.wire import SmbTarget
from fsgauge.errors import RigError
from fsgauge.machine.folder.marked_folder import Owner
from fsgauge.machine.ledger import ledger
from fsgauge.machine.ledger.ledger_folder import begin_ledger
from fsgauge.record.records import RunRecord
from fsgauge.rig.host.before_runs import KEEP_CACHES
from fsgauge.rig.host.serving import lack_of, require_surroundings
from fsgauge.study.access import AccessKeys
from fsgauge.study.model import Study
from tests.patience import patience
from tests.rigs.conftest import MEBIBYTE

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
def tokens(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Other runs on this machine have servers too: only our own tokens are looked for."""

    def remembered(path: Path, owner: Owner) -> int:
        TOKENS.append(owner.token)
        return begin_ledger(path, owner)

    monkeypatch.setattr(ledger.ledger_folder, "begin_ledger", remembered)
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


def share_of(server: Server) -> tuple[dict[str, Any], dict[str, Any]]:
    """A system that is the server's share, and the [access] that a study of it needs."""
    target, access = server.target, dict[str, Any]()
    if isinstance(target, SmbTarget):
        address = f"smb://{target.user}@127.0.0.1:{target.port}/{target.share}"
        access["password_file"] = getattr(target.password, "path", "")
    else:
        address = f"nfs://127.0.0.1:{target.port}{target.export}"
        access["nfs_mount_port"] = target.mount_port
    return {"name": "share", "kind": "share", "access": address}, access


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


def network_runs(runs: list[RunRecord]) -> list[RunRecord]:
    for run in runs:
        assert run.result is not None and run.result.clients is not None, run.fault
        assert run.result.clients.network is not None
        assert (run.result.clients.errors, run.result.clients.bad_records) == ([], 0), run.cell.id
    return runs
