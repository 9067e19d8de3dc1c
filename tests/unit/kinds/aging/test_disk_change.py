"""`--disk KEY=VALUE`: read like a study file, checked together with what the record has."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.errors import InputError
from fsgauge.kinds.aging.disk import PUBLISHED, DiskModel, parameters_of
from fsgauge.kinds.aging.disk_change import changed_disk


def test_defaults_are_the_published_disk() -> None:
    assert changed_disk({}, []) == PUBLISHED
    assert set(DiskModel.model_fields) == {each.name for each in parameters_of(PUBLISHED)}


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
        (["window"], "sets nothing", "--disk window=16"),
        (["window=many"], "window must be a whole number", "workload.disk"),
        (["outer_rate=200"], "has no unit", "200 MB/s"),
        (["outer_rate=200 mb"], "not a unit of a transfer rate", "200 MB/s"),
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
    assert hint in " ".join((*error.details, error.next))


def test_two_changes_may_only_agree_together() -> None:
    changes = ["inner_rate=200 MB/s", "outer_rate=260 MB/s"]
    found: Any = changed_disk({}, changes)
    assert (found.inner_rate, found.outer_rate) == (200e6, 260e6)
