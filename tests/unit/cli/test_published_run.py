"""A publication is run after all of its parts were looked at, and what takes long is asked for."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fsgauge.cli import published_run
from fsgauge.cli.published_run import Ahead, Asked, run_publication
from fsgauge.errors import InputError, Interrupted
from fsgauge.exit_codes import ExitCode
from fsgauge.machine.device.consent import Consent
from fsgauge.published import runs
from fsgauge.published.archive import LeftOut, read_archive
from fsgauge.published.ledger import StudyPart, ledger_of, parts_of
from fsgauge.published.runs import JudgedRun, NotValidError, run_of
from fsgauge.report import write_report
from fsgauge.study.parse import load_study
from tests.synthetic import make_study

HOUR = 3600.0


class Scene:
    """`fsgauge published run closson` on a machine that says of each part what it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
        self.path, self.began = path, False
        self.said: dict[str, Ahead | LeftOut] = {}
        monkeypatch.setattr(published_run, "_looked_at", self._looked_at)
        monkeypatch.setattr(published_run, "_run_all", self._run_all)

    def _looked_at(self, part: StudyPart, name: str, asked: Asked) -> Ahead | LeftOut:
        return self.said.get(part.study) or LeftOut(study=part.study, why="no KVM", next="build it")

    def _run_all(self, *_: Any) -> int:
        self.began = True
        return ExitCode.ANSWERED

    def takes(self, seconds: float, written_bytes: int = 0) -> None:
        part = next(e for e in parts_of("writers", ledger_of("writers")) if e.rig == "host")
        self.said[part.study] = Ahead(part, seconds, written_bytes)

    def run(self, *, yes: bool = False, plan_only: bool = False) -> None:
        consent = Consent(("SN 1",), True)
        run_publication(["closson"], self.path, "device:sdb", consent, yes=yes, plan_only=plan_only)


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Scene:
    return Scene(monkeypatch, tmp_path)


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, *, means_it: bool) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(published_run, "is_meant", lambda: means_it)


