"""Studies over hosts with the real engine: one file for all of them, ageing at once, devices.

Slow: each starts hosts, and they write for real.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from fsgauge.access import SERVERS, served
from fsgauge.engine.client import Engine
from fsgauge.engine.wire import timed_operations
from fsgauge.errors import RefusedError
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.machine.device.consent import Consent
from fsgauge.machine.ledger.ledger import opened_ledger
from fsgauge.plan.turns import with_seed
from fsgauge.progress import Progress
from fsgauge.rig.fleet.rig import FleetRig
from fsgauge.rig.rig import FleetChoice
from fsgauge.run import run_study
from fsgauge.store import StoredStudy, read_results
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study
from tests.rigs.conftest import MEBIBYTE, MakeLoop, Scene
from tests.rigs.conftest import run as must_run
from tests.rigs.serving import clients, needs, share_of, study_of


@pytest.fixture
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine) -> Path:
    """Ledgers of our own, the engine that the other tests have, and a folder for all hosts."""
    monkeypatch.setenv("FSGAUGE_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("FSGAUGE_KEEP_CACHES", "1")
    monkeypatch.setenv("FSGAUGE_ENGINE", str(engine.binary))
    place = tmp_path / "shared"
    place.mkdir()
    return place


def hosts_file(folder: Path, *hosts: str) -> Path:
    lines = ['launcher = "local"', 'lead = "500 ms"']
    for host in hosts:
        lines += ["[[host]]", host]
    path = folder / "hosts.toml"
    path.write_text("\n".join(lines))
    return path


def small(kind: str, storage: str, changes: Sequence[str], systems: Sequence[str]) -> Study:
    words = ["plan.blocks=2", *changes]
    return with_seed(load_study(kind, words, list(systems), storage), 7)


def measured(
    study: Study, hosts: Path, consent: Consent | None = None, rig: FleetRig | None = None
) -> StoredStudy:
    outcome = run_study(
        study,
        rig=rig or FleetRig(FleetChoice(hosts=hosts)),
        results=hosts.parent / "results",
        destroy=consent,
        command=["fsgauge"],
        progress=Progress(),
    )
    assert outcome.ended_by is None
    return read_results(outcome.directory)


def test_every_block_of_one_file_is_written_by_one_host(surroundings: Path) -> None:
    """Four writers on three hosts, in parts that do not overlap; each host reads back its own, and
    together that is the whole file. Also where the file grows, and a log is on one host alone.
    """
    study = small(
        "writers",
        f"path:{surroundings}",
        [
            *("storage.size=272MiB", "workload.writers=[4]", 'workload.access=["buffered"]'),
            *('workload.ranges=["segmented", "interleaved", "strided"]', "workload.stride=64KiB"),
            *('workload.allocation=["overwrite", "extend"]', "workload.log_writers=1"),
        ],
        ["mounted"],
    )
    hosts = hosts_file(surroundings.parent, 'name = "a"', 'name = "b"', 'name = "c"')
    stored = measured(study, hosts)
    assert len(stored.runs) == 4 * 6
    for run in stored.runs:
        assert [len(part.slices[0].result.jobs) for part in run.parts] == [2, 1, 1]
        whole = run.result
        assert whole is not None and whole.integrity is not None and whole.write is not None
        blocks = stored.turns[0].target["file_size_bytes"] // 8192
        assert whole.integrity.checked_blocks == whole.write.operations == blocks
        assert whole.integrity.faulty == []
        assert [(each.role, each.count) for each in whole.companions or []] == [("log", 1)]
    assert list(surroundings.iterdir()) == []


def test_each_host_brings_all_writers(surroundings: Path) -> None:
    """To one file, whose parts are numbered through over one host or two, and to files of their
    own beside it: every block is written once by whom it belongs to."""
    study = small(
        "writers",
        f"path:{surroundings}",
        [
            *("storage.size=32MiB", "workload.writers=[2]", "workload.hosts=[1, 2]"),
            *('workload.ranges=["segmented", "own files"]', 'workload.access=["buffered"]'),
        ],
        ["mounted"],
    )
    hosts = hosts_file(surroundings.parent, 'name = "a"', 'name = "b"')
    stored = measured(study, hosts)
    assert len(stored.runs) == 4 * 4
    blocks = stored.turns[0].target["file_size_bytes"] // 8192
    for run in stored.runs:
        factors = WritersFactors.of(run.cell)
        assert [part.machine for part in run.parts] == ["a", "b"][: factors.hosts]
        assert all(len(part.slices[0].result.jobs) == 2 for part in run.parts)
        whole = run.result
        assert whole is not None and whole.integrity is not None and whole.write is not None
        files = 2 * len(run.parts) if factors.ranges == "own files" else 1
        assert whole.integrity.checked_blocks == whole.write.operations == files * blocks
        assert whole.integrity.faulty == []
    assert list(surroundings.iterdir()) == []


MIX = """
format = 1
question = "Does the log suffer from readers of other hosts?"

