"""What a command imports before it answers is what its user waits for. It is counted: no test
asserts a time."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("duckdb", "jinja2", "numpy", "pydantic", "scipy", "tomlkit", "vl_convert")
WITHOUT_LEFTOVERS = (
    "from fsgauge.machine.ledger import ledger_folder; ledger_folder.ledgers = list\n"
    "from fsgauge.cli import main; main()"
)
"""Runs of others that live have ledgers, which a command reads with models of their own."""
OF_NUMBERS = tuple(name for name in HEAVY if name not in ("pydantic", "tomlkit"))


def imported(words: list[str], folder: Path) -> set[str]:
    said = subprocess.run(
        [sys.executable, "-P", "-X", "importtime", "-c", WITHOUT_LEFTOVERS, *words],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=folder,
        check=False,
    )
    assert said.returncode in (0, 2), said.stderr[-300:]
    return set(re.findall(r"(?m)^import time:.*\| +(\S+)$", said.stderr))


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["run", "--help"],
        ["plan", "--help"],
        ["report", "--help"],
        ["study", "--help"],
        ["explain"],
        ["run", "overheadd"],
    ],
    ids=" ".join,
)
def test_help_and_a_mistyped_name_need_neither_models_nor_numbers(
    words: list[str], tmp_path: Path
) -> None:
    found = imported(words, tmp_path)
    assert "fsgauge.cli.commands" in found
    heavy = {name for name in found if name.startswith((*HEAVY, "fsgauge.engine.", "fsgauge.rig."))}
    assert not heavy


def test_a_list_of_studies_needs_no_numbers(tmp_path: Path) -> None:
    found = imported(["study", "list"], tmp_path)
    assert "fsgauge.plan.cost" in found
    assert not {name for name in found if name.startswith(OF_NUMBERS)}
