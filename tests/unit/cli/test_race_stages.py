"""What follows a race: begun where it is over, and gone on with where that was cut short."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fsgauge.choosing.options import KINDS, Option, Proposed, every_option, proposed
from fsgauge.choosing.race_study import systems_of
from fsgauge.cli import race_stages
from fsgauge.cli.choose import _part_of
from fsgauge.cli.execution import Ended
from fsgauge.cli.race_stages import RACED, How, go_on, tell, without_refused
from fsgauge.cli.run import not_asked
from fsgauge.errors import FsgaugeError, InputError
from fsgauge.exit_codes import ExitCode
from fsgauge.plan.cost import ShortBudgetError, longer
from fsgauge.progress import Progress
from fsgauge.report.write import write_report
from fsgauge.run import run_study
from fsgauge.stats.choosing.effects import settings_of
from fsgauge.store import read_results
from fsgauge.study.model import SimulatedStorage, Study
from fsgauge.study.parse import load_study, parse_study
from fsgauge.study.varying import Value, system_at
from tests.laboratory import NoDiskRig
from tests.synthetic_race import RacingEngine, race_study

Went = list[tuple[str, Path, dict[str, Any]]]


@pytest.fixture
def went(monkeypatch: pytest.MonkeyPatch) -> Went:
    """What was begun, or gone on with, and where."""
    found: Went = []

    def began(_study: Study, *, results: Path, **more: Any) -> Ended:
        found.append(("begun", results, more))
        return Ended(ExitCode.FAILED, None)

    def again(directory: Path, *_: object, **more: Any) -> Ended:
        found.append(("gone on with", directory, more))
        return Ended(ExitCode.ANSWERED, None)

    monkeypatch.setattr(race_stages, "execute", began)
    monkeypatch.setattr(race_stages, "execute_again", again)
    monkeypatch.setattr(race_stages, "without_refused", lambda study, *_: (study, ()))
    monkeypatch.setattr(race_stages, "tell", lambda *_: None)
    monkeypatch.setattr(
        "fsgauge.choosing.race_study.around_winner",
        lambda study, text, winner: study if (text, winner) == ("its vary", "two") else None,
    )
    return found


def raced(results: Path, text: str = "its vary", engine: RacingEngine | None = None) -> Path:
    outcome = run_study(
        race_study(),
        rig=NoDiskRig(engine or RacingEngine()),
        results=results,
        destroy=None,
        command=["fsgauge", "choose"],
        progress=Progress(),
        beside={RACED: text} if text else {},
    )
    write_report(outcome.directory)
    return outcome.directory


def followed(directory: Path) -> int:
    return go_on(directory, How(lambda _: NoDiskRig(RacingEngine()), None, None, not_asked))


def test_a_second_race_is_begun_in_the_folder_of_the_first(went: Went, tmp_path: Path) -> None:
    directory = raced(tmp_path)
    assert followed(directory) == ExitCode.FAILED
    ((what, where, more),) = went
    assert (what, where) == ("begun", directory / "second")
    systems = [each.name for each in parse_study(more["beside"][RACED], "x", "x").systems]
    assert systems == [each.name for each in race_study().systems]


def test_one_that_was_begun_is_gone_on_with(went: Went, tmp_path: Path) -> None:
    """`resume` ended the first race and began no second one."""
    directory = raced(tmp_path)
    for name in ("a", "b"):
        (directory / "second" / name).mkdir(parents=True)
    assert followed(directory) == ExitCode.FAILED
    (directory / "second" / "a" / "study.json").touch()
    assert followed(directory) == ExitCode.ANSWERED
    assert [(what, where.name) for what, where, _ in went] == [
        ("begun", "second"),
        ("gone on with", "a"),
    ]


def test_nothing_follows_a_race_that_is_not_over_or_that_run_began(
    went: Went, tmp_path: Path
) -> None:
    cut = raced(tmp_path / "cut", engine=RacingEngine(20))
    for directory in (cut, raced(tmp_path / "of_run", ""), raced(tmp_path / "whole", "all of it")):
        assert followed(directory) == ExitCode.ANSWERED
    assert went == []
    assert "choose.toml" in (cut / "journal.ndjson").read_text(), "a change of it is seen"
    assert read_results(cut).changes == ()


def test_finalists_of_models_are_measured_here_or_named(
    went: Went, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refused: list[InputError] = []
    monkeypatch.setattr(NoDiskRig, "refusals", lambda *_: refused)
    simulated = SimulatedStorage(size=1 << 26)
    monkeypatch.setattr(
        "fsgauge.choosing.race_study.on_host",
        lambda study, _: study.model_copy(update={"storage": simulated}),
    )
    directory = raced(tmp_path, "of models")
    followed(directory)
    assert [(what, where) for what, where, _ in went] == [("begun", directory / "finalists")]
    assert not (directory / "finalists.toml").exists()
    refused.append(InputError("only root makes file systems"))
    for each in (directory, raced(tmp_path / "of_run", "")):
        assert followed(each) == ExitCode.ANSWERED
        told = f"measure   the finalists on this machine: fsgauge run {each}/finalists.toml"
        assert told in capsys.readouterr().err
        assert (each / "finalists.toml").is_file()
    assert len(went) == 1


class Refusing(NoDiskRig):
    """Refuses every system of a kind that has all of these settings."""

    def __init__(self, kind: str, settings: Mapping[str, str]) -> None:
        super().__init__(RacingEngine())
        self.kind, self.settings = kind, settings.items()

    def refused_alone(self, study: Study, destroy: object = None) -> dict[str, list[FsgaugeError]]:
        return {
            each.name: [InputError(f'mkfs refused the options of the system "{each.name}"')]
            for each in study.systems
            if each.kind == self.kind and self.settings <= settings_of(each.model_dump()).items()
        }


TRIED = [
    (kind, option, value)
    for option in every_option()
    for kind in option.kinds
    for value in option.tried
]


@pytest.mark.parametrize(("kind", "option", "value"), TRIED)
def test_what_is_refused_by_itself_is_not_proposed_and_others_have_its_room(
    kind: str, option: Option, value: Value, capsys: pytest.CaptureFixture[str]
) -> None:
    """`choose mix-mail` began with "failed": a log of 256 MiB is too large for XFS of 1 GiB, and
    half of its systems were not raced."""
    propose = partial(proposed, KINDS, option.loads, safe=False)
    first = {each.name for each in systems_of(propose(()))}
    alone = system_at({"name": kind}, {option.key: value})
    study = load_study("overhead", ["plan.mode=race"], ["ext4", "xfs"])
    study = study.model_copy(update={"systems": systems_of(propose(()))})
    study, found = without_refused(study, Refusing(kind, settings_of(alone)), None, propose)
    said = capsys.readouterr().err.splitlines()
    has = [each for each in study.systems if each.name == alone["name"]]
    assert not has and found == propose([alone["name"]] if said else [])
    assert len(study.systems) == len(systems_of(found)), "all that is proposed is taken"
    if alone["name"] in first:
        (line,) = said
        assert line.startswith(f"left out  {alone['name']}") and "mkfs refused its options" in line
        assert 2 * len(study.systems) >= len(first), "others have its room"
    else:
        assert not said


def test_of_two_that_are_refused_together_each_stays(capsys: pytest.CaptureFixture[str]) -> None:
    propose = partial(proposed, ["ext4"], ["commits"], safe=True)
    found: Proposed = propose(())[0]
    first, second = (each.words for each in found.crossed[:2])
    study = load_study("overhead", ["plan.mode=race"], ["ext4", "xfs"])
    study = study.model_copy(update={"systems": systems_of([found])})
    both = system_at({"name": "ext4"}, {each.key: each.tried[0] for each in found.crossed[:2]})
    left, same = without_refused(study, Refusing("ext4", settings_of(both)), None, propose)
    assert same == [found] and 2 < len(left.systems) < len(study.systems)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("left out  ext4 (") and first in line and second in line


def test_two_races_share_one_budget_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second one had as much again; then "--budget 5min" was called "150 s"."""
    study = load_study("overhead", ["plan.mode=race", "plan.budget=1 h"], ["ext4", "xfs"])
    monkeypatch.setattr(race_stages, "_cost_lines", lambda *_: [])
    tell(study, None, sys.stdout, (), 2)  # type: ignore[arg-type]
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("then      a second race around the winner")
    assert said[1] == "budget    2 h: half each for two races"
    tell(study, None, sys.stdout)  # type: ignore[arg-type]
    assert capsys.readouterr().out.strip() == ""


