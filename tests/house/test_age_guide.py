"""The guide to ageing names commands that are taken, and every parameter of every profile."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from fsgauge.age.profile import PROFILES, keys_of, profile_of
from fsgauge.cli import group
from fsgauge.pages import explain_metric
from tests.house.test_examples import commands

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "age.md"
TEXT = GUIDE.read_text(encoding="utf-8")


@pytest.mark.parametrize("line", commands(GUIDE))
def test_every_command_shown_is_taken(line: str) -> None:
    name, *words = shlex.split(line, comments=True)[1:]
    command = group.get_command(click.Context(group), name)
    assert command is not None
    chosen = command.make_context(name, list(words)).params
    if chosen["profile"] is not None:
        assert profile_of(chosen["profile"], chosen["settings"])


@pytest.mark.parametrize("name", PROFILES)
def test_the_table_has_every_parameter(name: str) -> None:
    (row,) = re.findall(rf"^\| `{name}` \|.*\| (.*) \|$", TEXT, flags=re.MULTILINE)
    assert re.findall(r"`([\w.]+)`", row) == keys_of(name)


def test_every_page_that_it_names_is_there() -> None:
    named = re.findall(r"`fsgauge explain (\w+)`", TEXT)
    assert sorted(named) == ["fidelity", "storage_age"]
    assert all(explain_metric(name) for name in named)
