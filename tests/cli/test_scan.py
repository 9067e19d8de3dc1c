"""`fsgauge scan` from the outside: text, data, page, comparison, refusals, Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fsgauge.cli.scan import command
from tests.cli.conftest import ENGINE, Run
from tests.patience import patience


def test_the_answer_comes_first_and_nothing_is_written(fsgauge: Run, tmp_path: Path) -> None:
    done = fsgauge("scan", "/place")
    assert done.returncode == 0 and done.stderr == ""
    first, second, *_ = done.stdout.splitlines()
    assert first.startswith("/place  ext4, 64 MiB") and "2 files in 4 extents" in first
    assert second.startswith("means ") and "\nfree  " in done.stdout
    assert "--page scan.html" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_json_is_one_object_with_flat_numbers_and_everything(fsgauge: Run) -> None:
    done = fsgauge("scan", "/place", "--json")
    document = json.loads(done.stdout)
    assert (document["files"], document["extents"], document["extents_per_file"]) == (3, 4, 2.0)
    assert document["largest_free_bytes"] == 16 << 20
    assert len(document["result"]["map"]["data"]) == 4**8


def test_the_place_is_kept_as_a_whole_path(fsgauge: Run, tmp_path: Path) -> None:
    document = json.loads(fsgauge("scan", "folder", "--json").stdout)
    assert document["path"] == str(tmp_path / "folder")


def test_what_this_user_may_not_read_is_left_to_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mounted device need not be opened: what is mounted is scanned."""
    monkeypatch.setattr("os.access", lambda *_: False)
    assert command.params[0].type.convert(str(tmp_path), None, None) == tmp_path


def test_a_page_is_written_where_it_was_asked_for(fsgauge: Run, tmp_path: Path) -> None:
    done = fsgauge("scan", "/place", "--page", "map.html")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].split() == ["picture", "map.html"]
    assert "data:image/png" in (tmp_path / "map.html").read_text()


def test_a_file_of_somebody_else_is_not_replaced(fsgauge: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.html").write_text("mine")
    done = fsgauge("scan", "/place", "--page", "notes.html")
    assert done.returncode == 2 and "left alone" in done.stderr and done.stdout == ""
    assert (tmp_path / "notes.html").read_text() == "mine"


def test_two_scans_are_put_side_by_side(fsgauge: Run, tmp_path: Path) -> None:
    kept = fsgauge("scan", "/place", "--json").stdout
    changed = json.loads(kept)
    changed["result"]["counts"]["extents"] = 2
    (tmp_path / "before.json").write_text(json.dumps(changed))
    done = fsgauge("scan", "/place", "--against", "before.json", "--page", "both.html")
    row = next(line for line in done.stdout.splitlines() if line.startswith("extents per file"))
    assert row.split()[-3:] == ["1.000", "2.000", "+1.000"]
    said = re.search(r"means +(Since .+: extents per file from 1.00 to 2.00.*)", done.stdout)
    assert said is not None and done.stdout.index("means") == said.start()
    page = (tmp_path / "both.html").read_text()
    assert 'id="difference"' in page and f'<p class="answer">{said[1]}.</p>' in page
    assert page.count('class="answer"') == 1
    document = json.loads(fsgauge("scan", "/place", "--against", "before.json", "--json").stdout)
    assert document["before"]["extents"] == 2 and document["difference"]["extents"] == 2
    assert document["since"] == said[1]


def test_kept_scans_need_no_engine(fsgauge: Run, tmp_path: Path) -> None:
    (tmp_path / "kept.json").write_text(fsgauge("scan", "/place", "--json").stdout)
    done = fsgauge("scan", "kept.json", "--against", "kept.json", FSGAUGE_ENGINE="/nothing")
    assert done.returncode == 0 and "2 files in 4 extents" in done.stdout
    today = fsgauge("scan", "kept.json", "--mb-groups", "groups")
    assert today.returncode == 2 and "--mb-groups is of a file system" in today.stderr
    assert not (tmp_path / "groups").exists(), "those of today are not of an old scan"


@pytest.mark.parametrize("text", ["", "{}", '{"kind": "scan", "format": 9}'])
def test_what_is_no_kept_scan_is_refused(fsgauge: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "other.json").write_text(text)
    done = fsgauge("scan", "/place", "--against", "other.json")
    assert done.returncode == 2 and done.stderr.startswith("error: other.json")


def test_what_the_engine_refuses_is_wrong_input(fsgauge: Run) -> None:
    done = fsgauge("scan", "/place", mode="refuse")
    assert done.returncode == 2 and done.stderr.startswith("error: no\ncause: it is so")


def test_an_engine_that_dies_is_a_failure(fsgauge: Run) -> None:
    assert fsgauge("scan", "/place", mode="silent").returncode == 3


def test_a_name_that_is_no_text_is_refused(fsgauge: Run) -> None:
    done = fsgauge("scan", os.fsdecode(b"/place/\xff"))
    assert done.returncode == 2 and "UTF-8" in done.stderr


def test_ctrl_c_gives_what_there_is(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    environment = os.environ | {
        "FSGAUGE_ENGINE": str(ENGINE),
        "FSGAUGE_FAKE_ENGINE_MODE": "slow",
        "FSGAUGE_FAKE_ENGINE_READY": str(ready),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "fsgauge", "scan", "/place", "--json"],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        _wait_for(ready)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=patience(30))
    finally:
        process.kill()
    assert process.returncode == 130
    document = json.loads(out)
    assert document["complete"] is False and document["files"] == 3
    assert "stopping and keeping the result" in error


def _wait_for(file: Path) -> None:
    until = time.monotonic() + 30
    while not file.exists():
        assert time.monotonic() < until, "the engine never came up"
        time.sleep(0.05)


def test_an_empty_region_is_named_and_is_in_the_data(fsgauge: Run) -> None:
    done = fsgauge("scan", "/place", "--empty-region", "16MiB")
    assert done.returncode == 0 and "empty region groups" in done.stdout
    document = json.loads(fsgauge("scan", "/place", "--empty-region", "16MiB", "--json").stdout)
    assert document["empty_region"]["size_bytes"] == 16 << 20


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["16"], '--empty-region: "16" has no unit'),
        (["0B"], "--empty-region must be at least 1 B"),
        (["1TiB"], "no groups side by side have 1 TiB"),
    ],
)
def test_a_region_that_cannot_be_named_is_refused(
    fsgauge: Run, arguments: list[str], words: str
) -> None:
    done = fsgauge("scan", "/place", "--empty-region", *arguments)
    assert done.returncode == 2 and words in done.stderr


