"""Shells complete commands, options, studies and systems, by the packages' scripts."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from release.completions import IN_A_WHEEL, IN_DEBIAN, script, write


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH on which `fsgauge` is this tree's."""
    folder = tmp_path_factory.mktemp("bin")
    words = "import sys; sys.argv[0] = 'fsgauge'; from fsgauge.__main__ import main; main()"
    command = folder / "fsgauge"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "{words}" "$@"\n')
    command.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def completed(line: str, path: str, folder: Path) -> set[str]:
    """What bash offers after Tab at the end of a line."""
    words = line.split(" ")
    (folder / "fsgauge").write_text(script("bash"))
    asked = "\n".join(
        (
            "compopt() { :; }",  # what is offered as files is readline's
            f"source {shlex.quote(str(folder / 'fsgauge'))}",
            f"COMP_WORDS=({' '.join(map(shlex.quote, words))}); COMP_CWORD={len(words) - 1}",
            "_fsgauge_completion fsgauge",
            'printf "%s\\n" "${COMPREPLY[@]}"',
        )
    )
    done = subprocess.run(
        ["bash", "-c", asked],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("fsgauge re", {"resume", "report"}),
        ("fsgauge study ", {"new", "list", "from-fio", "from-command"}),
        (
            "fsgauge run wri",
            {
                "writers",
                *(f"writers-{each}" for each in ("full", "as-published", "nfs", "virtual")),
                "writers-nfs-as-published",
            },
        ),
        ("fsgauge run overhead --system ex", {"ext2", "ext3", "ext4"}),
        (
            "fsgauge run aging --rig simulator --system ex",
            {"ext2", "ext3", "ext4", "ext4-6.1", "ext4-6.12", "ext4-6.18"},
        ),
        ("fsgauge plan overhead --as", {"--as-published"}),
        ("fsgauge run ./no-such", set()),  # left to the shell's own files
    ],
)
def test_bash_offers(line: str, offered: set[str], path: str, tmp_path: Path) -> None:
    assert completed(line, path, tmp_path) == offered


@pytest.mark.parametrize("places", [IN_A_WHEEL, IN_DEBIAN])
def test_each_shell_has_its_script(places: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path, places)
    for shell, place in places.items():
        assert f"_FSGAUGE_COMPLETE={shell}_complete" in (tmp_path / place).read_text()
