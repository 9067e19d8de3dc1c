"""What direct I/O needs is compared with what there is, before anything is measured."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.engine.wire import ProbeResult
from fsgauge.errors import InputError
from fsgauge.machine.facts.mounts import parse_mountinfo
from fsgauge.rig.host.direct import require_direct_device, require_direct_files
from fsgauge.study.model import Study
from tests.cli import fake_engine


def study(**workload: Any) -> Study:
    return Study.model_validate(
        {
            "format": 1,
            "name": "s",
            "question": "Why?",
            "storage": {"kind": "path", "path": "/tmp", "size": 16 << 20},
            "system": [{"name": "here", "kind": "mounted"}],
            "workload": workload,
        }
    )


class Probed:
    """An engine that finds what it is told to find."""

    def __init__(self, **found: Any) -> None:
        self.found, self.asked, self.without_costs = found, 0, False

    def probe(self, job: Any) -> ProbeResult:
        self.asked, self.without_costs = self.asked + 1, job.without_costs
        answer = {"format": 1, "kind": "probe", "engine": fake_engine.ENGINE}
        return ProbeResult.model_validate(answer | fake_engine.probe({}) | self.found)


def refused(asked: Study, **found: Any) -> InputError:
    with pytest.raises(InputError) as refusal:
        require_direct_files(asked, asked.systems[0], "/tmp", Probed(**found))
    return refusal.value


def test_no_direct_io() -> None:
    error = refused(study(kind="writers"), direct=False, direct_alignment_bytes=None)
    assert error.what == '"here" has no direct I/O'
    assert "workload.access" in error.next
    error = refused(study(kind="overhead"), direct=False, direct_alignment_bytes=None)
    assert "workload.direct=false" in error.next


def test_a_block_below_the_alignment() -> None:
    error = refused(study(kind="writers", block_sizes=[8192, 6144]), direct_alignment_bytes=4096)
    assert "in whole blocks of 4 KiB, and an operation of the study is 6 KiB" in error.what
    assert error.next.startswith('a block size of "8 KiB"')


def test_what_fits_and_what_is_buffered() -> None:
    fits = study(kind="writers")
    engine = Probed(direct_alignment_bytes=4096)
    require_direct_files(fits, fits.systems[0], "/tmp", engine)
    assert engine.without_costs, "of each system a tenth of a second"
    buffered = study(kind="writers", access=["buffered"])
    engine = Probed(direct=False)
    require_direct_files(buffered, buffered.systems[0], "/tmp", engine)
    assert engine.asked == 0


def test_a_device_that_is_not_there_is_left_to_others() -> None:
    require_direct_device(study(kind="writers"), "/dev/no-such-device")


@pytest.mark.parametrize(
    ("workload", "way"),
    [({"kind": "writers"}, "workload.access"), ({"kind": "overhead"}, "workload.direct=false")],
)
def test_memory_has_no_direct_io_whatever_the_probe_says(
    workload: dict[str, Any], way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Linux 6.6 and later open files on tmpfs with O_DIRECT and ignore it."""
    line = "30 1 0:26 / /fast rw - {} none rw\n"
    asked = study(**workload)
    for kind in ("tmpfs", "ramfs"):
        found = parse_mountinfo(line.format(kind))
        monkeypatch.setattr("fsgauge.machine.facts.mounts.mounts", lambda found=found: found)
        engine = Probed(direct=True, direct_alignment_bytes=512)
        with pytest.raises(InputError) as refusal:
            require_direct_files(asked, asked.systems[0], "/fast/folder", engine)
        assert refusal.value.what == '"here" has no direct I/O'
        assert f"/fast/folder is on {kind}" in refusal.value.cause
        assert way in refusal.value.next and "--storage ram:16MiB" in refusal.value.next
        assert engine.asked == 0
    disk = parse_mountinfo(line.format("ext4"))
    monkeypatch.setattr("fsgauge.machine.facts.mounts.mounts", lambda: disk)
    engine = Probed(direct=True, direct_alignment_bytes=512)
    require_direct_files(asked, asked.systems[0], "/fast/folder", engine)
    assert engine.asked == 1


def test_buffered_io_may_go_to_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    found = parse_mountinfo("30 1 0:26 / /fast rw - tmpfs none rw\n")
    monkeypatch.setattr("fsgauge.machine.facts.mounts.mounts", lambda: found)
    for workload in ({"kind": "writers", "access": ["buffered"]}, {"direct": False}):
        asked = study(**workload)
        require_direct_files(asked, asked.systems[0], "/fast/folder", Probed())
