"""The region by a rate: the published arithmetic, whole pieces, and storage that is too small."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsgauge.errors import InputError
from fsgauge.kinds.aging.keys import AgingWorkload
from fsgauge.kinds.aging.sizing import file_size, sizing_of, sizing_words
from fsgauge.study.parse import parse_study
from fsgauge.workload import method_of
from fsgauge.workload.assumed import Room

MIB = 1 << 20
GIB = 1 << 30
TIB = 1 << 40
STUDY = """\
format = 1
question = "How large?"

[storage]
kind = "loop"

[[system]]
name = "ext4"

[workload]
kind = "aging"
"""


def workload(**keys: Any) -> AgingWorkload:
    return AgingWorkload(**{"nominal_rate": 625.0 * MIB, **keys})


def test_the_published_numbers_come_out() -> None:
    """187,500 MB in five minutes; ten times that, a twentieth of it a file (S-14, S-15)."""
    found = sizing_of(workload())
    assert found is not None
    assert found.data_bytes == 187_500 * MIB
    assert found.region_bytes == 10 * 187_500 * MIB
    assert found.file_bytes == 93_750 * MIB


def test_without_a_rate_a_share_of_the_room_is_taken_as_before() -> None:
    assert sizing_of(AgingWorkload()) is None and sizing_words(AgingWorkload(), GIB) == ""
    assert file_size(AgingWorkload(), Room(3862 * MIB, ""), 8 * MIB) == 184 * MIB


def test_files_are_rounded_up_to_whole_pieces_so_that_the_data_fits() -> None:
    keys = workload(nominal_rate=1e6, nominal_time=61 * 10**9)
    found = file_size(keys, Room(10 * GIB, ""), 8 * MIB)
    assert found % (8 * MIB) == 0
    assert found * 20 // 10 >= 61_000_000 > (found - 8 * MIB) * 20 // 10


def test_the_region_is_that_of_the_rate_however_much_there_is() -> None:
    keys = workload(nominal_rate=50e6, nominal_time=10 * 10**9)
    sizes = [
        method_of(keys).in_room(Room(room, "", chunks=(MIB, MIB))).file_sets
        for room in (8 * GIB, 80 * GIB)
    ]
    assert sizes[0] == sizes[1] and sizes[0] is not None


def test_a_plan_says_what_was_asked_and_what_came_of_it() -> None:
    method = method_of(workload()).in_room(Room(2 * TIB, ""))
    (line,) = [each for each in method.held_equal("", has_raw=False) if "sizing" in each]
    assert line == (
        "sizing: 625 MiB/s for 5 min are 183 GiB, free at 90 % full, so a region of 1.79 TiB and"
        " 20 files of 91.6 GiB at least; 183 GiB will be free there"
    )


def test_storage_that_does_not_hold_the_region_is_refused_with_numbers() -> None:
    with pytest.raises(InputError) as refusal:
        method_of(workload(nominal_rate=800e6)).in_room(Room(2 * TIB, "1 MiB"))
    assert refusal.value.render().splitlines() == [
        "error: a region of 2.18 TiB does not fit: 800 MB/s for 5 min are 224 GiB, free at 90 %"
        " full",
        'cause: "1 MiB" leaves 2 TiB, of which a region may take 98 %, 1.96 TiB',
        "next: room for 2.23 TiB, or --set workload.nominal_time=269s",
    ]


@given(
    st.integers(GIB, 4 * TIB),
    st.sampled_from([5, 50, 90, 95]),
    st.sampled_from([MIB, 8 * MIB]),
    st.floats(1e6, 1e10),
)
def test_the_longest_time_of_a_refusal_fits(
    free: int, full: int, unit_bytes: int, rate: float
) -> None:
    room = Room(free, "")
    try:
        found = file_size(workload(full_level=full, nominal_rate=rate), room, unit_bytes)
        assert 20 * found <= free * 98 // 100
    except InputError as error:
        seconds = re.search(r"nominal_time=(\d+)s", error.next)
        if seconds is not None:
            keys = workload(
                full_level=full, nominal_rate=rate, nominal_time=int(seconds[1]) * 10**9
            )
            assert 20 * file_size(keys, room, unit_bytes) <= free * 98 // 100


def test_a_region_too_small_for_the_streams_asks_for_a_longer_time() -> None:
    keys = workload(nominal_rate=1e6, nominal_time=10**9)
    with pytest.raises(InputError) as refusal:
        method_of(keys).in_room(Room(64 * GIB, "ext4", chunks=(8 * MIB,)))
    text = refusal.value.render()
    assert "a longer workload.nominal_time, fewer workload.streams" in text
    assert "the region follows from workload.nominal_rate" in text


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (
            'nominal_rate = "625 MB/s"\nfill = "90 %"',
            "fill would be ignored: nominal_rate says how large the region is",
        ),
        (
            'full_level = "80 %"',
            "full_level would be ignored: fill says how large the region is: there is no"
            " nominal_rate",
        ),
        ('nominal_time = "1 min"', "nominal_time would be ignored"),
        (
            'nominal_rate = "625 MB/s"\nfull_level = "92 %"',
            "the region is never 92 % full: each of 20 files gives back 5 %",
        ),
        ('nominal_rate = "625 MB/s"\nfull_level = "100 %"', "full_level must be at most 99 %"),
        ("nominal_rate = 625", "nominal_rate: 625 has no unit"),
        (
            'nominal_rate = "1 MB/s"\nnominal_time = "1 ms"',
            "nominal_time must be at least 1 s",
        ),
    ],
)
def test_keys_that_contradict_one_another_are_refused(lines: str, words: str) -> None:
    with pytest.raises(InputError) as refusal:
        parse_study(f"{STUDY}{lines}\n", "my.toml", "my")
    assert refusal.value.render().startswith(f"error: {words}")
