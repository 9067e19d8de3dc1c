"""What one host is given of a study, and the consent that names it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from fsgauge.errors import FsgaugeError, InputError, RefusedError
from fsgauge.machine.device.consent import Consent
from fsgauge.rig.fleet.messages import Allowed, Fault
from fsgauge.rig.fleet.model import Host
from fsgauge.rig.fleet.rig import FleetRig, consent_on, require_hosts_named, study_on
from fsgauge.study.model import DeviceStorage, LoopStorage, PathStorage, Study
from fsgauge.study.parse import load_study

HOSTS = [Host(name="a"), Host(name="b")]


def study(storage: str, *systems: str) -> Study:
    return load_study("overhead", [], list(systems), storage, 1)


def test_a_host_has_its_own_folder_or_device() -> None:
    folder = study_on(study("path:/mnt/s", "mounted"), Host(name="a", path="/mnt/a")).storage
    assert isinstance(folder, PathStorage) and folder.path == "/mnt/a"
    loop = study_on(study("loop:1GiB"), Host(name="a", path="/mnt/a")).storage
    assert isinstance(loop, LoopStorage) and loop.directory == "/mnt/a"
    device = study_on(study("device:sdx"), Host(name="a", device="/dev/disk/by-id/A")).storage
    assert isinstance(device, DeviceStorage) and device.device == "/dev/disk/by-id/A"
    as_it_is = study("device:sdx")
    assert study_on(as_it_is, Host(name="a")) is as_it_is


@pytest.mark.parametrize(
    ("storage", "systems", "host", "what"),
    [
        ("ram:1GiB", [], Host(name="a", path="/x"), "the study's storage is no folder"),
        ("ram:1GiB", [], Host(name="a", device="sdx"), "a has a device in the hosts file"),
        ("path:/mnt/s", ["/mnt/s", "/mnt/t"], Host(name="a", path="/x"), "contradict"),
    ],
)
def test_what_the_study_does_not_use_is_refused(
    storage: str, systems: list[str], host: Host, what: str
) -> None:
    with pytest.raises(InputError) as caught:
        study_on(study(storage, *systems), host)
    assert what in caught.value.render()


def test_one_system_that_no_host_can_have_keeps_no_other_from_a_race(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two hosts of one machine, and a setting of its kernel: the whole race was refused."""
    settings = {"/proc/sys/vm/dirty_bytes": "67108864"}
    race = study("ram:1GiB", "xfs", "ext4")
    first, second = race.systems[-2:]
    race = race.model_copy(
        update={"systems": [first, second.model_copy(update={"tunables": settings})]}
    )
    fleet = SimpleNamespace(launcher="local", host=HOSTS, hosts=HOSTS)
    monkeypatch.setattr(FleetRig, "fleet", fleet)
    monkeypatch.setattr("fsgauge.rig.fleet.rig.require_extra", lambda: None)
    monkeypatch.setattr(FleetRig, "_of_hosts", lambda *_: [])
    found = FleetRig().refused_alone(race)
    assert found[first.name] == []
    (refused,) = found[second.name]
    assert "all hosts are processes of one machine" in refused.what


def test_consent_says_whose_device_it_is() -> None:
    consent = Consent(("a:SERIAL-1", "b:SERIAL-2", "a:SERIAL-3"), unknown_data=True)
    assert consent_on(consent, "a") == Consent(("SERIAL-1", "SERIAL-3"), unknown_data=True)
    assert consent_on(consent, "c") == Consent((), unknown_data=True)
    assert consent_on(None, "a") is None


@pytest.mark.parametrize("name", ["SERIAL-1", "c:SERIAL-1", "pci-0000:00:1f.2-ata-1"])
def test_a_device_of_nobody_is_left_alone(name: str) -> None:
    """So that a serial number never allows anything on a host that was not named."""
    with pytest.raises(RefusedError, match="does not say whose device it is") as caught:
        require_hosts_named(study("device:sdx"), Consent((name,)), ["a", "b"])
    assert caught.value.next == f"--destroy a:{name}, once for each host"
    require_hosts_named(study("device:sdx"), Consent((f"b:{name}",)), ["a", "b"])


def test_consent_without_a_device_says_nothing() -> None:
    with pytest.raises(InputError, match="this study uses none"):
        require_hosts_named(study("loop:1GiB"), Consent(("a:X",)), ["a"])


def test_consent_arrives_as_it_was_sent() -> None:
    consent = Consent(("SERIAL-1",), unknown_data=True)
    for each in (consent, None):
        assert Allowed.validate_python(Allowed.dump_python(each, mode="json")) == each


def test_a_host_that_asks_for_consent_is_named_in_it() -> None:
    error = RefusedError("it would be overwritten", next="--destroy S1 --discard-unknown-data")
    raised = Fault.of(error).raised("a")
    assert isinstance(raised, FsgaugeError) and raised.exit_code == error.exit_code
    assert raised.next == "--destroy a:S1 --discard-unknown-data"
