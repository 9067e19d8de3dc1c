"""Copies of aged images: what is no file is refused at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsgauge.age.copying import _copied
from fsgauge.errors import InputError


def test_a_fifo_in_place_of_an_image_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    """It was opened without O_NONBLOCK: the command waited for a writer without end."""
    os.mkfifo(tmp_path / "aged.img")
    with pytest.raises(InputError, match="is not a regular file"):
        _copied(tmp_path / "aged.img", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
