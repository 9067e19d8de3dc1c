"""The published size of the guide to writers is what its command makes."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest

from fsgauge.cli import group
from fsgauge.cli.asked_study import chosen_variant
from fsgauge.study.model import LoopStorage
from fsgauge.study.parse import load_study
from tests.house.test_examples import commands
from tests.needs import need_tool

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "writers.md"


def test_the_published_file_is_as_large_as_the_guide_says(tmp_path: Path) -> None:
    """The share of what ext3, as the study makes it, leaves of the storage."""
    need_tool("dumpe2fs", "e2fsprogs")
    (line,) = [each for each in commands(GUIDE) if "--as-published" in each]
    name, *words = shlex.split(line, comments=True)[1:]
    command = group.get_command(click.Context(group), name)
    assert command is not None
    chosen = command.make_context(name, list(words)).params
    name = chosen_variant(chosen["study"][0], chosen["full"], chosen["as_published"])
    study = load_study(name, list(chosen["overrides"]), [], chosen["storage"])
    assert isinstance(study.storage, LoopStorage)
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(study.storage.size)
    subprocess.run(
        ["mkfs.ext3", "-q", "-F", *study.systems[0].mkfs.split(), str(image)], check=True
    )
    said = subprocess.run(["dumpe2fs", "-h", str(image)], capture_output=True, text=True)
    image.unlink()
    facts = dict(re.findall(r"^([A-Z][a-z ]+):\s+(\d+)$", said.stdout, flags=re.MULTILINE))
    blocks = int(facts["Free blocks"]) - int(facts["Reserved block count"])
    file_bytes = blocks * int(facts["Block size"]) * study.workload.fill // 100
    assert file_bytes == pytest.approx(4_294_967_296, rel=0.01)
