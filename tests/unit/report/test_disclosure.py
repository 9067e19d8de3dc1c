"""The disclosure sheet: what the records say, and "not recorded" for what they do not."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from fsgauge.record.machine import StorageFacts
from fsgauge.report.disclosure import device_rows, disclosed
from fsgauge.report.write import Report, read_report
from tests.synthetic import make_study
from tests.synthetic.setting import with_machine
from tests.synthetic_connections import make_connections
from tests.unit.stats.test_machine_findings import limits

pytestmark = pytest.mark.usefixtures("blank_pictures")

NVME = {
    "kind": "device",
    "path": "/dev/nvme0n1",
    "size_bytes": 2000398934016,
    "scheduler": "none",
    "rotational": "0",
    "write_cache": "write back",
    "nr_requests": "1023",
    "logical_block_size_bytes": 512,
    "physical_block_size_bytes": 4096,
    "model": "Samsung SSD 990 PRO",
    "serial": "S6Z1",
    "firmware_rev": "4B2QJXD7",
}


def storage(*links: dict[str, object]) -> StorageFacts:
    return StorageFacts(
        kind="device",
        sentence="a device",
        size_bytes=1 << 30,
        device_chain=list(links),
        cautions=[],
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("plain")
    make_study(patterns=("randread", "randwrite"), block_sizes=(4096,), blocks=3).write(folder)
    return read_report(folder)


def rows(report: Report) -> dict[tuple[str, str], str | None]:
    return {
        (group.heading, name): value
        for group in disclosed(report.results, report.stored)
        for name, value in group.rows
    }


def test_a_device_is_described_as_it_describes_itself() -> None:
    found = dict(device_rows(storage(NVME)))
    assert found["model"] == "Samsung SSD 990 PRO"
    assert found["firmware"] == "4B2QJXD7"
    assert found["capacity"] == "1.82 TiB"
    assert found["write cache"] == "write back"
    assert found["rotational"] == "no"
    assert found["sectors"] == "512 B logical, 4096 B physical"
    assert found["above the device"] == "nothing"
    assert found["flash type, memory in it"] is None


def test_what_a_device_does_not_say_is_not_guessed() -> None:
    silent = {"kind": "device", "path": "/dev/vda", "size_bytes": 1 << 30}
    found = dict(device_rows(storage(silent)))
    for name in ("vendor", "model", "serial or WWID", "firmware", "write cache", "scheduler"):
        assert found[name] is None, name
    nothing = dict(device_rows(storage()))
    assert nothing["device"] is None and nothing["capacity"] is None


def test_a_loop_file_names_the_disk_and_what_is_between() -> None:
    loop = {"kind": "device", "path": "/dev/loop7", "size_bytes": 1 << 20, "direct_io": True}
    mount = {
        "kind": "file_system",
        "path": "/var/tmp",
        "file_system": "ext4",
        "mount_point": "/",
        "mount_options": "rw,relatime",
    }
    found = dict(device_rows(storage(loop, mount, NVME)))
    assert found["device"] == "/dev/nvme0n1"
    assert found["above the device"] == "/dev/loop7, 1 MiB, direct I/O; ext4 at / (rw,relatime)"


def test_the_sheet_says_load_steadiness_and_versions(report: Report) -> None:
    found = rows(report)
    job = report.stored.runs[0].load
    assert job is not None
    assert found["Load", "reads"] is not None and "100 %" in found["Load", "reads"]
    assert f"{job.interface}, direct" in (found["Load", "interface"] or "").split("; ")
    assert "5 rounds" in (found["Steady state", "window"] or "")
    assert "20 %" in (found["Steady state", "window"] or "")
    sure = report.results.sureness
    judged = f"{sure.runs_steady} of {sure.runs_judged_steady} runs judged"
    assert found["Steady state", "reached"] == judged
    host = report.stored.before.load
    assert found["Host", "kernel"] == host.kernel
    assert found["Host", "limits"] == "not recorded", "by an older version"
    assert found["Versions", "seed"] == str(report.stored.study.plan.seed)


def test_a_machine_without_limits_says_so(report: Report) -> None:
    """A fact that is none could not be read, but for these."""
    before = with_machine(report.stored.before, limits=limits(), virtual_machine=None)
    found = rows(replace(report, stored=replace(report.stored, before=before)))
    assert found["Host", "limits"] == found["Host", "virtual machine"] == "none"


def test_the_hash_is_that_of_the_study_file(report: Report) -> None:
    content = (report.stored.directory / "study.toml").read_bytes()
    assert rows(report)["Versions", "SHA-256 of study.toml"] == hashlib.sha256(content).hexdigest()
    assert hashlib.sha256(content).hexdigest() in report.disclosure()
    assert hashlib.sha256(content).hexdigest() in report.summary()


def test_the_file_set_is_held_against_memory(report: Report) -> None:
    found = rows(report)
    assert found["Data and caches", "reads through page cache"] == "no"
    size_bytes = max(turn.layout.size_bytes for turn in report.stored.turns if turn.layout)
    memory_bytes = report.stored.before.load.memory_bytes
    share = found["Data and caches", "against host memory"] or ""
    assert float(share.split(" %")[0]) == pytest.approx(100 * size_bytes / memory_bytes, rel=0.1)


def test_what_is_unknown_is_printed_as_not_recorded(report: Report) -> None:
    page = report.disclosure()
    unknown = [value for value in rows(report).values() if value is None]
    assert len(unknown) >= 3
    assert page.count('class="unknown">not recorded<') == len(unknown)


def test_clients_are_described_by_their_files(tmp_path: Path) -> None:
    make_connections(clients=60, blocks=3).write(tmp_path)
    found = rows(read_report(tmp_path))
    assert "60" in (found["Load", "clients"] or "").split(", ")
    assert found["Load", "files of each client"] is not None
    assert found["Data and caches", "file set"] is not None