def test_a_budget_that_is_too_short_for_two_races_is_refused_with_one_for_both() -> None:
    """The budget in the refusal was enough for half of it, and was refused again."""

    def told(budget: str) -> None:
        changes = ["plan.mode=race", f"plan.budget={budget}", "workload.duration=1min"]
        half = _part_of(load_study("overhead", changes, ["ext4", "xfs"], seed=1), 2)
        tell(half, NoDiskRig(RacingEngine()), sys.stderr, (), 2)

    with pytest.raises(InputError, match="is too short for 3 blocks") as error:
        told("2 s")
    assert "the budget is 2 s: half each for two races" in error.value.render()
    enough = re.match(r"--set plan.budget=(\d+)min,", error.value.next)
    assert enough is not None
    told(f"{enough[1]}min")
    with pytest.raises(InputError, match="is too short"):
        told(f"{int(enough[1]) // 2}min")


def test_a_second_race_that_is_refused_names_the_budget_of_both(
    went: Went, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def short(study: Study, *_: object) -> None:
        error = ShortBudgetError("it is too short", next=longer(study, 60.0))
        error.enough_seconds = 60.0
        raise error

    monkeypatch.setattr(race_stages, "tell", short)
    with pytest.raises(InputError) as error:
        followed(raced(tmp_path))
    assert not went and error.value.next.startswith("--set plan.budget=4min,")
