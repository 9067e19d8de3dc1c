"""Lines for a terminal: no word is broken at any width, and no number loses its unit."""

from __future__ import annotations

import io
import os
import pty
import re
import termios
from pathlib import Path

import pytest

from fsgauge.progress.terminal import width_of, wrapped

SENTENCES = (Path(__file__).parents[2] / "known" / "sentences.md").read_text("utf-8")
ANSWERS = [line for line in SENTENCES.splitlines() if line.endswith(".") and len(line) > 80]


@pytest.mark.parametrize("width", range(40, 201, 5))
def test_no_answer_is_broken_inside_a_word(width: int) -> None:
    assert len(ANSWERS) > 5
    for answer in ANSWERS:
        lines = wrapped(f"answer: {answer}", width)
        assert " ".join(" ".join(lines).split()) == f"answer: {' '.join(answer.split())}"
        assert all(len(line) <= width for line in lines)
        assert not any(re.match(r"\s*%", line) for line in lines)


def test_a_word_longer_than_a_line_stays_whole() -> None:
    path = "/var/lib/results/overhead-2026-11-23-020000/report.html"
    assert path in wrapped(f"report: {path} and more words", 40)


def test_later_lines_are_indented_and_a_number_keeps_its_unit() -> None:
    lines = wrapped("shows     changes of 12 % or more, at 4 KiB and 10 s", 21, "  ")
    assert lines[0].startswith("shows") and all(line.startswith("  ") for line in lines[1:])
    assert any("12 %" in line for line in lines) and any("4 KiB" in line for line in lines)


def test_without_a_terminal_a_sentence_is_one_line() -> None:
    assert width_of(io.StringIO()) is None
    assert wrapped(ANSWERS[0], None) == [ANSWERS[0]]
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as stream:
        termios.tcsetwinsize(ours, (24, 100))
        assert width_of(stream) == 100
        termios.tcsetwinsize(ours, (0, 0))
        assert width_of(stream) is None, "a serial line does not say"
    os.close(ours)
