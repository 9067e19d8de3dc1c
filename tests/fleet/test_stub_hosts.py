"""Many hosts at once: registered, started together and added up, and nothing else listens.

FSGAUGE_FLEET_HOSTS: how many; 100 by default, since all of them share this process. Three hundred
are in `make bench`.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from fsgauge.record.records import RunRecord
from fsgauge.rig.fleet import host_answers
from fsgauge.rig.fleet.clock import Clock
from fsgauge.rig.fleet.hosts import started_hosts
from fsgauge.rig.fleet.model import Host
from fsgauge.rig.fleet.session import FleetSession
from fsgauge.rig.happenings import FromMachine, Happening
from fsgauge.study.parse import load_study
from tests.fleet import stub_hosts
from tests.fleet.stub_hosts import StubLauncher, StubRig, one_clock
from tests.synthetic import make_study

HOSTS = int(os.environ.get("FSGAUGE_FLEET_HOSTS", "100"))
SECONDS_TO_REGISTER = 60.0


def test_many_hosts_measure_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_answers, "HeldRig", StubRig)
    monkeypatch.setattr(host_answers.HostAnswers, "compare_clock", one_clock)
    stub_hosts.STUDY[:] = [
        make_study(patterns=("randread",), block_sizes=(4096,), queue_depths=(1,), blocks=2)
    ]
    plan = stub_hosts.STUDY[0].study.plan
    study = load_study("overhead", [], [], None, 1)
    hosts = [Host(name=f"h{number:03d}") for number in range(HOSTS)]
    told: list[Happening] = []
    begun = time.monotonic()
    with started_hosts(hosts, StubLauncher(tmp_path), "127.0.0.1") as running:
        assert time.monotonic() - begun < SECONDS_TO_REGISTER
        assert len(running.identities) == HOSTS
        session = FleetSession(
            running, Clock("127.0.0.1", 1, "0" * 64), lambda _: study, lambda _: None, 0.3
        )
        session.prepare()
        assert [machine.name for machine in session.describe().machines] == running.names
        session.block(plan, 0, told.append)
        assert session.close("done") == []
    runs = [each for each in told if isinstance(each, RunRecord)]
    planned = sum(len(turn.cells) for turn in plan.turns if turn.block == 0)
    assert len(runs) == planned
    for run in runs:
        assert [part.machine for part in run.parts] == [host.name for host in hosts]
        assert len(run.starts) == HOSTS
    raw = [each for each in told if isinstance(each, FromMachine)]
    turns = len([turn for turn in plan.turns if turn.block == 0])
    assert len(raw) == HOSTS * (planned + turns)
