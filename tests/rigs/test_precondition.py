"""Preconditioning on a real loop device: purged, written twice, kept, and in the records."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from fsgauge.rig.host import turn as host_turn
from fsgauge.rig.host.rig import HostRig
from tests.rigs.conftest import MEBIBYTE, Scene
from tests.rigs.measured import measured

pytestmark = pytest.mark.root


def test_a_device_is_purged_written_twice_and_kept(
    scene: Scene, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block of raw and ext4 with at most six rounds of 50 ms before each run."""
    monkeypatch.setattr(host_turn, "MOST_ROUNDS", 6)
    said: list[str] = []
    study = scene.study(
        {"name": "raw"},
        {"name": "ext4"},
        storage={"size": 64 * MEBIBYTE, "precondition": "snia"},
        patterns=["randwrite"],
        block_sizes=[16384],
        queue_depths=[8],
        warm_up=0,
        duration=50_000_000,
    )
    study = study.model_copy(update={"plan": study.plan.model_copy(update={"blocks": 1})})
    outcome, stored = measured(study, HostRig(engine, said.append), tmp_path / "results")
    assert outcome.ended_by is None
    done = stored.before.storage.preconditioning
    assert done is not None and done.purged
    assert done.purge == "whole device discarded"
    assert done.written_bytes == 2 * 64 * MEBIBYTE and done.block_size_bytes == 128 << 10
    assert len(stored.runs) == 3
    for run in stored.runs:
        assert run.preconditioning is not None
        assert 5 <= len(run.preconditioning.rounds) <= 6
        assert all(rate > 0 for rate in run.preconditioning.rounds)
        assert run.preconditioning.reached or len(run.preconditioning.rounds) == 6
    for turn in stored.turns:
        assert turn.start_state[0] == "signatures wiped, blocks in use as preconditioning left them"
        if turn.system == "ext4":
            assert "nodiscard" in " ".join(turn.facts.mkfs_command)
    assert not stored.study.plan.side_by_side
    assert any(line.startswith("preconditioning /dev/loop") for line in said)
    assert scene.left() == []


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
def test_mkfs_leaves_the_blocks_in_use(scene: Scene, engine: Engine, kind: str) -> None:
    """A sparse file behind the loop device shows what was discarded: its blocks are gone."""
    study = scene.study(
        {"name": kind},
        storage={"size": 320 * MEBIBYTE, "precondition": "snia"},
        patterns=["randread"],
        files=1,
        fill=5,
    )
    rig = HostRig(engine)
    rig.check(study, None)
    with rig.systems(study) as systems:
        (image,) = scene.scratch.rglob("storage.img")
        with systems.prepare(study, study.systems[0]):
            assert image.stat().st_blocks * 512 >= 0.95 * 320 * MEBIBYTE
    assert scene.left() == []
