"""Systems side by side on devices of their own: who is where, and what each device is asked."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from fsgauge.errors import InputError, RefusedError
from fsgauge.machine.device.block_device import device_at
from fsgauge.machine.device.consent import Consent
from fsgauge.machine.device.device_tree import contents_of
from fsgauge.machine.device.loop_devices import backing_file
from fsgauge.plan.turns import make_plan
from fsgauge.rig.host.rig import HostRig
from fsgauge.rig.rig import design_of
from fsgauge.study.model import DeviceStorage, Study
from tests.rigs.conftest import MEBIBYTE, MakeLoop, Scene, run
from tests.rigs.measured import measured
from tests.rigs.partitions import partition_table

pytestmark = pytest.mark.root
SHORT = {
    "patterns": ["randread"],
    "block_sizes": [4096],
    "queue_depths": [1],
    "warm_up": 10_000_000,
    "duration": 400_000_000,
}


def study_on(scene: Scene, devices: list[str]) -> Study:
    """raw, ext4 and raw again: three systems at once."""
    study = scene.study({"name": "raw"}, {"name": "ext4"}, **SHORT)
    plan = study.plan.model_copy(update={"blocks": 3})
    storage = DeviceStorage(device=devices[0], more_devices=devices[1:])
    return study.model_copy(update={"storage": storage, "plan": plan})


def consent_to(devices: list[str]) -> Consent:
    return Consent(tuple(str(backing_file(device)) for device in devices))


@pytest.fixture
def devices(make_loop: MakeLoop) -> list[str]:
    return [make_loop(320 * MEBIBYTE) for _ in range(3)]


@pytest.mark.long
def test_each_system_is_on_each_device_once(
    scene: Scene, rig: HostRig, devices: list[str], tmp_path: Path
) -> None:
    study = study_on(scene, devices)
    outcome, stored = measured(study, rig, tmp_path / "results", destroy=consent_to(devices))
    assert outcome.ended_by is None and all(run.fault is None for run in stored.runs)
    where = {
        (run.system, run.again, run.block): run.device.name
        for run in stored.runs
        if run.device is not None
    }
    names = {Path(device).name for device in devices}
    for system, again in {key[:2] for key in where}:
        assert {where[system, again, block] for block in range(3)} == names
    for block in range(3):
        assert {name for key, name in where.items() if key[2] == block} == names
    for device in devices:
        found = device_at(device)
        assert found is not None and contents_of(found) == [], "given back empty"


def test_every_device_is_named_and_no_other(
    scene: Scene, rig: HostRig, devices: list[str], make_loop: MakeLoop
) -> None:
    study = study_on(scene, devices)
    with pytest.raises(RefusedError, match="is not the name of"):
        rig.check(study, consent_to(devices[:2]))
    with pytest.raises(RefusedError, match="is the name of none of the devices"):
        rig.check(study, consent_to([*devices, make_loop()]))
    run("mkfs.ext4", "-q", devices[2])
    with pytest.raises(RefusedError, match="holds data"):
        rig.check(study, consent_to(devices))


def test_devices_that_are_not_alike_are_refused(
    scene: Scene, rig: HostRig, devices: list[str], make_loop: MakeLoop
) -> None:
    small = make_loop(128 * MEBIBYTE)
    with pytest.raises(InputError, match="320 MiB, and") as refused:
        rig.check(study_on(scene, [*devices[:2], small]), consent_to([*devices[:2], small]))
    assert "make partitions of one size" in refused.value.render()
    link = scene.scratch / "link"
    link.symlink_to(devices[0])
    with pytest.raises(InputError, match="are one device"):
        rig.check(study_on(scene, [*devices[:2], str(link)]), consent_to(devices[:2]))


def test_too_few_devices_are_refused_and_not_used_one_by_one(
    scene: Scene, rig: HostRig, devices: list[str]
) -> None:
    with pytest.raises(InputError) as refused:
        design_of(rig, study_on(scene, devices[:2]))
    assert "3 systems at once need 3 devices, and 2 are named" in refused.value.render()


def test_partitions_of_one_disk(scene: Scene, rig: HostRig, make_loop: MakeLoop) -> None:
    """They share the disk's lock, which no other run gets meanwhile."""
    disk = make_loop(400 * MEBIBYTE)
    Path(disk).write_bytes(partition_table([(1, 128), (129, 128), (257, 128)]))
    run("partx", "--add", disk)
    try:
        parts = [f"{disk}p{number}" for number in (1, 2, 3)]
        study = study_on(scene, parts)
        rig.check(study, Consent(tuple(map(partition_uuid, parts))))
        seen: list[object] = []
        with rig.opened(study) as session:
            size_bytes = session.describe().size_bytes
            plan = make_plan(study, size_bytes=size_bytes, side_by_side=True)
            session.block(plan, 0, seen.append)
        assert seen
    finally:
        run("partx", "--delete", disk)


def partition_uuid(part: str) -> str:
    command = ["blkid", "--probe", "--output", "value", "--match-tag", "PART_ENTRY_UUID", part]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
