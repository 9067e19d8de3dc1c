"""Files that a command names, laid out by another user; and every command from outside.

A file of hosts, of pods or a gate was opened by its name: a pipe kept its reader waiting for ever.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from fsgauge.report.gate_file import read_gate
from fsgauge.rig.fleet.choice import read_hosts
from fsgauge.rig.fleet.launcher.kubernetes import read_pods
from fsgauge.scan import read_scan
from fsgauge.study.parse import load_study, parse_study
from fsgauge.sweep.folder import FILE, new_sweep
from tests import commands
from tests.attack.test_results_folder import KINDS, SECRET, in_bounded_time, replace, victim
from tests.attack.test_sweeps_and_bisections import STUDY
from tests.patience import patience

__all__ = ["victim"]
NAMED = {
    "study": lambda path: load_study(str(path)),
    "hosts": read_hosts,
    "pods": read_pods,
    "gate": read_gate,
    "scan": read_scan,
}
"""Files that a command names, each by what reads it."""


def socket_at(path: Path) -> None:
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


@pytest.mark.parametrize("kind", [*KINDS, "device", "socket", "sparse"])
@pytest.mark.parametrize("what", NAMED)
def test_a_named_file_that_is_no_plain_file_is_refused_in_words(
    tmp_path: Path, victim: Path, what: str, kind: str
) -> None:
    path = tmp_path / "named.toml"
    if kind == "socket":
        socket_at(path)
    elif kind == "sparse":
        with path.open("wb") as file:
            file.truncate(10 << 30)
    else:
        replace(path, kind, victim)
    said = in_bounded_time(lambda: NAMED[what](path))
    assert said.startswith("2: ") and "next:" in said, said
    assert kind != "sparse" or "too large: more than" in said


def test_the_commands_pass_the_same_doors(victim: Path, tmp_path: Path) -> None:
    """From outside: exit code 2, words, no hang, nothing of the file that a link led to."""
    sweep = new_sweep(parse_study(STUDY, "s.toml", "s"), tmp_path / "results")
    link = tmp_path / "link.toml"
    link.symlink_to(victim)
    (sweep.directory / FILE).unlink()
    (sweep.directory / FILE).symlink_to(victim)
    os.mkfifo(tmp_path / "pipe")
    for words in (
        ["plan", str(link)],
        ["run", str(link)],
        ["plan", "overhead", "--rig", "fleet", "--hosts", str(link)],
        ["plan", "overhead", "--rig", "fleet", "--hosts", str(tmp_path / "pipe")],
        ["resume", str(sweep.directory)],
        ["report", str(sweep.directory)],
        ["query", str(sweep.directory), "select 1"],
        ["compare", str(sweep.directory), str(sweep.directory / "points")],
        ["history", str(sweep.directory)],
        ["gate", "accept", "--file", str(link), "--loss", "5 %"],
        ["gate", "check", str(sweep.directory), "--file", str(tmp_path / "pipe")],
        ["scan", str(tmp_path), "--against", str(link)],
    ):
        ended = commands.fsgauge(
            *words, folder=tmp_path, environment=os.environ, seconds=patience(60)
        )
        said = ended.stdout + ended.stderr
        assert (ended.returncode, SECRET in said) == (2, False), (words, said)
        assert "itself failed" not in said, said
