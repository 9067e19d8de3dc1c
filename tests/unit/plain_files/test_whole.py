"""What a person named may be anything: its head is asked for before it is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.plain_files import head_of, require_writable


def test_of_links_in_a_circle_there_is_no_head(tmp_path: Path) -> None:
    circle, file = tmp_path / "circle", tmp_path / "file"
    circle.symlink_to("circle")
    file.write_bytes(b"head and body")
    (tmp_path / "link").symlink_to(file)
    assert head_of(circle, 4) == b""
    assert head_of(tmp_path / "link", 4) == b"head"


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    require_writable(tmp_path)
    with pytest.raises(InputError, match="there is no folder") as refused:
        require_writable(tmp_path / "nowhere")
    assert refused.value.next == f"mkdir -p {tmp_path}/nowhere"
