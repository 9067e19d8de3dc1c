"""What `make test` leaves out, make test-all runs; and CI runs all."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.long import TOO_LATE, UNTIL, long_tests
from tests.patience import patience

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
    by_file: dict[str, set[str]] = {}
    for listed in long_tests():
        file, _, name = listed.partition("::")
        by_file.setdefault(file, set()).add(name)
    for file, names in by_file.items():
        nodes = ast.walk(ast.parse((ROOT / file).read_text()))
        assert names <= {each.name for each in nodes if isinstance(each, ast.FunctionDef)}, file


def test_what_a_slow_machine_has_no_time_for_is_counted() -> None:
    """And what is not long is run all the same."""
    names = "test_the_mark_says_what_it_means or test_wheel"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", names]
    done = subprocess.run(
        [*command, "tests/house/test_long.py", "tests/house/test_wheel.py"],
        cwd=ROOT,
        env={**os.environ, UNTIL: "1"},
        capture_output=True,
        text=True,
        timeout=patience(120),
        check=False,
    )
    assert f" not run: {TOO_LATE}" in done.stdout and "1 passed" in done.stdout, done.stdout
