"""Chromium that fails, is silent or is killed: an error in time, no process and no file stays."""

from __future__ import annotations

import os
import stat
import tempfile
import time
from pathlib import Path

import pytest

from fsgauge import chromium
from fsgauge.chromium import as_pdf, find_chromium
from fsgauge.errors import Interrupted, RigError


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of temporary folders that has to be empty in the end; what stays is soon killed."""
    monkeypatch.setattr(chromium, "_END_SECONDS", 0.2)
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def program(tmp_path: Path, script: str) -> str:
    file = tmp_path / "chromium"
    file.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\n{script}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return str(file)


def is_running(tmp_path: Path) -> bool:
    pid = int((tmp_path / "pid").read_text())
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_one_that_says_nothing_is_ended_in_time(tmp_path: Path, places: Path) -> None:
    silent = program(tmp_path, "sleep 600")
    begun = time.monotonic()
    with pytest.raises(RigError, match="did not answer in time"):
        as_pdf(silent, "<p>page</p>", seconds=0.5)
    assert time.monotonic() - begun < 20
    assert not is_running(tmp_path)
    assert list(places.iterdir()) == []


def test_one_that_fails_is_quoted(tmp_path: Path, places: Path) -> None:
    broken = program(tmp_path, 'echo "no usable sandbox" >&2; exit 1')
    with pytest.raises(RigError, match="ended before") as caught:
        as_pdf(broken, "<p>page</p>", seconds=20)
    assert caught.value.details == ("no usable sandbox",)
    assert list(places.iterdir()) == []


def test_a_large_page_to_one_that_does_not_read_is_ended_too(tmp_path: Path, places: Path) -> None:
    answers = "".join(
        f"printf '%s\\0' '{words}' >&4; "
        for words in (
            '{"id":1,"result":{"targetId":"t"}}',
            '{"id":2,"result":{"sessionId":"s"}}',
            *(f'{{"id":{number},"result":{{}}}}' for number in range(3, 7)),
        )
    )
    deaf = program(tmp_path, f"{answers}sleep 600")
    with pytest.raises(RigError, match="did not answer in time"):
        as_pdf(deaf, "x" * (1 << 20), seconds=1)
    assert not is_running(tmp_path)
    assert list(places.iterdir()) == []


def test_an_interruption_leaves_nothing(
    tmp_path: Path, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise Interrupted("ended by SIGTERM")

    monkeypatch.setattr("select.select", interrupted)
    with pytest.raises(Interrupted):
        as_pdf(program(tmp_path, "sleep 600"), "<p>page</p>")
    assert list(places.iterdir()) == []


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome"])
def test_it_is_found_under_its_usual_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file = tmp_path / name
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    monkeypatch.setattr("fsgauge.chromium.search_path", lambda: str(tmp_path))
    assert find_chromium() == str(file)


def test_none_is_found_where_none_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fsgauge.chromium.search_path", lambda: str(tmp_path))
    assert find_chromium() is None
