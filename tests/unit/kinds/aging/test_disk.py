"""[workload.disk]: a table below the workload, with places of mistakes as anywhere."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.kinds.aging.disk import PUBLISHED, DiskModel, disk_of
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
    assert disk_of(disk_model(aging()).model_dump()) == PUBLISHED


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
