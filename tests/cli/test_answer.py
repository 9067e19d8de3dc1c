"""What a command says at its end, from the report that it made."""

from __future__ import annotations

from pathlib import Path

from fsgauge.cli.answer import make_report, primary_ratios
from tests.synthetic import make_study


def test_the_primary_ratios_of_every_system(tmp_path: Path) -> None:
    make_study(blocks=3, queue_depths=(1, 32), block_sizes=(4096, 65536)).write(tmp_path)
    answer, page = make_report(tmp_path)
    assert page.is_file()
    ratios = primary_ratios(tmp_path)
    assert {entry["system"] for entry in ratios} == {"ext4", "xfs"}
    assert {entry["metric"] for entry in ratios} == {"iops"}
    assert len(ratios) == 2 * 3 * 2
    assert all(entry["low"] < entry["ratio"] < entry["high"] for entry in ratios)
    assert answer
