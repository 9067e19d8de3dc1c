"""What mkfs and the kernel refuse is found before a run; nothing of the scratch image stays."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fsgauge.errors import InputError, Interrupted
from fsgauge.rig.host import trial
from fsgauge.rig.host.rig import HostRig
from fsgauge.study.model import DeviceStorage
from tests.needs import need_mkfs
from tests.patience import patience
from tests.rigs.conftest import MakeLoop, Scene

pytestmark = pytest.mark.root

NO_SUCH_INODES = {"name": "odd", "kind": "ext4", "mkfs": "-I 3000"}
NO_SUCH_LOG = {"name": "log", "kind": "xfs", "mount": "logbsize=3k"}


def test_what_mkfs_and_mount_refuse_is_named(scene: Scene, rig: HostRig) -> None:
    need_mkfs("xfs")
    study = scene.study({"name": "ext4"}, NO_SUCH_INODES, NO_SUCH_LOG, {"name": "raw"})
    rig.check(study, None)
    by_mkfs, by_mount = rig.refusals(study)
    assert isinstance(by_mkfs, InputError) and isinstance(by_mount, InputError)
    assert by_mkfs.what == 'mkfs.ext4 refused the options of the system "odd": -I 3000'
    assert by_mount.what == 'mount refused the options of the system "log": logbsize=3k'
    assert any(line.startswith("kernel: ") for line in by_mount.details)
    assert "--without log" in by_mount.next
    assert scene.left() == []


def test_what_works_is_not_refused(scene: Scene, rig: HostRig) -> None:
    assert rig.refusals(scene.study({"name": "raw"}, {"name": "ext4", "mount": "noatime"})) == []
    assert scene.left() == []


def test_a_setting_that_the_kernel_refuses(scene: Scene, rig: HostRig) -> None:
    """One of the machine is left alone: a plan changes nothing that others use."""
    tunables = {"queue/scheduler": "nosuch", "/proc/sys/vm/swappiness": "7"}
    before = Path("/proc/sys/vm/swappiness").read_text()
    (refused,) = rig.refusals(scene.study({"name": "ext4", "tunables": tunables}))
    assert 'the kernel refused "nosuch"' in refused.what
    assert Path("/proc/sys/vm/swappiness").read_text() == before
    assert scene.left() == []


def test_files_for_which_there_is_no_room(scene: Scene, rig: HostRig) -> None:
    study = scene.study({"name": "ext4", "mkfs": "-m 50"}, files=4000, block_sizes=[64 << 10])
    (refused,) = rig.refusals(study)
    assert "leaves room for" in refused.cause
    assert scene.left() == []


def test_a_device_is_not_touched(scene: Scene, rig: HostRig, make_loop: MakeLoop) -> None:
    device = make_loop()
    before = hashlib.sha256(Path(device).read_bytes()).digest()
    study = scene.study(NO_SUCH_INODES).model_copy(update={"storage": DeviceStorage(device=device)})
    (refused,) = (each for each in rig.refusals(study) if "mkfs" in each.what)
    assert any(f"stands in for {device}" in line for line in refused.details)
    assert hashlib.sha256(Path(device).read_bytes()).digest() == before
    assert scene.left() == []


def test_time_is_bounded_and_what_was_not_tried_is_said(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, engine: Any
) -> None:
    monkeypatch.setattr(trial, "TRIAL_SECONDS", 0.5)
    said: list[str] = []
    assert HostRig(engine, said.append).refusals(scene.study(NO_SUCH_INODES)) == []
    assert said == ['not tried in 0.5 s, so mkfs or mount may refuse it: "odd"']
    assert scene.left() == []


def test_nothing_stays_of_one_that_is_interrupted(
    scene: Scene, rig: HostRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        assert any(each.startswith("mount ") for each in scene.left())
        raise Interrupted("ended by SIGINT")

    monkeypatch.setattr(trial, "room_of", interrupt)
    with pytest.raises(Interrupted):
        rig.refusals(scene.study({"name": "ext4"}))
    assert scene.left() == []


USER = """
import os, sys
from pathlib import Path
from fsgauge.machine.ledger import ledger_folder
from fsgauge.rig.host.rig import HostRig
from fsgauge.study.parse import load_study
study = load_study("overhead", systems=["raw", "odd=ext4:mkfs=-I 3000"], seed=1)
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
ledger_folder.ledger_folder = lambda: Path(sys.argv[1])
print(*(each.what for each in HostRig().refusals(study)), sep="\\n")
"""


def test_an_ordinary_user_learns_what_mkfs_refuses() -> None:
    """mkfs needs no root in a file."""
    ledgers = Path(f"/var/tmp/test-fsgauge-ledgers-{os.getpid()}")
    ledgers.mkdir(mode=0o700)
    os.chown(ledgers, 65534, 65534)
    try:
        done = subprocess.run(
            [sys.executable, "-c", USER, str(ledgers)],
            capture_output=True,
            text=True,
            timeout=patience(60),
        )
        assert list(ledgers.glob("*.jsonl")) == []
    finally:
        subprocess.run(["rm", "-r", str(ledgers)], check=True)
    assert 'mkfs.ext4 refused the options of the system "odd": -I 3000' in done.stdout, done.stderr
    assert "making and mounting file systems needs root" in done.stdout
