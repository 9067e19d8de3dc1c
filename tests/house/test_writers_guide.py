"""Every command of the guide to writers is one that `fsgauge` takes, for a study that is valid."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from fsgauge.cli import group
from fsgauge.pages import explain_metric
from fsgauge.study import explain_key, load_study
from tests.house.test_examples import commands

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "writers.md"
TEXT = GUIDE.read_text(encoding="utf-8")


@pytest.mark.parametrize("line", commands(GUIDE))
def test_every_command_shown_is_a_valid_study(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = re.search(r"```toml\n(.*?)```", TEXT, flags=re.DOTALL)
    assert shown is not None
    (tmp_path / "files.toml").write_text(shown[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    name, *words = shlex.split(line)[1:]
    command = group.get_command(click.Context(group), name)
    assert command is not None
    chosen = command.make_context(name, list(words)).params
    study = load_study(
        words[0], list(chosen["overrides"]), list(chosen["systems"]), chosen["storage"]
    )
    assert study.workload.kind == "writers"


def test_every_page_and_key_that_the_guide_names_is_explained() -> None:
    named = re.findall(r"`fsgauge explain ([\w.]+)`", TEXT)
    assert len(named) >= 5
    for name in named:
        assert explain_key(name) if "." in name else explain_metric(name)