@pytest.mark.parametrize("option", ["--save", "--watch", "--mb-groups", "--page"])
def test_what_cannot_be_written_is_said_before_the_scan(
    fsgauge: Run, tmp_path: Path, option: str
) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    for name, words in (
        ("no/f", "there is no folder no"),
        ("link", "link "),
        ("-", "- would be a file"),
    ):
        done = fsgauge("scan", "/place", option, name, FSGAUGE_ENGINE="/nothing")
        assert done.returncode == 2 and words in done.stderr, (name, done.stderr)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link"]


def test_names_of_files_are_escaped_in_every_line(fsgauge: Run, tmp_path: Path) -> None:
    options = [("--save", "a\n\x1b.json"), ("--watch", "a\n\x1b.w"), ("--page", "a\n\x1b.html")]
    for option, name in options:
        done = fsgauge("scan", "/place", option, name)
        assert (tmp_path / name).exists() and "\x1b" not in done.stdout + done.stderr
        assert name.encode("unicode_escape").decode() in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("",),
        ("/place", "--page", ""),
        ("/place", "--against", ""),
        ("/place", "--save", ""),
        ("/place", "--watch", ""),
        ("/place", "--mb-groups", ""),
        ("/place", "--empty-region", ""),
        ("/place", "--top", ""),
    ],
)
def test_an_empty_word_is_refused_and_not_the_current_folder(
    fsgauge: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """`fsgauge scan "$DISK"` scanned whatever folder the shell was in."""
    done = fsgauge("scan", *words, FSGAUGE_ENGINE="/nothing")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.splitlines()[0].startswith("error: a word of the command is empty: fsgauge")
    assert "set -u" in done.stderr and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("word", [" ", "-", ".//", "~", "*", "$DISK", "\t", "a" * 5000])
def test_an_odd_word_is_a_path_like_any_other(fsgauge: Run, tmp_path: Path, word: str) -> None:
    done = fsgauge("scan", word, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["path"] == str(tmp_path / word)
