"""What another user lays into the shared temporary folder: it keeps no command waiting.

Before, a pipe as the marker of a folder with our prefix in /var/tmp hung every command of every
user, 1,001 such folders hid root's leftovers, and the advice for a squatted folder could not work.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsgauge.errors import RigError
from fsgauge.rig.host.folder.marked_folder import (
    MARKER,
    Owner,
    owner_of,
)
from fsgauge.rig.host.ledger import ledger_folder
from fsgauge.rig.host.ledger.ledger import clean_up_after_the_dead
from fsgauge.rig.host.ledger.traces import FolderTrace
from tests.marked_folders import marked, removed

SHARED = Path("/var/tmp")
PATIENCE_SECONDS = 60


@pytest.fixture
def trap() -> Iterator[Path]:
    folder = SHARED / "fsgauge-00000000dead-loop"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    os.mkfifo(folder / MARKER)
    yield folder
    shutil.rmtree(folder)


def test_a_pipe_as_a_marker_keeps_no_command_waiting(trap: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fsgauge", "explain", "iops"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert trap.is_dir()


def test_a_pipe_as_a_marker_is_no_marker(trap: Path) -> None:
    signal.alarm(PATIENCE_SECONDS)
    try:
        assert owner_of(trap) is None
        with pytest.raises(RigError, match="does not have this run's marker"):
            removed(trap, "00000000dead")
    finally:
        signal.alarm(0)


def test_a_thousand_folders_hide_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a reboot ended is known from its ledger, and no shared folder is searched."""
    ledgers, shared = tmp_path / "ledgers", tmp_path / "shared"
    monkeypatch.setattr(ledger_folder, "ledger_folder", lambda: ledgers)
    ledgers.mkdir(mode=0o700)
    shared.mkdir()
    for number in range(1001):
        (shared / f"fsgauge-{number:012x}-loop").mkdir()
    owner = Owner(token="f" * 12, pid=1, start_ticks=0, boot_id="an earlier boot")
    left = shared / f"fsgauge-{owner.token}-loop"
    marked(left, owner)
    trace = FolderTrace(path=str(left), token=owner.token)
    lines = [{"owner": owner.model_dump()}, {"made": 0, "trace": trace.model_dump()}]
    (ledgers / f"{owner.token}.ledger").write_text("".join(json.dumps(x) + "\n" for x in lines))
    assert clean_up_after_the_dead() == [f"removed {left}, left by an earlier run"]


@pytest.mark.root
def test_roots_ledgers_are_in_no_shared_folder_and_outlive_a_reboot() -> None:
    place = ledger_folder.ledger_folder()
    assert place == Path("/var/lib/fsgauge")
    for above in place.parents:
        status = above.stat()
        assert status.st_uid == 0 and not status.st_mode & 0o002
    assert ledger_folder.mount_folder(place) == Path("/run/fsgauge")


@pytest.fixture
def squatted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An ordinary user's place in the shared folder, which another user was quicker to make."""
    uid = 50_000 + os.getpid()  # another one in each process of a test run
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    for name in ("XDG_STATE_HOME", "XDG_RUNTIME_DIR", "HOME"):
        monkeypatch.delenv(name, raising=False)
    place = Path(f"/tmp/fsgauge-{uid}")
    if place.exists():
        pytest.skip(f"{place} is there")
    place.mkdir()
    return place


def test_a_squatted_folder_is_not_used_where_the_user_has_a_home(
    squatted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        monkeypatch.setenv("HOME", str(tmp_path))
        assert tmp_path in ledger_folder.ledger_folder().parents
    finally:
        squatted.rmdir()


def test_the_advice_for_a_squatted_folder_can_be_followed(squatted: Path) -> None:
    """It said `rm -r`, of another user's folder."""
    try:
        with pytest.raises(RigError, match="is not a folder of this user") as refused:
            ledger_folder.private_folder()
        assert "XDG_STATE_HOME=" in refused.value.next and "rm -r" not in refused.value.next
        assert refused.value.cause == "user 0 made it"
    finally:
        squatted.rmdir()
