"""Files of the kernel: what is not there, or cannot be read, is no error."""

from __future__ import annotations

from pathlib import Path

from fsgauge.machine.facts.pseudo_files import fields_of, lines_of, number_in, text_of


def test_what_is_not_there_says_nothing(tmp_path: Path) -> None:
    for nowhere in (tmp_path / "none", tmp_path):  # no file, and a folder
        assert text_of(nowhere) is None
        assert lines_of(nowhere) == []
        assert fields_of(nowhere) == {}
        assert number_in(nowhere) is None


def test_a_file_of_fields(tmp_path: Path) -> None:
    """/proc/cpuinfo has each name once for each processor."""
    file = tmp_path / "cpuinfo"
    file.write_bytes(b"\nflags\t\t: a b\nmodel name\t: x: y \xff\n\nflags\t\t: c\n")
    found = fields_of(file)
    assert (found["flags"], found["model name"]) == ("a b", "x: y \ufffd")


def test_a_number(tmp_path: Path) -> None:
    file = tmp_path / "pid_max"
    for text, number in (("32768\n", 32768), ("max\n", None), ("-1\n", None), ("", None)):
        file.write_text(text)
        assert number_in(file) == number
