"""`fsgauge age` from the outside, on a folder: text, data, refusals, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fsgauge.age.image import checksum_of
from fsgauge.age.record import NOT_ASKED, MadeTarget, document_of_age, keep_age, record_files
from tests.age_example import worn
from tests.cli.conftest import ENGINE, Run

SMALL = ("--size", "64MiB")


def test_a_folder_is_aged_and_its_records_lie_here(
    fsgauge: Run, place: Path, tmp_path: Path
) -> None:
    done = fsgauge("age", "place", "churn", *SMALL, "--page", "both.html")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{place}  ext4, churn in mode fast, seed 1, completed\n")
    assert "fidelity     not measured" in done.stdout
    kept = {"place.age.json", "place.before.json", "place.after.json", "both.html", "place"}
    assert {path.name for path in tmp_path.iterdir()} == kept
    scan = fsgauge("scan", "place.after.json", "--against", "place.before.json")
    assert scan.returncode == 0, scan.stderr


def test_what_is_asked_for_reaches_the_engine(fsgauge: Run, place: Path) -> None:
    changes = ["--set", "chunk=8MiB", "--mode", "direct", "--seed", "7", "--fill", "50%"]
    words = [*SMALL, *changes, "--operations", "99", "--sync-every", "0B", "--json"]
    done = fsgauge("age", str(place), "intermingled", *words)
    document = json.loads(done.stdout)
    result = document["result"]
    assert result["profile"]["chunk_bytes"] == 8 << 20
    assert (result["mode"], result["seed"], result["fill_percent"]) == ("direct", 7, 50.0)
    assert result["end"] == {"kind": "operations", "operations": 99}
    assert (result["space_bytes"], result["sync_every_bytes"]) == (64 << 20, 0)
    assert document == json.loads((place.parent / "place.age.json").read_text())


@pytest.mark.parametrize(
    ("profile", "end"),
    [
        ("intermingled", {"kind": "complete"}),
        ("git-like", {"kind": "storage_age", "storage_age": 5.0}),
    ],
)
def test_each_profile_has_an_end(
    fsgauge: Run, place: Path, profile: str, end: dict[str, object]
) -> None:
    done = fsgauge("age", str(place), profile, *SMALL, "--json")
    assert json.loads(done.stdout)["result"]["end"] == end


def test_no_space_half_way_is_a_finding_and_the_rest_is_kept(fsgauge: Run, place: Path) -> None:
    done = fsgauge("age", str(place), "churn", *SMALL, mode="no space")
    assert done.returncode == 1
    assert "append failed 7 times: No space left on device" in done.stdout
    assert json.loads((place.parent / "place.age.json").read_text())["ended"] == "out_of_space"


def test_a_folder_that_holds_anything_is_left_alone(fsgauge: Run, place: Path) -> None:
    (place / "mine").write_text("mine")
    done = fsgauge("age", str(place), "churn", *SMALL)
    assert done.returncode == 2 and "not empty" in done.stderr
    assert [path.name for path in place.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["churn"], "how much of the file system"),
        ([], "no profile is given"),
        (["churn", *SMALL, "--mount", "nodelalloc"], "--mount would be ignored"),
        (["churn", *SMALL, "--fidelity"], "--fidelity would be ignored"),
        (["churn", *SMALL, "--set", "chunk=1MiB"], 'has no "chunk"'),
        (["churn", *SMALL, "--fill", "0%"], "above 0 %"),
        (["churn", *SMALL, "--fill", "101%"], "above 0 %"),
        (["churn", *SMALL, "--fill", "80"], "no unit"),
        (["churn", *SMALL, "--time-limit", "0s"], "--time-limit"),
        (["churn", *SMALL, "--storage-age", "2", "--operations", "9"], "both say when to stop"),
        (["churn", *SMALL, "--records", "place"], "which is to be aged"),
        (["churn", *SMALL, "--records", "nowhere"], "there is no folder"),
        (["tidy", *SMALL], "tidy"),
    ],
)
def test_wrong_input_touches_nothing(
    fsgauge: Run, place: Path, words: list[str], said: str
) -> None:
    done = fsgauge("age", "place", *words)
    assert done.returncode == 2 and said in done.stderr and done.stdout == ""
    assert list(place.iterdir()) == [] and list(place.parent.iterdir()) == [place]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--mode", "fast"], "mode fast cannot overwrite on btrfs"),
        (["--fill", "80%"], "leaves no room for overwrites"),
        (["--fidelity"], "--fidelity would be ignored"),
    ],
)
def test_a_database_where_overwrites_are_copied(
    fsgauge: Run, tmp_path: Path, words: list[str], said: str
) -> None:
    done = fsgauge("age", "new.img", "database", "--system", "btrfs", *words)
    assert done.returncode == 2 and said in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_second_ageing_keeps_the_records_of_the_first(fsgauge: Run, place: Path) -> None:
    (place.parent / "place.after.json").write_text("mine")
    done = fsgauge("age", "place", "churn", *SMALL)
    assert done.returncode == 2 and "left alone" in done.stderr
    assert (place.parent / "place.after.json").read_text() == "mine"


def test_what_the_engine_refuses_is_wrong_input(fsgauge: Run, place: Path) -> None:
    done = fsgauge("age", "place", "churn", *SMALL, mode="refuse")
    assert done.returncode == 2 and done.stderr.startswith("error: no\ncause: it is so")
    assert list(place.iterdir()) == []


def test_ctrl_c_keeps_what_there_is(place: Path, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    environment = os.environ | {
        "FSGAUGE_ENGINE": str(ENGINE),
        "FSGAUGE_FAKE_ENGINE_MODE": "slow age",
        "FSGAUGE_FAKE_ENGINE_READY": str(ready),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "fsgauge", "age", "place", "churn", *SMALL],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        until = time.monotonic() + 30
        while not ready.exists():
            assert time.monotonic() < until, "the engine never came up"
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "stopped by Ctrl-C" in out and "stopping and keeping the result" in error
    assert json.loads((tmp_path / "place.age.json").read_text())["ended"] == "interrupted"


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """An aged image, as far as copies are concerned."""
    file = tmp_path / "aged.img"
    with file.open("wb") as made:
        made.truncate(8 << 20)
        made.seek(5 << 20)
        made.write(b"structures")
    (tmp_path / "elsewhere").mkdir()
    made_of = MadeTarget(file, checksum_of(file))
    document = document_of_age(made_of, worn(tmp_path / "elsewhere"), NOT_ASKED)
    keep_age(record_files(tmp_path, file.name), document)
    return file


def test_an_image_is_copied_and_its_copy_too(fsgauge: Run, image: Path) -> None:
    done = fsgauge("age", "copy.img", "--copy-of", "aged.img", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["how"] in ("reflink", "sparse copy")
    copy = image.with_name("copy.img")
    assert copy.read_bytes() == image.read_bytes()
    assert copy.stat().st_blocks <= 64
    assert fsgauge("age", "again.img", "--copy-of", "copy.img").returncode == 0


def test_an_image_that_changed_is_not_used_again(fsgauge: Run, image: Path) -> None:
    with image.open("r+b") as file:
        file.seek(5 << 20)
        file.write(b"S")
    before = sorted(image.parent.iterdir())
    done = fsgauge("age", "copy.img", "--copy-of", "aged.img")
    assert done.returncode == 2 and "has changed since it was aged" in done.stderr
    assert sorted(image.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["copy.img", "churn", "--copy-of", "aged.img"], "profile of its original"),
        (["copy.img", "--copy-of", "aged.img", "--seed", "2"], "--seed would be ignored"),
        (["elsewhere", "--copy-of", "aged.img"], "a copy is a new file"),
        (["aged.img", "--copy-of", "aged.img"], "exists already"),
        (["copy.img", "--copy-of", "elsewhere/aged"], "has no record"),
    ],
)
def test_copies_that_cannot_be(fsgauge: Run, image: Path, words: list[str], said: str) -> None:
    before = sorted(image.parent.iterdir())
    done = fsgauge("age", *words)
    assert done.returncode == 2 and said in done.stderr
    assert sorted(image.parent.iterdir()) == before
