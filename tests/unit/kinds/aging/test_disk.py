"""[workload.disk]: a table below the workload, with places of mistakes as anywhere."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.devices import device_named
from fsgauge.errors import InputError
from fsgauge.kinds.aging.disk import MODEL, DiskModel, changed_disk, disk_of
from fsgauge.study.dump import dump_study
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study, parse_study


def aging(*overrides: str) -> Study:
    return load_study("aging", list(overrides))


def disk_model(study: Study) -> DiskModel:
    found = getattr(study.workload, "disk", None)
    assert isinstance(found, DiskModel)
    return found


def test_the_shipped_study_predicts_for_the_published_disk() -> None:
    assert disk_of(disk_model(aging()).model_dump()) == DiskModel()


def test_keys_are_set_and_written_back() -> None:
    study = aging("workload.disk.window=16", "workload.disk.outer_rate=250.5 MB/s")
    assert disk_model(study).window == 16 and disk_model(study).outer_rate == 250.5e6
    text = dump_study(study)
    assert "[workload.disk]" in text and 'outer_rate = "250500 kB/s"' in text
    assert parse_study(text, "again", "aging").workload == study.workload


@pytest.mark.parametrize(
    ("override", "said", "hint"),
    [
        ("workload.disk.windw=16", "unknown key", 'did you mean "workload.disk.window"?'),
        ("workload.disk.outer_rate=16", "has no unit", '"16 MB/s"'),
        (
            "workload.disk.seek_full=1 ms",
            "a longer seek does not take less time: seek_single 700 us",
            "",
        ),
        ("workload.disk.inner_rate=300 MB/s", "not faster than its outer edge", ""),
        ("workload.disk.window=0", "at least 1", ""),
    ],
)
def test_mistakes_show_their_place(override: str, said: str, hint: str) -> None:
    with pytest.raises(InputError) as refusal:
        aging(override)
    error = refusal.value
    assert said in error.what and error.location is not None
    assert hint in error.location.hint


def test_an_unknown_key_in_the_table_gets_the_nearest_of_the_table() -> None:
    text = dump_study(aging()).replace("window = 64", "window = 64\nwindows = 3")
    with pytest.raises(InputError) as refusal:
        parse_study(text, "mine.toml", "mine")
    assert refusal.value.next == "fsgauge explain workload.disk.window"


def test_other_kinds_have_no_disk() -> None:
    with pytest.raises(InputError) as refusal:
        load_study("overhead", ["workload.disk.window=16"])
    assert refusal.value.location is not None
    assert 'only workload of kind "aging" has it' in refusal.value.location.hint


def test_defaults_are_the_published_disk() -> None:
    assert changed_disk({}, []) == DiskModel()
    assert set(DiskModel.model_fields) == {each.name for each in device_named(MODEL).parameters}


def test_changes_come_on_top_of_the_record() -> None:
    disk = changed_disk(
        {"window": 8, "data_disks": 4}, ["window=16", "outer_rate=250 MB/s", "position = 10 %"]
    )
    assert (disk.window, disk.data_disks, disk.outer_rate, disk.position) == (16, 4, 250e6, 10.0)


def test_keys_may_be_written_whole() -> None:
    assert changed_disk({}, ["workload.disk.window=3"]).window == 3
    assert changed_disk({}, ["disk.seek_single=1 ms"]).seek_single == 1_000_000


@pytest.mark.parametrize(
    ("changes", "said", "hint"),
    [
        (["windw=3"], 'has no "windw"', "window"),
        (["window"], "sets nothing", "--set workload."),
        (["window=many"], "window must be a whole number", "workload.disk"),
        (["outer_rate=200"], "has no unit", "200 MB/s"),
        (["outer_rate=200 furlongs"], "not a unit of a transfer rate", "175 MB/s"),
        (["position=120 %"], "position must be at most 100 %", "workload.disk"),
        (["outer_rate=80 MB/s"], "not faster than its outer edge", "workload.disk"),
        (["seek_average=17 ms"], "a longer seek does not take less time", "workload.disk"),
    ],
)
def test_what_is_wrong_is_said(changes: list[str], said: str, hint: str) -> None:
    with pytest.raises(InputError) as refusal:
        changed_disk({}, changes)
    error = refusal.value
    assert said in error.what
    told = error.location.hint if error.location is not None else ""
    assert hint in " ".join((*error.details, error.next, told))


def test_two_changes_may_only_agree_together() -> None:
    changes = ["inner_rate=200 MB/s", "outer_rate=260 MB/s"]
    found: Any = changed_disk({}, changes)
    assert (found.inner_rate, found.outer_rate) == (200e6, 260e6)
