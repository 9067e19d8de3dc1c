"""Lines in pieces of any length, and one that has no end."""

from __future__ import annotations

import pytest

from fsgauge.agents.agents import Lines


def test_lines_are_taken_whole_and_in_their_order() -> None:
    lines, taken = Lines(), []
    for piece in (b"one\ntw", b"", b"o", b"\n\nfour\nfi"):
        lines.add(piece)
        while (line := lines.take()) is not None:
            taken.append(line)
    assert taken == [b"one", b"two", b"", b"four"]
    assert not lines.has_one
    lines.add(b"ve\n")
    assert lines.has_one and lines.take() == b"five"


def test_a_line_without_an_end_is_refused_at_its_bound() -> None:
    lines = Lines(longest_bytes=8)
    lines.add(b"12345678")
    with pytest.raises(ValueError, match="a line of more than 8 bytes"):
        lines.add(b"9")


def test_more_whole_lines_than_the_bound_may_come_at_once() -> None:
    lines = Lines(longest_bytes=8)
    lines.add(b"1234\n5678\n9")
    assert (lines.take(), lines.take(), lines.take()) == (b"1234", b"5678", None)
