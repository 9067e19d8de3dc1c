"""The devices of the models, as the engine and the lab both read them."""

from __future__ import annotations

import pytest

from fsgauge.devices import device_named, device_names
from fsgauge.engine.client import Engine
from fsgauge.engine.wire import DeviceChange, PredictJob, SimulatedDevice
from fsgauge.errors import InputError


@pytest.mark.parametrize("model", device_names())
def test_the_engine_reckons_with_the_same_numbers(model: str) -> None:
    """An engine of another build would have others: there were two lists once."""
    device = device_named(model)
    found = Engine().predict(PredictJob(device=SimulatedDevice(model=model), passes=[])).device
    assert (found.model, found.kind, found.what) == (device.model, device.kind, device.what)
    ours = [(each.name, each.value, each.unit, each.what) for each in device.parameters]
    assert [(e.name, e.value, e.unit, e.what) for e in found.parameters] == ours
    assert all(each.source for each in device.parameters)


def test_an_unknown_model_gets_the_nearest_and_all_there_are() -> None:
    with pytest.raises(InputError) as refusal:
        device_named("disk-2021")
    assert 'did you mean "disk-2012"?' in refusal.value.details
    assert "ssd-sata" in (refusal.value.cause or "")


def test_a_change_is_the_engine_s() -> None:
    device = SimulatedDevice(model="disk-2012", changes=[DeviceChange(name="window", value=7)])
    found = Engine().predict(PredictJob(device=device, passes=[])).device
    assert [each.name for each in found.parameters if each.is_changed] == ["window"]
    with pytest.raises(InputError):
        wrong = SimulatedDevice(model="disk-2012", changes=[DeviceChange(name="widow", value=7)])
        Engine().predict(PredictJob(device=wrong, passes=[]))
