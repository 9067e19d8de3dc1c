"""The text says the answer first, is exact at the edges, and shows no control character."""

from __future__ import annotations

import pytest

from fsgauge.scan import words
from fsgauge.scan.numbers import difference_lines
from tests.scan_example import changed, example


def test_the_first_lines_are_files_and_free_space() -> None:
    lines = words.lines_of(example(), top=3, extents=False)
    assert lines[0].startswith("/fake  ext4, 64 MiB, 56 % full")
    assert lines[0].endswith("2 files in 4 extents: 2.00 per file, 50 % of files fragmented")
    assert lines[1].startswith("means ") and lines[2].startswith("free ")
    matters = words.lines_of(example(extents=400), top=3, extents=False)
    assert matters[1].startswith("means ") and matters[2].startswith(" ")
    free = next(line for line in lines if line.startswith("free "))
    assert free.endswith(
        "28 MiB in 3 extents; 86 % of it in extents of 8 MiB or more; largest 16 MiB"
    )
    assert any("not_permitted, 2 times" in line for line in lines)
    assert any("1 unwritten" in line and "1 file without extents" in line for line in lines)


def test_what_must_be_known_first_comes_first() -> None:
    assert words.lines_of(example(ended="interrupted"), top=0, extents=False)[0].startswith(
        "stopped early"
    )
    mounted = words.lines_of(example(path="/dev/fake"), top=0, extents=False)
    assert mounted[0].startswith("/dev/fake is mounted read-write at /fake")


def test_no_file_name_moves_the_cursor() -> None:
    text = "\n".join(words.lines_of(example(), top=3, extents=True))
    assert "\x1b" not in text and r"bad\x1b[2J" in text


def test_extents_are_listed_when_asked_for() -> None:
    listed = words.lines_of(example(), top=3, extents=True)
    assert sum("of the file:" in line for line in listed) == 3
    none = words.lines_of(example(), top=0, extents=True)
    assert not any("bad" in line for line in none if "do:" not in line)


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
    assert lines[0].endswith("no file has an extent on the device")
    assert any(line.startswith("free ") and line.endswith("not read") for line in lines)


def test_a_change_is_never_shown_as_none() -> None:
    lines = difference_lines(
        example(), example(contiguous_block_pairs=1_277_439, block_pairs=1_280_000)
    )
    score = next(line for line in lines if line.quantity.name == "layout_score")
    assert score.difference and abs(score.difference) < 0.0005
    assert words.change(score) == "-<0.001"


def test_files_in_the_cache_are_not_called_empty() -> None:
    assert "not yet allocated" in words.kinds(example(delayed_extents=4))
    assert "not yet allocated" not in words.kinds(example())
    assert words.kinds(example(files_without_extents=0, sparse_files=0)) == "1 unwritten extent"


def test_a_file_that_holds_no_file_system_is_said_to_be_a_file() -> None:
    scan = example(files=1, folders=0)
    assert words.place(scan).startswith("a file on ext4, 64 MiB")
    assert "this file contains no file system that can be read" in words.notes(scan)[0]
    assert words.notes(example()) == []


def test_room_outside_of_chunks_is_not_called_full() -> None:
    btrfs = {"file_system": "btrfs"}
    scan = changed(source=btrfs, free={"unallocated_bytes": 20 << 20})
    assert words.place(scan) == "btrfs, 64 MiB, 25 % full"
    assert "extents inside chunks" in words.free_space(scan)
    assert words.free_space(scan).endswith("; 20 MiB unallocated")
    assert words.notes(scan) == []
    old = changed(source=btrfs, free={"unallocated_bytes": None})
    assert words.place(old) == "btrfs, 64 MiB"
    assert "without unallocated space" in words.notes(old)[0]


def test_free_space_behind_damage_is_not_claimed() -> None:
    damage = {"code": "truncated", "text": "The image ends early", "count": 2, "examples": ["4096"]}
    scan = example(problems=[damage])
    assert any(line.endswith("(first 4096)") for line in words.lines_of(scan, top=0, extents=False))
    assert words.place(scan) == "ext4, 64 MiB, 56 % full"
    unread = changed(free={"unread_bytes": 3 << 20})
    assert words.place(unread) == "ext4, 64 MiB"
    assert words.free_space(unread).endswith("; up to 3 MiB more in unreadable areas")
    nothing = changed(free={"size_bytes": 0, "unread_bytes": 3 << 20})
    assert words.free_space(nothing).startswith("nothing; up to 3 MiB more")


def test_why_free_space_was_not_read_as_the_kernel_lists_it_is_a_note() -> None:
    """A mounted ext4 was shown 44 % full, and nothing said where the number came from."""
    reason = "getfsmap counts 9 bytes as used that are free"
    scan = example()
    source = scan.source.model_copy(update={"space_by": "bitmaps", "space_reason": reason})
    lines = words.lines_of(scan.model_copy(update={"source": source}), top=0, extents=False)
    assert f"note         free space: {reason}" in lines
    assert any(line.startswith("read         by FIEMAP and block bitmaps") for line in lines)
    assert not any("free space:" in line for line in words.lines_of(scan, top=0, extents=False))
