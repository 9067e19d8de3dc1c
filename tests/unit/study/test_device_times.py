"""Flash has a range of times: a study says which end it takes, and no other device has one."""

from __future__ import annotations

import pytest

from fsgauge.devices import device_named, device_names
from fsgauge.errors import InputError
from fsgauge.study.parse import load_study

SSD = "storage.model=ssd-sata"


def test_an_end_of_the_range_must_be_chosen() -> None:
    """A study with such a device was refused altogether, without line and column."""
    with pytest.raises(InputError, match="has a range of times") as caught:
        load_study("churn-simulated", [SSD], [], "simulated:1GiB", 1)
    place = caught.value.location
    assert place is not None and (place.path, place.text) == ("--set", SSD)
    assert "--set storage.times=shortest" in (caught.value.next or "")


@pytest.mark.parametrize("times", ["shortest", "longest"])
def test_either_end_is_taken(times: str) -> None:
    study = load_study("churn-simulated", [SSD, f"storage.times={times}"], [], "simulated:1GiB", 1)
    assert getattr(study.storage, "times", None) == times


@pytest.mark.parametrize("model", [name for name in device_names() if name != "ssd-sata"])
def test_a_disk_has_no_range(model: str) -> None:
    assert not device_named(model).has_range
    given = [f"storage.model={model}", "storage.times=longest"]
    with pytest.raises(InputError, match=r"times would be ignored: .* has one time"):
        load_study("churn-simulated", given, [], "simulated:1GiB", 1)
