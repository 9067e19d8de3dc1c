"""Every command of the guide to writers is one that `fsgauge` takes, for a study that is valid."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from fsgauge.cli import group
from fsgauge.pages import explain_metric
from fsgauge.plan import make_plan, with_seed
from fsgauge.study import explain_key, load_study
from fsgauge.study.model import LoopStorage
from tests.house.test_examples import commands

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "writers.md"
TEXT = GUIDE.read_text(encoding="utf-8")


@pytest.mark.parametrize("line", commands(GUIDE))
def test_every_command_shown_is_a_valid_study(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, *words = shlex.split(line)[1:]
    command = group.get_command(click.Context(group), name)
    assert command is not None
    chosen = command.make_context(name, list(words)).params
    study = load_study(
        words[0], list(chosen["overrides"]), list(chosen["systems"]), chosen["storage"]
    )
    assert study.workload.kind == "writers"
    planned = with_seed(study, 1)
    if planned.storage.kind != "device":
        assert make_plan(planned, size_bytes=planned.storage.size).turns


@pytest.mark.skipif(not shutil.which("dumpe2fs"), reason="e2fsprogs is not installed")
def test_the_published_file_is_as_large_as_the_guide_says(tmp_path: Path) -> None:
    """About 4 GB: the share of what ext3, as mkfs makes it, leaves of the storage."""
    (line,) = [each for each in commands(GUIDE) if "--storage loop:" in each]
    name, *words = shlex.split(line)[1:]
    command = group.get_command(click.Context(group), name)
    assert command is not None
    chosen = command.make_context(name, list(words)).params
    study = load_study("writers", list(chosen["overrides"]), [], chosen["storage"])
    assert isinstance(study.storage, LoopStorage)
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(study.storage.size)
    subprocess.run(["mkfs.ext3", "-q", "-F", str(image)], check=True)
    said = subprocess.run(["dumpe2fs", "-h", str(image)], capture_output=True, text=True)
    image.unlink()
    facts = dict(re.findall(r"^([A-Z][a-z ]+):\s+(\d+)$", said.stdout, flags=re.MULTILINE))
    blocks = int(facts["Free blocks"]) - int(facts["Reserved block count"])
    file_bytes = blocks * int(facts["Block size"]) * study.workload.fill // 100
    assert file_bytes == pytest.approx(4e9, rel=0.05)


def test_every_page_and_key_that_the_guide_names_is_explained() -> None:
    named = re.findall(r"`fsgauge explain ([\w.]+)`", TEXT)
    assert len(named) >= 5
    for name in named:
        assert explain_key(name) if "." in name else explain_metric(name)
