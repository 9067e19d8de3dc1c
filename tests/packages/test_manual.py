"""The manual page has every command and option, and roff reads it without a complaint."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import click
import pytest

from fsgauge.cli import group
from release.manual import manual
from tests.needs import need_tool

EPOCH_SECONDS = 1_700_000_000


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page as a terminal shows it, each run of white space as one blank."""
    need_tool("man", "man-db")
    page = tmp_path_factory.mktemp("manual") / "fsgauge.1"
    page.write_text(manual(EPOCH_SECONDS), encoding="utf-8")
    done = subprocess.run(
        ["man", "--warnings", "--encoding=UTF-8", "--local-file", str(page)],
        env={"PATH": "/usr/bin:/bin", "MANWIDTH": "500", "MANROFFOPT": "-c", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""
    return " ".join(re.sub(".\b", "", done.stdout).split())


def commands(family: click.Group, context: click.Context) -> list[click.Context]:
    found = []
    for name in family.list_commands(context):
        command = family.get_command(context, name)
        assert command is not None
        found.append(click.Context(command, info_name=name, parent=context))
        if isinstance(command, click.Group):
            found += commands(command, found[-1])
    return found


def test_every_command_is_shown_with_its_help_and_options(shown: str) -> None:
    of_all = commands(group, click.Context(group, info_name="fsgauge"))
    assert len(of_all) > 15
    for context in of_all:
        assert context.command_path in shown
        first = (context.command.help or "").split("\n\n")[0]
        assert " ".join(first.split()) in shown, context.command_path
        for option in context.command.get_params(context):
            record = option.get_help_record(context)
            if record is not None and "--help" not in option.opts:
                assert " ".join(record[0].split()) in shown, record
                assert " ".join(record[1].split()) in shown, record


def test_a_line_of_text_is_never_taken_for_a_request() -> None:
    requests = re.compile(r"\.(TH|SH|SS|PP|TP|B)\b")
    for line in manual(EPOCH_SECONDS).splitlines():
        assert not line.startswith("'")
        assert not line.startswith(".") or requests.match(line), line


def test_the_date_is_that_of_the_commit() -> None:
    assert '"2023-11-14"' in manual(EPOCH_SECONDS).splitlines()[0]


def test_the_page_names_the_variables_that_a_user_sets() -> None:
    page = manual(EPOCH_SECONDS)
    package = Path(__file__).parents[2] / "python" / "fsgauge"
    sources = "".join(path.read_text(encoding="utf-8") for path in package.rglob("*.py"))
    names = set(re.findall(r'"(FSGAUGE_[A-Z_]+)"', sources))
    names -= {"FSGAUGE_RUN"}  # set by fsgauge, for its own processes
    assert len(names) >= 4
    for name in names:
        assert f".TP\n\\fB{name}\\fR\n" in page
