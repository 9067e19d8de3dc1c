"""What counts as the same conditions: the machine, and not the names that we gave for a while."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from fsgauge.record.conditions import (
    Conditions,
    differences,
    own_name,
    unlike_machines,
    without_place,
    without_token,
)
from fsgauge.record.machine import Machine, Simulation
from fsgauge.record.records import EnvironmentRecord
from tests.synthetic import make_study
from tests.synthetic.setting import with_machine

BEFORE = make_study(blocks=2, queue_depths=(32,), block_sizes=(4096,)).before


def memory(token: str, loop: int, **changed: Any) -> list[dict[str, Any]]:
    """The chain of a loop device on a tmpfs of ours."""
    folder = f"/run/fsgauge/fsgauge-{token}-ram"
    file = f"{folder}/fsgauge-{token}-ram/storage.img"
    tmpfs = {"kind": "file_system", "file_system": "tmpfs", "mount_point": folder} | changed
    device = {"kind": "device", "size_bytes": 1 << 30, "path": f"/dev/loop{loop}"}
    return [device | {"backing_file": file}, tmpfs]


def on(chain: list[dict[str, Any]]) -> Conditions:
    storage = BEFORE.storage.model_copy(update={"device_chain": chain})
    environment = with_machine(BEFORE, storage=storage)
    return Conditions("1", "host", None, environment)


def test_memory_that_was_mounted_anew_is_the_same_storage() -> None:
    assert differences(on(memory("0123456789ab", 0)), on(memory("ba9876543210", 7))) == []


@pytest.mark.parametrize("mounted", ["/mnt/other", "/run/fsgauge/fsgauge-0123456789ab-loop"])
def test_another_file_system_is_another_storage(mounted: str) -> None:
    here = on(memory("0123456789ab", 0))
    (found,) = differences(here, on(memory("0123456789ab", 0, mount_point=mounted)))
    assert found.startswith("storage: ")


def rig(*machines: Machine) -> Conditions:
    return Conditions("1", "rows", None, EnvironmentRecord(machines=list(machines)))


def node(number: int, **facts: Any) -> Machine:
    own = {"name": f"host-{number}", "role": f"node-{number}", "storage": None}
    return BEFORE.load.model_copy(update=own | facts)


def test_machines_are_compared_role_by_role() -> None:
    then = rig(BEFORE.load, node(1), node(2))
    assert differences(then, rig(BEFORE.load, node(2), node(1))) == [
        'machines: ["load", "node-1", "node-2"] then, ["load", "node-2", "node-1"] now'
    ]
    now = rig(BEFORE.load, node(1), node(2, kernel="7.0.0"))
    assert differences(then, now) == ["kernel: node-2 6.18.0 then, node-2 7.0.0 now"]
    assert not unlike_machines(then, now), "a kernel is no machine"
    other = rig(BEFORE.load, node(1), node(2, name="elsewhere"))
    assert differences(then, other) == ["host: node-2 host-2 then, node-2 elsewhere now"]
    assert unlike_machines(then, other)


def test_a_machine_more_is_another_rig() -> None:
    then, now = rig(BEFORE.load), rig(BEFORE.load, node(1))
    assert differences(then, now)[0] == 'machines: ["load"] then, ["load", "node-1"] now'
    assert unlike_machines(then, now)


@pytest.mark.parametrize(
    ("machines", "message"),
    [
        ([BEFORE.load, node(1, name=BEFORE.load.name)], "one name"),
        ([BEFORE.load, node(1, role="load")], "one role"),
        ([node(1)], "no machine has storage"),
        ([], "at least 1 item"),
    ],
)
def test_machines_of_a_record_can_be_told_apart(machines: list[Machine], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        EnvironmentRecord(machines=machines)


def test_a_simulation_goes_on_by_the_models_that_it_began_with() -> None:
    """Version 3 places a small file otherwise than version 2 once its goal was cut in vain."""
    facts = {"policies": {}, "proofs": {}, "device": "disk-2012", "device_words": "", "numbers": []}

    def by(version: int) -> Conditions:
        models = Simulation.model_validate(facts | {"model_version": version})
        environment = with_machine(BEFORE, simulation=models)
        return Conditions("1", "simulator", None, environment)

    assert differences(by(3), by(3)) == []
    assert differences(by(2), by(3)) == ["version of the models: 2 then, 3 now"]


def test_what_is_made_is_what_is_left_out():
    made = f"/run/fsgauge/{own_name('0123456789ab', 'ram')}/storage.img"
    other = f"/run/fsgauge/{own_name('ba9876543210', 'ram')}/storage.img"
    assert without_token(made) == without_token(other) == "/run/fsgauge/fsgauge-*-ram/storage.img"
    assert without_token(made) != without_token(made.replace("-ram", "-mount"))


@pytest.mark.parametrize("path", ["/mnt/fsgauge-data", "/srv/fsgauge-0123-ram", "/var/tmp"])
def test_a_folder_of_the_user_keeps_its_name(path):
    assert without_token(path) == path


def test_a_tool_s_words_without_the_device():
    said = "meta-data=/dev/loop1 isize=512, log on /dev/loop10"
    assert without_place(said, "/dev/loop1") == (
        "meta-data=the device isize=512, log on /dev/loop10"
    )
    assert without_place("none", "none") == "none"
