"""How the panels of the heat map stand on a wide page."""

from __future__ import annotations

from typing import Any

from fsgauge.kinds.overhead.page.heat_map import _wide
from fsgauge.report.draw import datasets


def row(system: str, pattern: str) -> dict[str, Any]:
    return {
        "system": system,
        "label": system,
        "pattern": pattern,
        "size": "4 KiB",
        "size_bytes": 4096,
        "depth": 1,
        "ratio": 1.0,
        "glyph": "?",
        "above": "? +1 %",
        "below": "15 %",
        "colour": "#000000",
        "opacity": 0.0,
        "hatch": "none",
        "tip": "",
    }


PATTERNS = [f"{each}, 2 hosts, separate files" for each in ("randread", "randwrite", "randrw")]


def drawn(rows: list[dict[str, Any]]) -> dict[str, Any]:
    with datasets():
        return _wide(rows)


def panels_by_line(wide: dict[str, Any]) -> list[int]:
    return [len(line["hconcat"]) for line in wide["vconcat"]]


def test_the_patterns_of_one_system_stand_beside_one_another() -> None:
    """Nine of two-nodes stood in one column, each with a single square, their names cut."""
    wide = drawn([row("ocfs2", pattern) for pattern in PATTERNS])
    assert panels_by_line(wide) == [3]
    assert "…" not in str(wide)


def test_several_systems_have_a_column_each_and_a_line_a_pattern() -> None:
    rows = [row(system, pattern) for pattern in PATTERNS for system in ("ext4", "xfs")]
    assert panels_by_line(drawn(rows)) == [2, 2, 2]
