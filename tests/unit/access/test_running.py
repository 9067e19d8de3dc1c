"""A server's life beside the threads that look on: what is over stays over."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from fsgauge.access import SAMBA, running
from fsgauge.access.kind import Account, Clients, Serving
from fsgauge.access.running import Child
from fsgauge.machine.process.own_network import own_network
from fsgauge.study.access import AccessKeys

pytestmark = pytest.mark.root


def test_a_server_that_is_stopped_while_it_is_revived_is_not_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C came while another thread saw to a dead server: it was stopped, its folder removed,
    and then started after all, with nothing left that would end it."""
    account = Account(0, 0, "root")
    serving = Serving(tmp_path, tmp_path, Clients(AccessKeys(), 1), account)
    with own_network() as network:
        child = Child(SAMBA, serving, network, "0123456789ab")
        with subprocess.Popen(["false"]) as dead:
            dead.wait()
        child._process = dead
        monkeypatch.setattr(running, "end_server", lambda *_: child.stop())
        begun: list[object] = []
        monkeypatch.setattr(running.subprocess, "Popen", lambda *_, **__: begun.append(1))
        assert child.revive()
        assert begun == []
        assert not child.revive()
