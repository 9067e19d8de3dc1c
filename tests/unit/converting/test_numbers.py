"""Numbers are read as fio 3.33 reads them, odd ones included."""

from __future__ import annotations

import pytest

from fsgauge.converting import numbers


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4096", 4096),
        ("4k", 4096),
        ("4K", 4096),
        ("4kb", 4096),
        ("4ki", 4096),
        ("4kib", 4000),
        ("1m", 1 << 20),
        ("2G", 2 << 30),
        ("0x10", 16),
        ("0x10k", 16 << 10),
        ("(4*1k)", 4096),
        ("(2^10)", 1024),
        ("-8k", -8192),
    ],
)
def test_a_size(text: str, size: int) -> None:
    assert numbers.size(text) == size


def test_kb_base_of_1000_turns_the_units_round() -> None:
    assert numbers.size("4k", 1000) == 4000
    assert numbers.size("4kib", 1000) == 4096


@pytest.mark.parametrize(
    "text",
    ["", "k", "4x", "4k5", "50%", "(1/0)", "(2^999)", "(__import__)", "((0-8)^(1/2))",
     "(10^64*10^64*10^64*10^64*10^64)"],
)  # fmt: skip
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        numbers.size(text)


@pytest.mark.parametrize("text", ["1m", "1M", "1MiB", "1mb", "1048576", "1024k"])
def test_other_tools_have_binary_units(text: str) -> None:
    """IOR's "1MiB" was a million, as fio has it."""
    assert numbers.binary_size(text) == 1 << 20


@pytest.mark.parametrize("text", ["", "m", "1q", "1.5m", "0x10", "4k-8k"])
def test_what_is_no_size_of_other_tools(text: str) -> None:
    with pytest.raises(ValueError, match="a whole number"):
        numbers.binary_size(text)


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("10", 10 * 10**9),
        ("10s", 10 * 10**9),
        ("2m", 120 * 10**9),
        ("1h", 3600 * 10**9),
        ("1d", 86400 * 10**9),
        ("5ms", 5 * 10**6),
        ("5msec", 5 * 10**6),
        ("7us", 7000),
    ],
)
def test_a_time(text: str, ns: int) -> None:
    assert numbers.time_ns(text) == ns


def test_a_bare_think_time_is_microseconds() -> None:
    assert numbers.time_ns("2000", of_bare_us=1) == 2 * 10**6


def test_a_unit_that_fio_takes_for_microseconds_is_said() -> None:
    with pytest.raises(ValueError, match=r"fio 3\.33 reads 10sec as 10 us"):
        numbers.time_ns("10sec")


def test_values_by_direction() -> None:
    assert numbers.by_direction("4k") == ["4k", "4k", "4k"]
    assert numbers.by_direction("4k,64k") == ["4k", "64k", "64k"]
    assert numbers.by_direction(",64k") == ["", "64k", "64k"]
    assert numbers.by_direction("1,2,3") == ["1", "2", "3"]
    with pytest.raises(ValueError, match="three"):
        numbers.by_direction("1,2,3,4")


def test_switches() -> None:
    assert numbers.switch(None) and numbers.switch("1")
    assert not numbers.switch("0")
    with pytest.raises(ValueError, match="0 or 1"):
        numbers.switch("yes")


def test_a_tree_of_folders_that_no_one_has_is_refused_at_once() -> None:
    """`depth=99999999, width=9` of vdbench was reckoned out."""
    assert numbers.leaves(9, 3) == 729 and numbers.leaves(1, 99_999_999) == 1
    with pytest.raises(ValueError, match="at most 40 levels"):
        numbers.leaves(9, 99_999_999)
    with pytest.raises(ValueError, match="at most 1,099,511,627,776 at its lowest level"):
        numbers.leaves(9_999_999, 40)
    assert [numbers.folders(3, depth) for depth in (0, 1, 2, 3)] == [0, 3, 12, 39]
    assert (numbers.folders(1, 99), numbers.folders(0, 2)) == (99, 0)
