"""What commands of the docs are run on."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def device(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """An empty device and the name by which it may be taken."""
    file = tmp_path / "device.img"
    with file.open("wb") as image:
        image.truncate(2 << 30)  # sparse; xfs wants room for eight groups
    made = subprocess.run(
        ["losetup", "--find", "--show", str(file)], check=True, capture_output=True, text=True
    )
    node = made.stdout.strip()
    yield node, str(file)
    subprocess.run(["losetup", "--detach", node], check=True)
