"""The text says the answer first, is exact at the edges, and shows no control character."""

from __future__ import annotations

import pytest

from fsgauge.scan import words
from fsgauge.scan.difference import difference_lines
from tests.scan_example import example


def test_the_first_lines_are_files_and_free_space() -> None:
    lines = words.lines_of(example(), top=3, extents=False)
    assert lines[0].startswith("/fake  ext4, 64 MiB, 56 % full")
    assert lines[0].endswith("2 files in 4 extents: 2.00 a file, 50 % of files in more than one")
    assert lines[1].endswith(
        "28 MiB in 3 pieces; 86 % of it in pieces of 8 MiB or more; largest 16 MiB"
    )
    assert any("not_permitted, 2 times" in line for line in lines)
    assert any("1 unwritten" in line and "1 file empty" in line for line in lines)


def test_what_must_be_known_first_comes_first() -> None:
    assert words.lines_of(example(ended="interrupted"), top=0, extents=False)[0].startswith(
        "stopped before its end"
    )
    mounted = words.lines_of(example(path="/dev/fake"), top=0, extents=False)
    assert mounted[0].startswith("/dev/fake is mounted read-write at /fake")


def test_no_file_name_moves_the_cursor() -> None:
    text = "\n".join(words.lines_of(example(), top=3, extents=True))
    assert "\x1b" not in text and r"bad\x1b[2J" in text


def test_extents_are_listed_when_asked_for() -> None:
    listed = words.lines_of(example(), top=3, extents=True)
    assert sum("of the file:" in line for line in listed) == 3
    assert not any("bad" in line for line in words.lines_of(example(), top=0, extents=True))


@pytest.mark.parametrize(
    ("percent", "text"),
    [
        (0.0, "0 %"),
        (0.01, "under 0.1 %"),
        (9.44, "9.4 %"),
        (55.5, "56 %"),
        (99.6, "99.6 %"),
        (99.97, "over 99.9 %"),
        (100.0, "100 %"),
    ],
)
def test_a_share_is_none_or_all_only_where_it_is(percent: float, text: str) -> None:
    assert words.number(percent, "%") == text


def test_a_difference_has_its_sign() -> None:
    rows = words.difference_table(difference_lines(example(), example(extents=10)))
    assert any(row.startswith("extents ") and row.endswith("+6") for row in rows)
    assert any(row.startswith("files ") and row.endswith("=") for row in rows)
    assert any(row.startswith("mean extent ") and "-" in row.split()[-2] for row in rows)


def test_without_files_or_space_it_says_so() -> None:
    scan = example(files=0, files_without_extents=0, extents=0, free=None)
    lines = words.lines_of(scan, top=0, extents=False)
    assert lines[0].endswith("no file with an extent on the device")
    assert lines[1].endswith("not read")
