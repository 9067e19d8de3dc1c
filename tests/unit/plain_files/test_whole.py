"""What a person named may be anything: its head is asked for before it is known."""

from __future__ import annotations

from pathlib import Path

from fsgauge.plain_files import head_of


def test_of_links_in_a_circle_there_is_no_head(tmp_path: Path) -> None:
    circle, file = tmp_path / "circle", tmp_path / "file"
    circle.symlink_to("circle")
    file.write_bytes(b"head and body")
    (tmp_path / "link").symlink_to(file)
    assert head_of(circle, 4) == b""
    assert head_of(tmp_path / "link", 4) == b"head"
