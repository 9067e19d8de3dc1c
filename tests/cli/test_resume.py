"""`fsgauge resume` as a user meets it: after Ctrl-C, after kill -9, twice at once, when done."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.sealing import seal

from .conftest import ENGINE, Run, small_in

# Alone: what a killed study leaves is told, and removed, by whichever command is the next.
pytestmark = pytest.mark.alone
LIMIT_SECONDS = 60.0


@contextmanager
def running(small: list[str], tmp_path: Path, runs: int) -> Iterator[subprocess.Popen[str]]:
    """A study of its own process group in which so many runs are recorded."""
    process = subprocess.Popen(
        [sys.executable, "-m", "fsgauge", *small],
        cwd=tmp_path,
        env=os.environ | {"FSGAUGE_ENGINE": str(ENGINE), "FSGAUGE_FAKE_ENGINE_MODE": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + LIMIT_SECONDS
        while len(list(tmp_path.glob("results/*/records/*/[0-9]*.json"))) < runs:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture(scope="module")
def killed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study whose process group was killed in its second block; it ran in the
    folder `place` next to results."""
    folder = tmp_path_factory.mktemp("killed")
    (folder / "place").mkdir()
    with running(small_in(folder / "place"), folder, runs=10) as process:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(LIMIT_SECONDS)
    return next(folder.glob("results/*"))


@pytest.fixture
def killed(killed_once: Path, tmp_path: Path) -> Path:
    """A copy of it for one test."""
    return shutil.copytree(killed_once, tmp_path / "results" / killed_once.name)


def test_ctrl_c_prints_the_command_that_goes_on(
    fsgauge: Run, small: list[str], tmp_path: Path, place: Path
) -> None:
    with running(small, tmp_path, runs=10) as process:
        os.kill(process.pid, signal.SIGINT)
        said, told = process.communicate(timeout=LIMIT_SECONDS)
    folder = next(tmp_path.glob("results/*"))
    assert process.returncode == 130, told
    assert f"next: fsgauge resume results/{folder.name}\n" in told
    assert said.splitlines()[-1] == f"report: results/{folder.name}/report.html"
    assert list(place.iterdir()) == []
    done = fsgauge("resume", f"results/{folder.name}", "--quiet")
    assert done.returncode == 0, done.stderr
    assert len(list(folder.glob("records/*/[0-9]*.json"))) == 24


def test_ctrl_c_before_the_first_run_keeps_nothing(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "fsgauge", *small],
        cwd=tmp_path,
        env=os.environ | {"FSGAUGE_ENGINE": str(ENGINE), "FSGAUGE_FAKE_ENGINE_MODE": "hang"},
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + LIMIT_SECONDS
    while not list(tmp_path.glob("results/*/records/*/turn.json")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=LIMIT_SECONDS)
    assert process.returncode == 130, told
    assert "nothing was measured yet" in told
    assert list(tmp_path.glob("results/*")) == []


def test_a_killed_study_goes_on_and_leaves_nothing_behind(
    fsgauge: Run, killed: Path, killed_once: Path
) -> None:
    done = fsgauge("resume", str(killed), "--quiet")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"report: {killed}/report.html"
    assert len(list(killed.glob("records/*/[0-9]*.json"))) == 24
    assert list((killed_once.parents[1] / "place").iterdir()) == []
    again = fsgauge("resume", str(killed), "--quiet")
    assert again.returncode == 0
    assert "the study is complete: nothing is left to measure" in again.stderr


def test_a_running_study_cannot_be_resumed(fsgauge: Run, small: list[str], tmp_path: Path) -> None:
    with running(small, tmp_path, runs=1):
        done = fsgauge("resume", str(next(tmp_path.glob("results/*"))))
    assert done.returncode == 3
    assert "is in use by another fsgauge" in done.stderr


def test_another_study_file_changes_nothing(fsgauge: Run, killed: Path) -> None:
    """The study is the one in study.json: study.toml is for people. That it was edited is said."""
    (killed / "study.toml").write_text("# edited\n")
    done = fsgauge("resume", str(killed), "--quiet")
    assert done.returncode == 3
    assert "study.toml: this record was changed" in done.stderr
    done = fsgauge("resume", str(killed), "--quiet", "--despite", "changed-records")
    assert done.returncode == 1, done.stderr
    assert "records were changed after they were written (study.toml" in done.stdout


def test_a_machine_that_changed_is_refused(fsgauge: Run, killed: Path) -> None:
    path = killed / "environment-before.json"
    path.write_text(path.read_text().replace('"processor_count": ', '"processor_count": 9'))
    seal(killed)
    done = fsgauge("resume", str(killed))
    assert done.returncode == 2
    assert "processor count: 9" in done.stderr
    assert f"next: fsgauge report {killed}" in done.stderr


def test_a_folder_that_is_none(fsgauge: Run, tmp_path: Path) -> None:
    done = fsgauge("resume", str(tmp_path))
    assert done.returncode == 2
    assert "is not a results folder" in done.stderr
