"""The guide to choosing: every command is taken, what it races is known, its study can be read."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from fsgauge.choosing.options import KINDS, load_of, proposed
from fsgauge.choosing.race_study import race_text
from fsgauge.cli import group
from fsgauge.study.document import document_of
from fsgauge.study.parse import load_study, read_document
from fsgauge.study.shipped import find_study, shipped_names
from fsgauge.study.varying import vary_systems
from fsgauge.system.options import known_options
from tests.house.test_examples import commands

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "choose.md"
TEXT = GUIDE.read_text(encoding="utf-8")


@pytest.mark.parametrize("line", [each for each in commands(GUIDE) if " choose " in each])
def test_every_command_shown_is_taken_and_makes_a_study(line: str) -> None:
    name, *words = shlex.split(line, comments=True)[1:]
    command = group.get_command(click.Context(group), name)
    assert command is not None
    chosen = command.make_context(name, list(words)).params
    (load,) = chosen["words"]
    if load not in shipped_names():
        return
    kinds = (chosen["kinds"] or ",".join(KINDS)).split(",")
    found = proposed(kinds, load_of(load_study(load)), safe=chosen["safe"])
    made = race_text(load, find_study(load)[1], found)
    document = read_document(made, "made", "made")
    vary_systems(document, known_options)
    assert len(document.data["system"]) > len(kinds)


def test_the_study_that_it_shows_varies_as_it_says() -> None:
    (shown,) = re.findall(r"```toml\n(.*?)```", TEXT, flags=re.DOTALL)
    document = document_of(shown, "shown")
    vary_systems(document, known_options)
    names = [each["name"] for each in document.data["system"]]
    assert names[:2] == ["xfs default 32k", "xfs default 256k"]
    assert names[6:8] == ["ext4", "ext4 (scheduler=mq-deadline)"]
    assert len(names) == 14
