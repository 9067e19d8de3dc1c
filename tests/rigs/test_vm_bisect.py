"""A loss that was planted in a kernel is found by its package. Fetches kernels of 70 MB each."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from fsgauge.bisect.log import Asked, Log
from fsgauge.cli import bisect
from fsgauge.study.model import Study
from tests.needs import need, need_tool
from tests.rigs.virtual import fsgauge

pytestmark = pytest.mark.long

LOAD = [
    *("--storage", "loop:128MiB", "--set", "plan.blocks=3", "--set", "workload.duration=2s"),
    *("--set", 'workload.patterns=["randwrite"]', "--set", 'workload.block_sizes=["4KiB"]'),
    *("--set", "workload.queue_depths=[1]", "--set", "workload.warm_up=200ms"),
    *("--set", "workload.direct=false"),  # what is written at once with sync waits otherwise
]


def offered() -> list[str]:
    """Three kernels of one series that the archive has."""
    done = fsgauge("rig", "build", "--kernel", "linux-image-none")
    words = [word.strip(",") for word in done.stderr.split()]
    names = [each for each in words if each.startswith("linux-image-6.1.0-")]
    names = sorted(each for each in names if "-rt-" not in each and "-cloud-" not in each)
    if len(names) < 3:
        need(f"three kernels of the archive: {done.stderr}")
    return names[-3:]


def test_a_planted_loss_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the second of three kernels on, the file system is mounted with sync."""
    need_tool("qemu-system-x86_64", "qemu-system-x86")
    good, first_bad, bad = offered()
    usual = bisect.studied

    def planted(asked: Asked, kernel: str, blocks: int | None) -> Study:
        study = usual(asked, kernel, blocks)
        systems = [
            each.model_copy(update={"mount": "sync"})
            if each.name == "tried" and kernel >= first_bad
            else each
            for each in study.systems
        ]
        return study.model_copy(update={"systems": systems})

    monkeypatch.setattr(bisect, "studied", planted)
    monkeypatch.chdir(tmp_path)
    words = ["overhead", "--good", good, "--bad", bad, *LOAD]
    words += ["--fail-if", "ratio(iops, randwrite) < 0.9", "--set", f"storage.directory={tmp_path}"]
    done = CliRunner().invoke(bisect.command, words, standalone_mode=False)
    assert done.return_value == 0, done.output
    found = tmp_path / "results" / "bisect-overhead" / "bisect.json"
    log = Log.model_validate_json(found.read_text())
    assert log.tried[first_bad] == "bad" and log.kernels == [good, first_bad, bad]
    assert f"{first_bad} is the first kernel beyond a limit" in done.output
