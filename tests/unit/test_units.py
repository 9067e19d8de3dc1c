"""Quantities: exact both ways, nothing guessed."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from fsgauge import units
from fsgauge.quantities import WRITTEN, UnitError


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [
        ("4 KiB", 4096),
        ("4KiB", 4096),
        ("  4   KiB ", 4096),
        ("4 kB", 4000),
        ("4 KB", 4000),
        ("1.5 GiB", 3 << 29),
        ("512 B", 512),
        ("1 PiB", 1 << 50),
        ("1 TB", 10**12),
    ],
)
def test_sizes(text, size_bytes):
    assert units.parse_size(text) == size_bytes


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("4k", 'did you mean "4 KiB" or "4 kB"?'),
        ("4K", 'did you mean "4 KiB" or "4 kB"?'),
        ("8 G", 'did you mean "8 GiB" or "8 GB"?'),
        ("8 gib", 'did you mean "8 GiB"?'),
        ("512 bytes", 'did you mean "512 B"?'),
        ("4096", 'did you mean "4096 B" or "4096 KiB"?'),
        ("4 KiBB", 'did you mean "4 KiB"'),
        ("", "write a number and a unit"),
        ("-4 KiB", "write a number and a unit"),
        ("4,5 KiB", "write a number and a unit"),
        ("1e3 KiB", 'did you mean "1000 KiB"?'),
        ("٤ KiB", "write a number and a unit"),
        ("0.3 B", "write a number and a unit"),
        ("99999999 PiB", "write a number and a unit"),
        ("9" * 5000 + " B", "write a number and a unit"),
    ],
)
def test_sizes_that_are_refused(text, hint):
    with pytest.raises(UnitError) as refusal:
        units.parse_size(text)
    assert hint in refusal.value.hint


@pytest.mark.parametrize(
    ("text", "duration_ns"),
    [("10 s", 10**10), ("500 ms", 5 * 10**8), ("2 h", 72 * 10**11), ("1.5us", 1500), ("0 s", 0)],
)
def test_durations(text, duration_ns):
    assert units.parse_duration_ns(text) == duration_ns


def test_a_minute_is_not_a_millisecond():
    with pytest.raises(UnitError) as refusal:
        units.parse_duration_ns("5 m")
    assert refusal.value.hint == 'did you mean "5 min" or "5 ms"?'


@pytest.mark.parametrize(
    ("quantity", "text", "hint"),
    [
        (units.SIZE, "1e6", 'did you mean "1000000 B" or "1000000 KiB"?'),
        (units.RATE, "1e6", 'did you mean "1000000 IOPS"?'),
        (units.RATE, "2.5e3 iops", 'did you mean "2500 IOPS"?'),
        (units.RATE, "10,000 IOPS", 'did you mean "10000 IOPS"?'),
        (units.SIZE, "4,096 B", 'did you mean "4096 B"?'),
        (units.DURATION, "1e400 s", "write a number and a unit"),
        (units.SIZE, "4,5 KiB", "write a number and a unit"),
    ],
)
def test_an_exponent_and_commas_are_led_to_the_number(quantity, text, hint):
    with pytest.raises(UnitError) as refusal:
        quantity.read(text)
    assert hint in refusal.value.hint


@pytest.mark.parametrize(
    ("quantity", "text", "ours"),
    [
        (units.SIZE, "512 bytes", "512 B"),
        (units.SIZE, "1Mi", "1 MiB"),
        (units.SIZE, "4k", None),
        (units.SIZE, "1Mb", None),
        (units.SIZE, "4 KiB", None),
        (units.SIZE, "0.3 bytes", None),
        (units.DURATION, "5 m", None),
        (units.DURATION, "1.5 sec", "1.5 s"),
        (units.RATE, "10k iops", "10 k IOPS"),
        (units.RATE, "2 M ops/s", "2 M IOPS"),
        (units.BANDWIDTH, "5 mib/s", "5 MiB/s"),
        (units.BANDWIDTH, "100 Mb/s", None),
        (units.BANDWIDTH, "100 mbps", None),
        (units.PERCENT, "40pct", "40 %"),
    ],
)
def test_a_unit_that_can_only_mean_one(quantity, text, ours):
    assert quantity.in_our_unit(text) == ours


def test_percentages_and_paces():
    assert units.parse_percent("2.5 %") == 2.5
    assert units.WHOLE_PERCENT.read("90%") == 90
    assert units.RATE.read("1000 IOPS") == 1000
    assert units.RATE.read("1.5 k IOPS") == units.RATE.read("1.5 kIOPS") == 1500
    with pytest.raises(UnitError, match="whole") as refusal:
        units.WHOLE_PERCENT.read("2.5 %")
    # It has a number and a unit, which was the advice.
    assert refusal.value.hint == 'write a whole percentage: "10 %"'
    with pytest.raises(UnitError, match="has no unit"):
        units.parse_percent("90")


@given(st.integers(0, 2**63 - 1))
def test_exact_text_reads_back(number):
    assert units.parse_size(units.exact_size(number)) == number
    assert units.parse_duration_ns(units.exact_duration(number)) == number


@given(st.floats(min_value=0, max_value=1e9))
def test_exact_fractions_read_back(number):
    assert units.RATE.read(units.exact_rate(number)) == number
    assert units.BANDWIDTH.read(units.exact_bandwidth(number)) == number
    assert units.parse_percent(units.exact_percent(number)) == number


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text):
    for parse in (units.parse_size, units.parse_duration_ns, units.parse_percent, units.RATE.read):
        try:
            assert parse(text) >= 0
        except UnitError as refusal:
            assert refusal.hint


def test_text_for_people():
    assert [units.exact_size(n) for n in (4096, 5000, 1 << 30, 513)] == [
        "4 KiB",
        "5 kB",
        "1 GiB",
        "513 B",
    ]
    assert [units.format_size(n) for n in (0, 512, 4096, 1536 << 20, 1 << 50)] == [
        "0 B",
        "512 B",
        "4 KiB",
        "1.5 GiB",
        "1 PiB",
    ]
    assert [units.format_duration(n) for n in (21, 148_200, 1.5e9, 90e9, 41 * 60e9, 9e12)] == [
        "21 ns",
        "148 us",
        "1.5 s",
        "90 s",
        "41 min",
        "2.5 h",
    ]
    assert [units.format_rate(n) for n in (950, 212_345, 1.5e6, 999_900)] == [
        "950 IOPS",
        "212 k IOPS",
        "1.5 M IOPS",
        "1 M IOPS",
    ]
    assert units.format_bandwidth(812 << 20) == "812 MiB/s"
    assert [units.exact_bandwidth(n) for n in (1e10, 625e6, 1 << 20, 0.5)] == [
        "10 GB/s",
        "625 MB/s",
        "1 MiB/s",
        "0.5 B/s",
    ]


class Holder(BaseModel):
    size: units.SizeBytes = 1
    duration: units.DurationNs = 1
    share: units.Percent = 1


def test_bare_numbers_come_from_code_alone():
    assert Holder(size=4096).size == 4096
    with pytest.raises(ValidationError, match="4096 has no unit"):
        Holder.model_validate({"size": 4096}, context=WRITTEN)
    assert Holder.model_validate({"duration": "2 s"}, context=WRITTEN).duration == 2 * 10**9


@pytest.mark.parametrize(
    ("bare", "said", "hint"),
    [
        ({"size": 10**400}, "10000000000000000000... has no unit", 'a unit: "1 MiB"'),
        ({"size": -5}, "-5 has no unit", 'a unit: "1 MiB"'),
        ({"size": 1.5}, "1.5 has no unit", 'did you mean "1.5 KiB"?'),
        ({"duration": 5 * 10**15}, "5000000000000000 has no unit", 'a unit: "10 s"'),
        ({"duration": 5 * 10**12}, "5000000000000 has no unit", 'did you mean "5000000000000 ms"?'),
        ({"share": math.inf}, "inf has no unit", 'a unit: "2.5 %"'),
        ({"share": math.nan}, "nan has no unit", 'a unit: "2.5 %"'),
    ],
)
def test_a_bare_number_is_refused_and_only_what_is_accepted_suggested(bare, said, hint):
    with pytest.raises(ValidationError) as refusal:
        Holder.model_validate(bare, context=WRITTEN)
    (error,) = refusal.value.errors()
    assert error["ctx"]["what"] == said
    assert error["ctx"]["hint"].endswith(hint)


def test_a_size_is_positive():
    with pytest.raises(ValidationError):
        Holder.model_validate({"size": "0 B"}, context=WRITTEN)


@pytest.mark.parametrize(
    ("text", "bytes_per_second"),
    [
        ("175 MB/s", 175e6),
        ("1 MiB/s", 1 << 20),
        ("83.5 kB/s", 83_500),
        ("3 B/s", 3),
    ],
)
def test_transfer_rates_read_and_written(text: str, bytes_per_second: float) -> None:
    assert units.BANDWIDTH.read(text) == bytes_per_second
    assert units.BANDWIDTH.read(units.exact_bandwidth(bytes_per_second)) == bytes_per_second


@pytest.mark.parametrize(
    ("text", "hint"),
    [("175", "175 MB/s"), ("175 MBps", "175 MB/s"), ("175 MB", "175 MB/s"), ("1 mb/s", "1 MB/s")],
)
def test_a_transfer_rate_without_its_unit_is_refused(text: str, hint: str) -> None:
    with pytest.raises(UnitError) as refusal:
        units.BANDWIDTH.read(text)
    assert hint in refusal.value.hint


@pytest.mark.parametrize(
    ("number", "digits", "text"),
    [(0.3, 3, "0.3"), (31.24, 3, "31.2"), (999.6, 3, "1,000"), (21_960, 2, "22,000")],
)
def test_a_figure_is_never_a_power_of_ten(number: float, digits: int, text: str) -> None:
    """ "58 to 1e+02 %"."""
    assert units.figure(number, digits) == text
