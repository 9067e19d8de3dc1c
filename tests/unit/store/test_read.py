"""Reading a results folder: every stored format, and nothing but clear errors for the rest."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from fsgauge.errors import FsgaugeError, InputError
from fsgauge.plain_files import PlainFolder
from fsgauge.stats.read import read_stored
from fsgauge.store import read_results
from fsgauge.store.files import record_files
from fsgauge.store.query import asked
from fsgauge.store.rows import histograms
from fsgauge.store.seals import ChangedError
from tests.sealing import seal

DATA = Path(__file__).parents[2] / "data"
ROUNDS = 300


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DATA / "format-1", tmp_path / "study"))


@pytest.mark.parametrize("stored", sorted(DATA.glob("format-*")), ids=lambda path: path.name)
def test_every_format_stays_readable(stored: Path) -> None:
    """Stored once by the fsgauge of that format and never made again; see its README."""
    expected = json.loads((stored / "expected.json").read_text())
    study = read_results(stored)
    results = read_stored(study)
    operations = [
        sum(count for _, count in each.counts)
        for run in study.runs
        if run.result
        for each in histograms(run.result).values()
    ]
    assert len(study.runs) == expected["runs"]
    assert sum(operations) == expected["operations"]
    assert (
        sum(len(run.result.intervals) for run in study.runs if run.result)
        == (expected["intervals"])
    )
    assert results.sureness.runs_complete == expected["runs"]
    with asked(stored, "select sum(operations) from histograms") as answer:
        assert next(answer.batches()) == [(expected["operations"],)]


def test_random_damage_ends_in_words(folder: Path) -> None:
    """Cut short or with flipped bits anywhere: what is read is read whole, or refused in words."""
    chance = random.Random(1)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    refused = 0
    for _ in range(ROUNDS):
        path = chance.choice(files)
        before = path.read_bytes()
        path.write_bytes(_damaged(before, chance))
        try:
            for run in read_results(folder, accept_changed=True).runs:
                if run.result is not None:
                    for each in histograms(run.result).values():
                        list(each.counts)
                    list(run.result.intervals)
        except FsgaugeError as error:
            assert error.exit_code == 2
            assert error.cause
            refused += 1
        path.write_bytes(before)
    assert refused > ROUNDS / 4
    read_results(folder)


def _damaged(content: bytes, chance: random.Random) -> bytes:
    if chance.random() < 0.3 or not content:
        return content[: chance.randrange(len(content) + 1)]
    damaged = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        damaged[chance.randrange(len(damaged))] = chance.randrange(256)
    return bytes(damaged)


def test_a_run_of_another_study_is_refused(folder: Path) -> None:
    run = next(folder.glob("records/000-00*/00-*.json"))
    shutil.copy(run, run.with_name("01-stray.json"))
    seal(folder)
    with pytest.raises(InputError, match="not a run of this study's plan"):
        read_results(folder)


def test_a_newer_format_says_so(folder: Path) -> None:
    run = next(folder.glob("records/*/00-*.json"))
    run.write_text(json.dumps(json.loads(run.read_text()) | {"format": 2, "more": 1}))
    seal(folder)
    with pytest.raises(InputError, match="is in format 2; this fsgauge reads up to 1"):
        read_results(folder)


def test_a_newer_study_says_so_before_its_seals_are_judged(folder: Path) -> None:
    study = json.loads((folder / "study.json").read_text())
    (folder / "study.json").write_text(json.dumps(study | {"format": 2}))
    with pytest.raises(InputError, match="is in format 2; this fsgauge reads up to 1"):
        read_results(folder)


@pytest.mark.parametrize("name", ["environment-before.json", "study.toml", "series/000.json"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ChangedError) as refused:
        read_results(folder)
    assert refused.value.details == (f"{name}: it is missing",)
    with pytest.raises(InputError, match=f"{name} is missing"):
        read_results(folder, accept_changed=True)


def test_a_hundredth_run_comes_after_the_ninety_ninth(tmp_path: Path) -> None:
    turn = tmp_path / "records" / "1000-00-raw"
    turn.mkdir(parents=True)
    for position in (100, 99, 2):
        (turn / f"{position:02d}-cell.json").touch()
    (tmp_path / "records" / "999-00-raw").mkdir()
    (tmp_path / "records" / "999-00-raw" / "00-cell.json").touch()
    with PlainFolder.opened(tmp_path) as opened:
        names = [name.removeprefix("records/") for name in record_files(opened).runs]
    assert names == [
        "999-00-raw/00-cell.json",
        "1000-00-raw/02-cell.json",
        "1000-00-raw/99-cell.json",
        "1000-00-raw/100-cell.json",
    ]