[storage]
kind = "path"

[[system]]
name = "mounted"

[workload]
kind = "mix"
duration = "300 ms"
warm_up = "100 ms"

[[workload.group]]
name = "readers"
file_sizes = "1 MiB"
files = 2
rate = "400 IOPS"

[[workload.group]]
name = "mail"
operations = { create = 1, unlink = 1, stat = 2 }
files = 50
file_sizes = "4 KiB"
start_after = "100 ms"

[plan]
blocks = 2
"""


def test_every_host_runs_all_groups_of_a_mix(surroundings: Path) -> None:
    """They begin together, a late group after its delay on each; a pace is divided."""
    file = surroundings.parent / "mix.toml"
    file.write_text(MIX)
    hosts = hosts_file(surroundings.parent, 'name = "a"', 'name = "b"')
    study = with_seed(load_study(str(file), [], [], f"path:{surroundings}"), 7)
    stored = measured(study, hosts)
    assert len(stored.runs) == 2 * 2 * 2
    for run in stored.runs:
        assert run.fault is None and [part.machine for part in run.parts] == ["a", "b"]
        own = [part.slices[0].result for part in run.parts]
        assert all(each.common_start is not None and timed_operations(each) for each in own)
        assert all(abs(start.late_ns) < 50_000_000 for start in run.starts), run.starts
        if run.cell.id == "readers":  # a disk that others use may take fewer, none takes more
            rates = [timed_operations(each) / each.elapsed_ns * 1e9 for each in own]
            assert all(rate < 300 for rate in rates), rates
    assert list(surroundings.iterdir()) == []


def test_each_host_brings_all_clients(surroundings: Path) -> None:
    """On a folder made afresh for each number of hosts; the files of those that took part are
    scanned."""
    study = small(
        "connections",
        f"path:{surroundings}",
        [
            *("storage.size=32MiB", "workload.clients=3", "workload.hosts=[1, 2]"),
            *('workload.tests=["write", "read"]', "workload.files_per_connection=2"),
            'workload.file_sizes=["16 KiB"]',
        ],
        ["mounted"],
    )
    hosts = hosts_file(surroundings.parent, 'name = "a"', 'name = "b"')
    stored = measured(study, hosts)
    assert len(stored.runs) == 4 * 4
    files = {}
    for run in stored.runs:
        count = ConnectionsFactors.of(run.cell).hosts or 0
        assert [part.machine for part in run.parts] == ["a", "b"][:count]
        assert run.result is not None and run.result.clients is not None
        assert run.result.clients.files == 3 * 2 * count and run.result.clients.errors == []
        files[run.cell.id] = run.result.clients.files
    for scan in stored.scans:
        assert scan.result is not None and scan.cell is not None
        assert scan.result.counts.files == files[scan.cell]
    assert len(stored.scans) == 4 * 2
    assert list(surroundings.iterdir()) == []


@pytest.mark.long
def test_hosts_age_in_one_folder(surroundings: Path) -> None:
    """Each makes, deletes and measures files of its own, at the same moments; the sums are told."""
    study = small(
        "aging",
        f"path:{surroundings}",
        [
            *("storage.size=64MiB", "workload.files=4", 'workload.levels=["50 %"]'),
            *("workload.streams=1", "workload.record_size=64KiB"),
        ],
        ["mounted"],
    )
    hosts = hosts_file(surroundings.parent, 'name = "a"', 'name = "b"')
    stored = measured(study, hosts)
    region = 4 * stored.turns[0].target["file_size_bytes"]
    for step in stored.steps:
        assert step.step in ("clear", "age", "delete")
        if step.result is not None and step.job is not None:
            assert step.result.live_bytes == step.job.space_bytes == 2 * region
    for run in stored.runs:
        assert [part.machine for part in run.parts] == ["a", "b"]
    assert list(surroundings.iterdir()) == []


@pytest.mark.long
@pytest.mark.root
def test_each_host_has_a_device_of_its_own(surroundings: Path, make_loop: MakeLoop) -> None:
    """Consent names device and host; what is said of one host is not said of another."""
    devices = [make_loop(400 * MEBIBYTE) for _ in range(2)]
    files = [surroundings.parent / f"disk-{number}.img" for number in range(2)]
    hosts = hosts_file(
        surroundings.parent,
        *(f'name = "{name}"\ndevice = "{each}"' for name, each in zip("ab", devices, strict=True)),
    )
    study = small(
        "overhead",
        f"device:{devices[0]}",
        [
            *('workload.patterns=["randread"]', "workload.queue_depths=[1]", "workload.files=2"),
            *('workload.block_sizes=["4KiB"]', "workload.duration=100ms", "workload.warm_up=0s"),
            "workload.fill=10%",
        ],
        ["ext4"],
    )
    rig = FleetRig(FleetChoice(hosts=hosts))
    assert rig.size_bytes(study) == 400 * MEBIBYTE
    other = Consent((f"a:{files[0]}", f"b:{files[0]}"))
    (refused,) = FleetRig(FleetChoice(hosts=hosts)).refusals(study, other)
    assert isinstance(refused, RefusedError)
    assert f'b: "{files[0]}" is not the name of {devices[1]}' in refused.what
    assert refused.next == f"--destroy b:{files[1]}"
    consent = Consent(tuple(f"{name}:{file}" for name, file in zip("ab", files, strict=True)))
    stored = measured(study, hosts, consent)
    assert len(stored.runs) == 6 and all(len(run.parts) == 2 for run in stored.runs)
    assert {run.result is not None for run in stored.runs} == {True}


@pytest.mark.long
@pytest.mark.root
@pytest.mark.usefixtures("scene")
@pytest.mark.parametrize("name", sorted(SERVERS))
def test_clients_of_all_hosts_use_a_server_that_runs(name: str, surroundings: Path) -> None:
    """Each host has its share of the clients, in folders of its own that are cleared at the end."""
    needs(name)
    surroundings.parent.chmod(0o755)
    surroundings.chmod(0o777)
    hosts = hosts_file(surroundings.parent, 'name = "a"', 'name = "b"')
    with (
        opened_ledger() as opened,
        served(SERVERS[name], surroundings, clients(name), {}, opened) as server,
    ):
        share, access = share_of(server)
        study = study_of(name, share, access=access, tests=["write", "read", "backup"])
        with server.reached():
            stored = measured(study, hosts)
        assert list(surroundings.iterdir()) == []
    for run in stored.runs:
        assert [part.machine for part in run.parts] == ["a", "b"] and run.result is not None
        assert run.result.clients is not None and run.result.clients.clients_gave_up == 0


@pytest.mark.long
@pytest.mark.root
def test_the_read_ahead_of_a_mount_is_a_factor(surroundings: Path, scene: Scene) -> None:
    """Set on the host while the turns of one system last, and set back."""
    image, mounted = scene.scratch / "image", surroundings / "mounted"
    mounted.mkdir()
    with image.open("wb") as file:
        file.truncate(64 * MEBIBYTE)
    must_run("mkfs.ext4", "-q", str(image))
    must_run("mount", "-o", "loop", str(image), str(mounted))
    try:
        number = mounted.stat().st_dev
        setting = Path(f"/sys/class/bdi/{os.major(number)}:{os.minor(number)}/read_ahead_kb")
        before = setting.read_text()
        ahead = "tunables./sys/class/bdi/{mount}/read_ahead_kb"
        study = small(
            "overhead",
            f"path:{mounted}",
            [
                *("storage.size=16MiB", "workload.duration=100ms", "workload.warm_up=0s"),
                *('workload.patterns=["read"]', "workload.queue_depths=[1]"),
                *('workload.block_sizes=["4KiB"]', "workload.direct=false"),
            ],
            [f"{name}=mounted:path={mounted};{ahead}={name}" for name in ("16", "512")],
        )
        stored = measured(study, hosts_file(surroundings.parent, 'name = "a"'))
        for turn in stored.turns:
            assert list(turn.facts.tunables.values()) == [turn.system]
        assert setting.read_text() == before
        assert [path.name for path in mounted.iterdir()] == ["lost+found"]
    finally:
        must_run("umount", str(mounted))
