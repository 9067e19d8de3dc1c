"""Files of /proc and /sys as text: what is not there, or may not be read, is None."""

from __future__ import annotations

from pathlib import Path


def text_of(file: str | Path) -> str | None:
    """All of it without blanks around it."""
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def lines_of(file: str | Path) -> list[str]:
    """Its lines; none where it cannot be read."""
    return (text_of(file) or "").splitlines()


def fields_of(file: str | Path) -> dict[str, str]:
    """Of lines "name: value", each name with its first value; {} where it cannot be read."""
    found: dict[str, str] = {}
    for line in lines_of(file):
        name, _, value = line.partition(":")
        found.setdefault(name.strip(), value.strip())
    return found


def number_in(file: str | Path) -> int | None:
    """The number that it holds; None where it holds none."""
    text = text_of(file) or ""
    return int(text) if text.isdecimal() else None
