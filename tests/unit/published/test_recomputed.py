"""Verdicts recomputed from an archive's records, by a program that cannot import fsgauge."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from fsgauge import __version__, kinds
from fsgauge.engine.client import Engine
from fsgauge.progress import Progress
from fsgauge.published.archive import FORMAT, Contents, LeftOut, read_archive, write_archive
from fsgauge.published.ledger import Claim, ledger_of
from fsgauge.published.runs import JudgedRun, judge, run_of
from fsgauge.published.standing import Predicted, predicted
from fsgauge.published.verdict import judged as verdict_of
from fsgauge.report import write_report
from fsgauge.rig.simulator.rig import SimulatorRig
from fsgauge.run import run_study
from fsgauge.study.parse import load_study
from tests.patience import patience
from tests.synthetic_writers import make_writers

SCRIPT = Path(__file__).parents[3] / "scripts/recompute-verdicts"
STUDY = "aging-predicted"
SPAN = re.compile(r"([0-9.]+) to ([0-9.]+)")
LINE = re.compile(r"^(S-\d\d)  (met|missed) +(.*)$")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the study that was published on, on a small region in two blocks."""
    place = tmp_path_factory.mktemp("sonexion")
    study = load_study(
        str(kinds.verdict_files("aging")[f"{STUDY}.toml"]),
        ["plan.blocks=2"],
        storage="simulated:8GiB",
        seed=1,
    )
    outcome = run_study(
        study,
        rig=SimulatorRig(Engine()),
        results=place,
        destroy=None,
        command=["fsgauge"],
        progress=Progress(),
    )
    assert outcome.ended_by is None, outcome.ended_by
    write_report(outcome.directory)
    contents = Contents(
        format=FORMAT,
        fsgauge=__version__,
        publication="sonexion",
        studies=[STUDY],
        left_out=[LeftOut(study="aging-at-scale", why="no disk with heads")],
    )
    run = judge(outcome.directory)[1]
    return write_archive(place / "sonexion.tar.xz", contents, [(outcome.directory, run)])


def recomputed(archive: Path) -> subprocess.CompletedProcess[str]:
    """The script's answer: isolated, without site-packages, it has the standard library alone."""
    command = [sys.executable, "-I", "-S", str(SCRIPT), str(archive)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=patience(60)
    )


@pytest.mark.usefixtures("blank_pictures")
def test_eleven_verdicts_come_out_as_fsgauge_has_them(archive: Path) -> None:
    done = recomputed(archive)
    assert done.returncode == 0, done.stdout + done.stderr
    found = {match[1]: match for line in done.stdout.splitlines() if (match := LINE.match(line))}
    assert len(found) >= 10
    assert {match[2] for match in found.values()} == {"met", "missed"}
    for claim, match in found.items():
        own = judged(archive, claim)
        was_met = "missed" not in {each.met for each in own}
        assert (match[2] == "met") == was_met, (match[0], own)
        if span := SPAN.search(match[3]):
            low = min(each.low for each in own if each.low is not None)
            high = max(each.high for each in own if each.high is not None)
            assert float(span[1]) == pytest.approx(low, rel=0.006), match[0]
            assert float(span[2]) == pytest.approx(high, rel=0.006), match[0]


WRITERS = "writers-at-scale"
WRITERS_LINE = re.compile(r"^(D-\d\d)  (met|missed|open) +(.*)$")
OF_IDEAL = {"ext3": 0.5, "ext4": 0.9, "xfs": 0.7, "raw": 0.96}
MEANT = {"confirmed": "met", "direction confirmed": "met", "refuted": "missed"}


def own_words(run: JudgedRun, claim: Claim, line: re.Match[str]) -> set[str]:
    """What fsgauge makes of a claim's trials, whose ratios are those of the line."""
    printed = [float(each) for each in re.findall(r": ([0-9.]+) \(", line[3])]
    for trial, ratio in zip(claim.trials, printed, strict=True):
        (seen,) = run.of(claim, trial)
        assert ratio == pytest.approx(seen.value, rel=0.006), line[0]
    words = {verdict_of(each, None, run.of(claim, each)).word for each in claim.trials}
    return {MEANT.get(word, "open") for word in words}


