"""A long study is asked about on a terminal, and nowhere else."""

from __future__ import annotations

import os
import pty
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click
import pytest

from fsgauge.cli import run
from tests.cli.conftest import ENGINE, Run
from tests.command_server import BLANK_PICTURES
from tests.commands import exit_code
from tests.patience import patience

LONG = ["--set", "workload.duration=60s", "--set", "plan.side_by_side=false"]
"""24 runs of a minute, which the fake engine ends at once."""


def on_terminal(words: Sequence[str], folder: Path, answer: str = "") -> tuple[int, str, str]:
    """fsgauge with a terminal as standard input and error: its exit code, output and talk."""
    ours, theirs = pty.openpty()
    environment = os.environ | {
        "FSGAUGE_ENGINE": str(ENGINE),
        "FSGAUGE_KEEP_CACHES": "1",
        BLANK_PICTURES: "1",
    }
    os.write(ours, answer.encode())
    talk = bytearray()

    def listen() -> None:
        with suppress(OSError):  # EIO: the other end is closed
            while part := os.read(ours, 4096):
                talk.extend(part)

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        with tempfile.TemporaryFile("w+") as output:
            streams = (theirs, output.fileno(), theirs)
            code = exit_code(words, folder, environment, streams, patience(120))
            output.seek(0)
            said = output.read()
    finally:
        os.close(theirs)
        listener.join()
        os.close(ours)
    return code, said, talk.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("answer", ["n\n", "\n", "\x04"])
def test_no_ends_it_before_anything_is_made(small: list[str], tmp_path: Path, answer: str) -> None:
    code, output, talk = on_terminal([*small, *LONG], tmp_path, answer)
    assert code == 130
    (order, time, written) = [
        line for line in talk.splitlines() if line.startswith(("order", "time", "written"))
    ]
    assert "24 runs in 3 blocks" in order
    assert "about 24" in time and " min" in time
    assert "GiB (estimated for storage that writes 800 MiB/s" in written
    assert "begin? [y/N]" in talk
    assert "error: nothing was started" in talk
    assert "next:" not in talk  # three blocks are the fewest that decide anything
    assert output == ""
    assert not (tmp_path / "results").exists()


def test_the_hint_shortens_the_study(small: list[str], tmp_path: Path) -> None:
    words = [*small, *LONG, "--set", "plan.blocks=9"]
    _, _, talk = on_terminal(words, tmp_path, "n\n")
    hint = next(line for line in talk.splitlines() if line.startswith("next: "))
    assert hint.startswith("next: --set plan.blocks=5 takes about 40")
    _, _, shorter = on_terminal([*small, *LONG, "--set", "plan.blocks=5"], tmp_path, "n\n")
    assert "time      about 40" in shorter


def test_what_is_refused_is_refused_before_the_question(tmp_path: Path) -> None:
    """A loop file that the disk cannot hold: a person who said yes would only then be told."""
    words = ["run", "overhead", "--storage", f"loop:900TiB:{tmp_path}", *LONG]
    code, _, talk = on_terminal(words, tmp_path, "y\n")
    assert code in (2, 3), talk
    assert "begin?" not in talk


def test_yes_begins_it(small: list[str], tmp_path: Path) -> None:
    code, output, talk = on_terminal([*small, *LONG], tmp_path, "y\n")
    assert code == 0, talk
    assert "begin? [y/N]" in talk
    assert output.splitlines()[-2].startswith("answer: ")


@pytest.mark.parametrize(
    "words", [[*LONG, "--yes"], pytest.param([*LONG, "-y"], marks=pytest.mark.long), []]
)
def test_it_is_not_asked_where_it_was_said_or_is_short(
    small: list[str], tmp_path: Path, words: list[str]
) -> None:
    code, output, talk = on_terminal([*small, *words], tmp_path)
    assert code == 0, talk
    assert "begin?" not in talk
    assert output.splitlines()[-2].startswith("answer: ")


def test_much_that_is_written_is_asked_about_too(small: list[str], tmp_path: Path) -> None:
    """Ten minutes, and more than 100 GiB."""
    words = ["--set", "workload.duration=24s", "--set", 'workload.patterns=["randwrite"]']
    more = ["--set", "plan.blocks=6", "--set", 'workload.block_sizes=["1 MiB"]']
    code, _, talk = on_terminal([*small, *words, *more], tmp_path, "n\n")
    assert "begin?" in talk
    assert code == 130


def test_a_program_is_never_asked(fsgauge: Run, small: list[str]) -> None:
    done = fsgauge(*small, *LONG)
    assert done.returncode == 0, done.stderr
    assert "begin?" not in done.stderr


def test_the_list_says_what_each_study_takes(fsgauge: Run) -> None:
    lines = fsgauge("study", "list").stdout.splitlines()
    assert lines[0].split() == ["name", "time", "written", "question"]
    rows = {line.split()[0]: line for line in lines[1:]}
    assert rows["overhead"].endswith("How much of the raw device does a file system take away?")
    assert " min " in rows["overhead"] and " GiB " in rows["overhead"]
    assert " TiB " in rows["overhead-full"]
    assert rows["churn-simulated"].split()[1:3] == ["simulated", "nothing"]
    assert " not known  How long does git clone take?" in rows["command-git-clone"]
    assert not any(" 0 B " in row for row in rows.values())


def test_a_variant_is_a_study_of_its_own(fsgauge: Run, tmp_path: Path) -> None:
    one, other = (
        fsgauge("plan", *words, "--seed", "1", "--system", "ext4", "--verbose").stdout
        for words in (("overhead", "--full"), ("overhead-full",))
    )
    assert one == other != ""
    copied = fsgauge("study", "new", "mine", "--like", "writers-as-published")
    assert copied.returncode == 0, copied.stderr
    assert "published" in (tmp_path / "mine.toml").read_text()
    both = fsgauge("plan", "overhead", "--full", "--as-published")
    assert both.returncode == 2 and "are two studies" in both.stderr
    none = fsgauge("plan", "mine.toml", "--full")
    assert none.returncode == 2 and '"mine.toml" has no variant --full' in none.stderr


def test_ctrl_c_at_the_question_is_a_no(monkeypatch: pytest.MonkeyPatch) -> None:
    def aborted(*_: object, **__: object) -> bool:
        raise click.Abort

    monkeypatch.setattr(run.click, "confirm", aborted)
    assert not run.is_meant()
