"""What the documentation shows can be typed as it is: commands, options, conditions, limits."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from fsgauge.cli import group
from fsgauge.stats.folders.condition import parse_condition, parse_limit

DOCS = Path(__file__).parents[2] / "docs"
SHOWN = [
    DOCS / "guides" / "compare.md",
    DOCS / "guides" / "gate.md",
    DOCS / "examples" / "gate.yml",
    DOCS / "guides" / "scan.md",
]


def commands(path: Path) -> list[str]:
    """Commands of a file's sh blocks, or of a workflow's `run` keys, with their joined lines."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    if path.suffix == ".md":
        text = "\n".join(re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL))
    lines = [line.strip().lstrip("# ").removeprefix("sudo ") for line in text.splitlines()]
    return [line for line in lines if line.startswith("fsgauge ")]


@pytest.mark.parametrize(
    "path", [*DOCS.glob("guides/*.md"), *DOCS.glob("*.md"), *SHOWN], ids=lambda path: path.name
)
def test_every_command_shown_exists_with_its_options(path: Path) -> None:
    found = commands(path)
    assert found or path.parent != DOCS / "guides" or path.name == "faults.md"
    for line in found:
        name, *words = shlex.split(line, comments=True)[1:]
        context = click.Context(group)
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            command = command.get_command(context, words.pop(0))
        assert command is not None, line
        command.make_parser(click.Context(command)).parse_args(args=words)


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.name)
def test_every_condition_shown_is_understood(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    conditions = re.findall(r"--fail-if '([^']*)'", text)
    limits = re.findall(r"--limit '([^']*)'", text)
    assert conditions or limits or path.name == "scan.md"
    for shown in conditions:
        assert parse_condition(shown).limit > 0
    for shown in limits:
        assert parse_limit(shown).limit > 0