def test_what_can_be_run_and_what_cannot_is_said_before_anything_begins(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    scene.takes(600.0, 3 << 30)
    scene.run()
    said = capsys.readouterr().err
    assert "closson: File systems for a database" in said
    assert ", host: about 10 min, writes about 3 GiB" in said
    assert "writers-nfs-at-scale: not here, since no KVM; next: build it" in said
    assert scene.began


def test_the_plan_alone_is_printed_and_nothing_begins(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    scene.run(plan_only=True)
    assert "in all" not in capsys.readouterr().out
    scene.takes(5 * HOUR)
    scene.run(plan_only=True)
    said = capsys.readouterr()
    assert ", host: about 5 h" in said.out and "  in all: about 5 h" in said.out
    assert (said.err, scene.began) == ("", False)


@pytest.mark.parametrize(("seconds", "written"), [(5 * HOUR, 0), (1.0, 1 << 40)])
def test_what_takes_hours_or_terabytes_does_not_begin_by_itself(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, seconds: float, written: int
) -> None:
    scene.takes(seconds, written)
    with pytest.raises(InputError, match="no one to ask") as refused:
        scene.run()
    assert refused.value.next == (
        f"fsgauge published run closson --results {scene.path} --storage device:sdb"
        " --destroy 'SN 1' --discard-unknown-data --yes"
    )
    on_a_terminal(monkeypatch, means_it=False)
    with pytest.raises(Interrupted, match="nothing was started"):
        scene.run()
    assert not scene.began
    on_a_terminal(monkeypatch, means_it=True)
    scene.run()
    assert scene.began


def test_yes_is_an_answer(scene: Scene) -> None:
    scene.takes(5 * HOUR)
    scene.run(yes=True)
    assert scene.began


def test_where_no_part_can_be_run_each_says_why(scene: Scene) -> None:
    with pytest.raises(InputError, match="can run no part of closson") as refused:
        scene.run(yes=True)
    assert "writers-nfs-at-scale: no KVM" in refused.value.details
    assert refused.value.next == "build it"


def parts() -> list[StudyPart]:
    return parts_of("writers", ledger_of("writers"))


def test_a_part_that_has_begun_goes_on_in_its_folder(tmp_path: Path) -> None:
    made = make_study(blocks=4)
    some = replace(made, runs=[run for run in made.runs if run.block < 2])
    begun = some.write(tmp_path / "writers-at-scale-2026-11-27T08-00-00")
    part = next(each for each in parts() if each.study == "writers-at-scale")
    found = published_run._looked_at(part, "sonexion", Asked(tmp_path, None, None))
    assert isinstance(found, Ahead) and found.begun == begun
    assert found.words.startswith(f"goes on in {begun}, about ")


def test_a_part_that_a_machine_refuses_is_left_out_with_what_helps(tmp_path: Path) -> None:
    part = next(each for each in parts() if each.study == "writers-at-scale")
    found = published_run._looked_at(
        part, "sonexion", Asked(tmp_path, "path:/nowhere/at/all", None)
    )
    assert isinstance(found, LeftOut) and "/nowhere/at/all" in found.why and found.next


def test_what_decides_nothing_without_heads_asks_for_a_disk(tmp_path: Path) -> None:
    part = next(
        e for e in parts_of("aging", ledger_of("aging")) if e.needs_heads and e.rig == "host"
    )
    found = published_run._looked_at(part, "sonexion", Asked(tmp_path, None, None))
    assert isinstance(found, LeftOut) and "a disk with heads" in found.why
    assert found.next.startswith("fsgauge published run sonexion --results ")
    assert found.next.endswith("--storage /dev/disk/by-id/NAME --destroy SERIAL")


def test_what_decides_nothing_in_memory_asks_for_larger_storage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It ran for an hour on 4 GiB and decided nothing of 14 figures."""
    from fsgauge.machine.facts import limits

    every = parts_of("connections", ledger_of("connections"))
    part = next(each for each in every if each.study == "connections-at-scale")
    other = next(each for each in every if each.study == "connections-by-protocol-at-scale")
    study = load_study(str(part.path))
    for memory_bytes, words in ((24 << 30, "--storage loop:96GiB, or less memory"), (1 << 30, "")):
        monkeypatch.setattr(limits, "total_memory_bytes", lambda found=memory_bytes: found)
        said = published_run._too_small(part, study)
        assert words in said and bool(said) == bool(words)
        assert said in Ahead(part, 60.0, 0, caution=said).words
        assert published_run._too_small(other, load_study(str(other.path))) == ""


def two_parts(folder: Path) -> tuple[StudyPart, StudyPart, Path, JudgedRun]:
    """The parts of flash that this machine measures, a results folder, and a run that was judged;
    the folder is named after the second of them."""
    first, second = [e for e in parts_of("overhead", ledger_of("overhead")) if e.rig == "host"]
    whole = make_study(block_sizes=(4096,), blocks=4).write(folder / f"{second.study}-2026")
    write_report(whole)
    kept = run_of("overhead", first.study)
    assert kept is not None
    return first, second, whole, kept


@pytest.mark.usefixtures("blank_pictures")
def test_a_signal_between_two_runs_packs_what_was_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """While statistics and a page were made, SIGTERM ended it without a word or an archive."""
    ledger = ledger_of("overhead")
    first, second, whole, kept = two_parts(tmp_path)

    def measured(each: Ahead, asked: Asked) -> tuple[Path, JudgedRun]:
        if each.part is second:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(30)
        return whole, kept

    monkeypatch.setattr(published_run, "_measured", measured)
    ahead = [Ahead(part, 1.0, 0, whole) for part in (first, second)]
    with pytest.raises(Interrupted, match="ended by SIGTERM") as stop:
        published_run._run_all("overhead", ledger, ahead, [], Asked(tmp_path, None, None))
    assert stop.value.next == f"fsgauge published run flash --results {tmp_path}"
    contents = read_archive(tmp_path / "published-flash.tar.xz").contents
    assert contents.studies == [first.study]
    assert [each.study for each in contents.left_out] == [second.study]
    assert (tmp_path / "published-flash.html").is_file()


@pytest.mark.usefixtures("blank_pictures")
def test_a_run_that_is_not_valid_is_a_finding_beside_one_that_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It ended with 0, data lost or not, as long as another part could be judged."""
    ledger = ledger_of("overhead")
    first, second, whole, kept = two_parts(tmp_path)

    def measured(each: Ahead, asked: Asked) -> tuple[Path, JudgedRun]:
        if each.part is second:
            raise NotValidError("the run is not valid: data was lost", next="fsgauge doctor")
        return whole, kept

    monkeypatch.setattr(published_run, "_measured", measured)
    asked = Asked(tmp_path, None, None)
    both = [Ahead(part, 1.0, 0, whole) for part in (first, second)]
    assert published_run._run_all("overhead", ledger, both, [], asked) == ExitCode.FINDING
    with pytest.raises(NotValidError, match="no run of flash can be judged") as none:
        published_run._run_all("overhead", ledger, both[1:], [], asked)
    assert none.value.exit_code == ExitCode.FINDING


@pytest.mark.usefixtures("blank_pictures")
def test_a_report_of_an_earlier_fsgauge_is_made_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It was judged as it was, and packed: without what statistics have come to know since."""
    whole = make_study(block_sizes=(4096,), blocks=2).write(tmp_path / "whole")
    (whole / "report.json").write_text('{"answer": "as of earlier"}')
    monkeypatch.setattr(runs, "judge", lambda directory, results: (directory, results))
    monkeypatch.setattr(published_run, "_go_on", lambda *_: None)
    part = parts_of("overhead", ledger_of("overhead"))[0]
    found: Any = published_run._measured(Ahead(part, 0.0, 0, whole), Asked(tmp_path, None, None))
    assert found[1].answer != "as of earlier"
    assert "as of earlier" not in (whole / "report.json").read_text()


def test_a_run_on_another_storage_is_not_taken_for_one_on_what_was_asked_for(
    tmp_path: Path,
) -> None:
    part = next(each for each in parts() if each.study == "writers-at-scale")
    made = make_study(blocks=4)
    begun = made.write(tmp_path / "writers-at-scale-2026-11-27T08-00-00")
    assert published_run._begun(part, Asked(tmp_path, None, None)) == begun
    assert published_run._begun(part, Asked(tmp_path, "ram:3GiB", None)) is None
    shipped = load_study(str(part.path), [], [], "ram:3GiB", None).model_dump(
        mode="json", by_alias=True
    )
    study = {**made.study.study, "storage": shipped["storage"]}
    record = made.study.model_copy(update={"study": study})
    same = replace(made, study=record).write(tmp_path / "writers-at-scale-2026-11-26T08-00-00")
    assert published_run._begun(part, Asked(tmp_path, "ram:3GiB", None)) == same
    (same / "journal.ndjson").unlink()
    assert published_run._begun(part, Asked(tmp_path, "ram:3GiB", None)) == same
