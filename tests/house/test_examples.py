"""What the documentation shows of `fsgauge compare` and `history` can be typed as it stands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from fsgauge.cli import group
from fsgauge.stats.folders.condition import parse_condition

DOCS = Path(__file__).parents[2] / "docs"
SHOWN = [
    DOCS / "guides" / "compare.md",
    DOCS / "examples" / "compare.yml",
    DOCS / "guides" / "scan.md",
]


def commands(path: Path) -> list[str]:
    """Commands of a file's sh blocks, or of a workflow's `run` keys, with their joined lines."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    if path.suffix == ".md":
        text = "\n".join(re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL))
    lines = [line.strip().lstrip("# ").removeprefix("sudo ") for line in text.splitlines()]
    return [line for line in lines if line.startswith("fsgauge ")]


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.name)
def test_every_command_shown_exists_with_its_options(path: Path) -> None:
    found = commands(path)
    assert found
    for line in found:
        name, *words = shlex.split(line)[1:]
        context = click.Context(group)
        command = group.get_command(context, name)
        assert command is not None, line
        command.make_parser(click.Context(command)).parse_args(args=words)


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.name)
def test_every_condition_shown_is_understood(path: Path) -> None:
    conditions = re.findall(r"--fail-if '([^']*)'", path.read_text(encoding="utf-8"))
    assert conditions or path.name == "scan.md"
    for text in conditions:
        assert parse_condition(text).limit > 0