@pytest.mark.usefixtures("blank_pictures")
def test_what_was_measured_of_writers_comes_out_as_fsgauge_has_it(tmp_path: Path) -> None:
    """Two writers do so much of the ideal; the other half of the publication was not run."""
    folder = make_writers(
        systems={name: name for name in OF_IDEAL},
        rate=lambda system, n: 20_000.0 * n * (OF_IDEAL[system] if n == 2 else 1.0),
    ).write(tmp_path / "results")
    write_report(folder)
    report = json.loads((folder / "report.json").read_text("utf-8"))
    (folder / "report.json").write_text(json.dumps({**report, "study": WRITERS}))
    run = run_of("writers", WRITERS)
    assert run is not None
    contents = Contents(
        format=FORMAT, fsgauge=__version__, publication="closson", studies=[WRITERS], left_out=[]
    )
    path = write_archive(tmp_path / "closson.tar.xz", contents, [(folder, run)])
    done = recomputed(path)
    assert done.returncode == 1 and "D-13  not in the archive" in done.stdout, done.stderr
    lines = [WRITERS_LINE.match(line) for line in done.stdout.splitlines()]
    found = {match[1]: match for match in lines if match}
    assert {claim: match[2] for claim, match in found.items() if claim != "D-16"} == {
        "D-01": "missed",
        "D-02": "met",
        "D-03": "missed",
        "D-12": "met",
        "D-15": "met",
    }
    run = read_archive(path).runs[WRITERS]
    for name, match in found.items():
        own = own_words(run, ledger_of("writers").of(name), match)
        assert match[2] == next(e for e in ("missed", "open", "met") if e in own), match[0]


OF_CLIENTS = Path(__file__).parents[3] / "docs/evidence/archives/nss.tar.xz"
CLIENTS_LINE = re.compile(r"^(N-\d\d)  (met|missed|open) +(.*)$")


def test_the_archive_of_clients_comes_out_as_fsgauge_has_it() -> None:
    """Response times, times to complete and rates, of the records that are published."""
    done = recomputed(OF_CLIENTS)
    assert done.returncode == 0, done.stdout + done.stderr
    found = {
        match[1]: match for line in done.stdout.splitlines() if (match := CLIENTS_LINE.match(line))
    }
    assert len(found) == 15
    run = read_archive(OF_CLIENTS).runs["connections-at-scale"]
    for name, match in found.items():
        own = own_words(run, ledger_of("connections").of(name), match)
        assert own == {match[2]}, match[0]


@pytest.mark.usefixtures("blank_pictures")
def test_a_publication_that_it_does_not_know_is_named(tmp_path: Path) -> None:
    contents = Contents(
        format=FORMAT, fsgauge=__version__, publication="flash", studies=[], left_out=[]
    )
    done = recomputed(write_archive(tmp_path / "flash.tar.xz", contents, []))
    assert done.returncode == 1
    assert done.stdout.endswith("is of flash: known here are sonexion, closson, nss\n")


@pytest.mark.usefixtures("blank_pictures")
def test_without_its_records_nothing_is_recomputed(tmp_path: Path) -> None:
    contents = Contents(
        format=FORMAT, fsgauge=__version__, publication="sonexion", studies=[], left_out=[]
    )
    done = recomputed(write_archive(tmp_path / "empty.tar.xz", contents, []))
    assert done.returncode == 1 and "not in the archive" in done.stdout
    assert "Traceback" not in done.stderr
    damaged = bytearray((tmp_path / "empty.tar.xz").read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    (tmp_path / "damaged").write_bytes(damaged)
    for wrong in (tmp_path / "none", tmp_path, tmp_path / "damaged"):
        done = recomputed(wrong)
        assert done.returncode == 1 and "is no whole archive" in done.stdout, done.stderr


def test_a_run_that_failed_is_left_out(tmp_path: Path) -> None:
    """A record without parts ended the script with "float division by zero"."""
    cell = {"kind": "aging", "factors": {"side": "write"}}
    record = json.dumps({"cell": cell, "parts": [], "system": "1 MiB", "block": 0}).encode()
    with tarfile.open(tmp_path / "x.tar.xz", "w:xz") as packed:
        entry = tarfile.TarInfo(f"{STUDY}/records/turn-0/run-0.json")
        entry.size = len(record)
        packed.addfile(entry, io.BytesIO(record))
    done = recomputed(tmp_path / "x.tar.xz")
    assert done.returncode == 1 and "not in the archive" in done.stdout and done.stderr == ""


@pytest.mark.parametrize(
    "text", [b"[" * 100_000, b'{"cell": 1}', b'{"cell": {"kind": "writers"}, "parts": [{}]}']
)
def test_what_is_no_record_is_a_sentence(tmp_path: Path, text: bytes) -> None:
    with tarfile.open(tmp_path / "x.tar.xz", "w:xz") as packed:
        entry = tarfile.TarInfo(f"{STUDY}/records/turn-0/run-0.json")
        entry.size = len(text)
        packed.addfile(entry, io.BytesIO(text))
    done = recomputed(tmp_path / "x.tar.xz")
    assert done.returncode == 1 and "is no whole archive" in done.stdout, done.stdout
    assert done.stderr == ""


def judged(archive: Path, name: str) -> list[Predicted]:
    """What fsgauge makes of the same archive: the predictions by that study alone."""
    runs = read_archive(archive).runs
    claim = ledger_of("aging").of(name)
    return [
        predicted(claim, each, [runs[STUDY]])
        for each in claim.predictions
        if each.studies == [STUDY]
    ]
