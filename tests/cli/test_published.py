"""`fsgauge published`: all claims, one study's, one in full, and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_all_claims_a_line_each(fsgauge: Run) -> None:
    done = fsgauge("published")
    assert done.returncode == 0
    lines = [line for line in done.stdout.splitlines() if line.startswith("  ")]
    assert len(lines) == 139


def test_one_study(fsgauge: Run) -> None:
    done = fsgauge("published", "writers")
    assert done.stdout.startswith("writers: File systems for a database")
    assert len(done.stdout.splitlines()) == 30


def test_one_claim_in_full(fsgauge: Run) -> None:
    said = fsgauge("published", "n-21").stdout
    assert "printed    total extents (backup): 74,82,988; 67,425" in said
    assert "computed   extents per file 254.1 (7482988 / 29451)" in said
    assert "in our words" in said and "verdict" in said


def test_a_claim_that_waits_has_the_command_that_says_for_what(fsgauge: Run) -> None:
    said = fsgauge("published", "D-27").stdout
    assert "waits for a disk with heads and" in said
    assert said.endswith("  next       fsgauge published run closson --plan\n")
    assert "  next " not in fsgauge("published", "D-15").stdout


def test_json(fsgauge: Run) -> None:
    (claim,) = json.loads(fsgauge("published", "D-15", "--json").stdout)
    assert (claim["id"], claim["study"], claim["kind"]) == ("D-15", "writers", "figure")
    assert claim["verdict"] and claim["trials"][0]["published_ratio"] > 1.37
    assert len(json.loads(fsgauge("published", "--json").stdout)) == 139


def test_an_unknown_id_is_refused(fsgauge: Run) -> None:
    done = fsgauge("published", "N-99")
    assert done.returncode == 2 and done.stdout == ""
    assert 'there is no claim or study "N-99"' in done.stderr
    assert "next: fsgauge published" in done.stderr


def test_ids_near_a_mistyped_one_are_named(fsgauge: Run) -> None:
    done = fsgauge("published", "ZZ-9")
    (line,) = [each for each in done.stderr.splitlines() if "did you mean" in each]
    assert done.returncode == 2 and "-09" in line
    study = fsgauge("published", "conections")
    assert "did you mean connections?" in study.stderr


def test_a_publication_that_is_not_there_is_refused_with_all_names(fsgauge: Run) -> None:
    done = fsgauge("published", "run", "sonexoin")
    assert done.returncode == 2 and "closson: File systems for a database" in done.stderr
    assert "next: fsgauge published run" in done.stderr


def test_what_is_no_archive_is_refused_with_the_command_that_makes_one(
    fsgauge: Run, tmp_path: Path
) -> None:
    path = tmp_path / "none.tar.xz"
    path.write_text("nothing")
    done = fsgauge("published", "--judge", str(path))
    assert done.returncode == 2 and "next: fsgauge published run" in done.stderr
    assert "Traceback" not in done.stderr
