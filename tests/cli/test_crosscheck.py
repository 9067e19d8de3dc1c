"""`fsgauge crosscheck` from its words to its exit code, with a fio and an engine without I/O."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run

FAKE_FIO = Path(__file__).with_name("fake_fio.py")


@pytest.fixture
def with_fio(tmp_path: Path) -> str:
    """FSGAUGE_PATH for the fake fio: root's PATH has the system's folders first."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "fio").symlink_to(FAKE_FIO)
    return str(folder)


@pytest.fixture
def words(place: Path) -> list[str]:
    storage = ["--storage", f"path:{place}", "--set", "storage.size=16MiB"]
    # In batches as well, for fio as it submits by itself is run only where that is something else.
    batches = ["--set", "workload.submit_batch=16"]
    return ["crosscheck", "demo-user", *storage, *batches, "--seed=7", "--pairs=4", "--with=fio"]


def test_every_cell_has_fios_command_and_a_word_a_metric(
    fsgauge: Run, words: list[str], with_fio: str
) -> None:
    done = fsgauge(*words, FSGAUGE_PATH=with_fio)
    assert done.returncode == 0, done.stderr
    cells = done.stdout.split("\n\n")[:-1]
    assert len(cells) == 4
    for cell in cells:
        assert "  fio --output-format=json" in cell
        rates = [line for line in cell.splitlines() if "operations per second" in line]
        # At depth 32 also fio as it submits by itself.
        assert len(rates) == (2 if "depth 32" in cell else 1)
        assert all(rate.endswith("agrees") for rate in rates)
    assert "pair 4 of 4, fio" in done.stderr


def test_a_difference_is_called_one(fsgauge: Run, words: list[str], with_fio: str) -> None:
    done = fsgauge(*words, FSGAUGE_PATH=with_fio, FSGAUGE_FAKE_FIO_MODE="twice")
    rates = [line for line in done.stdout.splitlines() if "operations per second" in line]
    assert rates and all(line.endswith("differs") for line in rates)
    assert done.returncode == 0


def test_the_folder_holds_every_run_whole(
    fsgauge: Run, words: list[str], with_fio: str, tmp_path: Path
) -> None:
    done = fsgauge(*words, "--json", FSGAUGE_PATH=with_fio)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["event"] for line in lines] == ["cell"] * 4 + ["ended"]
    folder = tmp_path / lines[-1]["results"]
    assert folder.name.startswith("crosscheck-demo-user-")
    runs = [json.loads(path.read_text()) for path in folder.glob("runs/*/*.json")]
    assert len(runs) == 4 * 4 * 2 + 2 * 4
    assert {run["tool"] for run in runs} == {"engine", "fio", "fio-by-itself"}
    assert all((run["fio"] is None) == (run["tool"] == "engine") for run in runs)
    assert all(run["fio"]["fio version"] for run in runs if run["fio"])
    start = json.loads((folder / "crosscheck.json").read_text())
    assert (start["fio_version"], start["pairs"]) == ("fio-3.33", 4)
    stored = (folder / "agreement.ndjson").read_text().splitlines()
    assert [{"event": "cell", **json.loads(line)} for line in stored] == lines[:-1]


def test_a_fio_that_refuses_is_quoted(fsgauge: Run, words: list[str], with_fio: str) -> None:
    done = fsgauge(*words, FSGAUGE_PATH=with_fio, FSGAUGE_FAKE_FIO_MODE="fail")
    assert done.returncode == 3
    assert "kept" in done.stderr
    assert "engine io_uring not loadable" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_fio_cannot_do_is_refused_before_anything(
    fsgauge: Run, words: list[str], with_fio: str, tmp_path: Path
) -> None:
    done = fsgauge(*words, "--set", "workload.distribution=zipf", FSGAUGE_PATH=with_fio)
    assert done.returncode == 2
    assert "zipf" in done.stderr
    assert not (tmp_path / "results").exists()


def test_the_tool_must_be_named(fsgauge: Run, words: list[str]) -> None:
    done = fsgauge(*words[:-1])
    assert done.returncode == 2
    assert "--with" in done.stderr
