"""`fsgauge rig coherence` in folders of this machine, and what it and `failure` refuse."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from fsgauge.coherence.log import Log
from tests.commands import interpreted
from tests.patience import patience


def fsgauge(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return interpreted(*words, seconds=patience(60), env=os.environ | more)


def test_one_folder_on_two_hosts_that_are_one_machine(tmp_path: Path) -> None:
    shared, output, ssh = tmp_path / "shared", tmp_path / "output", tmp_path / "bin" / "ssh"
    shared.mkdir()
    ssh.parent.mkdir()
    ssh.write_text('#!/bin/sh\nfor last; do :; done\nexec sh -c "$last"\n')
    ssh.chmod(0o755)
    words = ["--trials", "3", "--case", "kept_open", "--case", "append_at_once"]
    done = fsgauge(
        *("rig", "coherence", str(shared), f"host:{shared}", *words, "--output", str(output)),
        FSGAUGE_PATH=str(ssh.parent),
    )
    assert done.returncode == 0, done.stderr
    assert "shared  kept open by the reader: 3 same" in done.stdout
    # Four times as many for each time that they hardly met.
    found = re.search(r"shared  appended at once: (6|24|96) kept", done.stdout)
    assert found is not None, done.stdout
    log = Log.model_validate_json((output / "coherence.json").read_text())
    assert [each.counts for each in log.counted] == [{"same": 3}, {"kept": int(found[1])}]
    page = (output / "coherence.html").read_text(encoding="utf-8")
    assert "As on one machine in every case: shared." in page
    assert list(shared.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["rig", "coherence", "/tmp"],
            "one node reads what another one wrote, and there is one folder",
        ),
        (["rig", "coherence", "/tmp", "/tmp"], "/tmp and /tmp are one folder of one machine"),
        (["rig", "coherence", "/tmp", "/none/such"], "/none/such: not a folder"),
        (["rig", "coherence", "/tmp", "/dev/shm"], "does not see the folder"),
        (["rig", "coherence", "/tmp", "a:relative"], "does not name a folder and its host"),
        (
            ["rig", "coherence", "/tmp", "/tmp", "--system", "nfs3"],
            "folders are tested as they are",
        ),
        (["rig", "coherence", "--system", "zfs"], "is not among the systems"),
        (["rig", "coherence", "--case", "all"], "is not among the cases"),
        (["rig", "failure", "--system", "zfs"], "is not among the systems"),
        (
            ["rig", "failure", "--system", "gfs2", "--fault", "server"],
            "a server of gfs2 cannot fail here",
        ),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_written(
    words: list[str], says: str, tmp_path: Path
) -> None:
    done = fsgauge(*words, "--output", str(tmp_path / "output"))
    assert done.returncode == 2 and says in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "output").exists()
