"""What `make test` leaves out, make test-all runs; and CI runs all."""

from __future__ import annotations

import ast
import subprocess
import tomllib
from pathlib import Path

from tests.long import long_tests

ROOT = Path(__file__).parents[2]


def test_ci_checks_and_runs_everything() -> None:
    lines = (ROOT / ".ci/run").read_text().splitlines()
    assert [line for line in lines if line.startswith("make ")] == ["make check", "make test-all"]


def test_the_makefile_has_both_and_they_differ_by_the_mark_alone() -> None:
    said = {
        target: subprocess.run(
            ["make", "--dry-run", "--no-print-directory", target],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout.splitlines()[-1]
        for target in ("test", "test-all")
    }
    assert said == {"test": "scripts/test", "test-all": "scripts/test --all"}


def test_the_mark_says_what_it_means() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]
    marks = [each.partition(":") for each in settings["ini_options"]["markers"]]
    (meaning,) = [meaning for name, _, meaning in marks if name == "long"]
    assert "make test leaves it out" in meaning and "make test-all runs it" in meaning


def test_each_that_is_listed_is_there() -> None:
    for listed in long_tests():
        file, _, name = listed.partition("::")
        tree = ast.parse((ROOT / file).read_text())
        assert name in {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}
