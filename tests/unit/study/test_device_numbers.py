"""Numbers of a simulated device that cannot be: each named exactly, where it was written."""

from __future__ import annotations

import pytest

from fsgauge.devices import device_named, device_names
from fsgauge.devices.limits import LIMITS
from fsgauge.errors import InputError
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study, parse_study

FILE = """\
format = 1
question = "What holds a device?"
[storage]
kind = "simulated"
size = "SIZE"
model = "disk-2012"
parameters = { NUMBERS }
[[system]]
name = "first-fit"
[workload]
kind = "churn"
"""


def study(numbers: str = "window = 16", size: str = "1 GiB") -> Study:
    return parse_study(FILE.replace("NUMBERS", numbers).replace("SIZE", size), "mine.toml", "mine")


@pytest.mark.parametrize("model", device_names())
def test_every_number_of_a_model_is_within_its_limits(model: str) -> None:
    for number in device_named(model).parameters:
        limit = LIMITS[number.name]
        assert limit.least <= number.value <= limit.most
        assert not limit.is_whole or float(number.value).is_integer()


@pytest.mark.parametrize(
    ("numbers", "what"),
    [
        ("window = 0", "window must be a whole number from 1 to 1000000, not 0"),
        ("window = 2.5", "window must be a whole number from 1 to 1000000, not 2.5"),
        ("cylinders = 3", "cylinders must be a whole number from 10 to 100000000, not 3"),
        ("position = 101", "position must be from 0 % to 100 %, not 101 %"),
        ("seek_full = 2e10", "seek_full must be from 1 ns to 10 s, not 20 s"),
        (
            "inner_rate = 1e10",
            "inner_rate is 10 GB/s and outer_rate 175 MB/s: the inner edge of a disk is not faster"
            " than its outer edge",
        ),
        (
            "seek_full = 1",
            "a longer seek does not take less time: seek_single 700 us, seek_average 8.5 ms,"
            " seek_full 1 ns",
        ),
    ],
)
def test_a_number_that_no_disk_has_is_named_with_its_unit(numbers: str, what: str) -> None:
    """The engine refused them in its own words: without file, line, column or unit."""
    with pytest.raises(InputError) as refused:
        study(numbers)
    assert refused.value.what == what
    place = refused.value.location
    assert place is not None
    assert (place.path, place.line) == ("mine.toml", 7)
    assert refused.value.next == f"fsgauge explain storage.parameters.{numbers.split()[0]}"


@pytest.mark.parametrize(
    ("numbers", "what", "hint"),
    [
        ('outer_rate = "200 MB/s"', "outer_rate must be a number in bytes/s", "write 200000000"),
        ('seek_full = "20 ms"', "seek_full must be a number in ns", "write 20000000"),
        ('seek_full = "20"', "seek_full must be a number in ns", "write the number alone"),
        ('window = "16"', "window must be a number, not text", ""),
    ],
)
def test_a_number_with_a_unit_gets_the_number_that_is_meant(
    numbers: str, what: str, hint: str
) -> None:
    """`fsgauge explain disk-2012` said 175 MB/s, and a raw number was wanted."""
    with pytest.raises(InputError, match=what) as refused:
        study(numbers)
    assert refused.value.location is not None
    assert refused.value.location.hint == hint


def test_a_device_larger_than_the_disks_of_its_model_is_refused() -> None:
    """20 TiB were simulated on one disk of 3.9 TiB: its seeks were longer than the longest."""
    with pytest.raises(InputError) as refused:
        study(size="20 TiB")
    assert refused.value.what == "the device has 20 TiB, and disk-2012 holds 3.89 TiB"
    place = refused.value.location
    assert place is not None and (place.line, place.column) == (5, 8)
    assert refused.value.next == "at most 3986 GiB, or storage.devices = 6"
    assert study(size="3986 GiB").storage.model_dump()["size"] == 3986 << 30
    load_study("churn", ["storage.model=disk-2012", "storage.devices=6"], [], "simulated:20TiB", 1)


def test_the_number_that_makes_a_disk_too_small_is_the_one_to_blame() -> None:
    """The size was blamed, which is the default."""
    with pytest.raises(InputError, match="disk-2012 with cylinders = 30 holds") as refused:
        study("cylinders = 30")
    place = refused.value.location
    assert place is not None and place.line == 7
    assert "leave cylinders out" in refused.value.next


def test_more_than_the_simulator_can_hold_is_refused_where_it_stands() -> None:
    """The engine refused it, with seventeen digits of bytes and "another size"."""
    with pytest.raises(InputError, match="size must be at most 4 PiB") as refused:
        study(size="20 PiB")
    assert refused.value.location is not None and refused.value.location.line == 5


def test_many_devices_of_nothing_are_refused() -> None:
    with pytest.raises(InputError, match=r"each of 100 devices has 10\.2 MiB, and 16 MiB"):
        load_study("churn", ["storage.devices=100"], [], "simulated:1GiB", 1)


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
