"""The rig of the guide, taken from it as it stands: measured, reported, cut short, gone on with."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fsgauge.cli import group
from fsgauge.errors import InputError, Interrupted
from fsgauge.progress import Progress
from fsgauge.rig import registry
from fsgauge.rig.host.rig import HostSession
from fsgauge.rig.registry import RIGS, rig_named
from fsgauge.rig.rig import Rig
from fsgauge.run import Outcome, resume_study, run_study
from fsgauge.stats.read import read_stored
from fsgauge.store import read_results
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study

GUIDE = Path(__file__).parents[3] / "docs" / "adding-a-rig.md"
SYSTEMS = ["one=mounted", "two=mounted"]


@pytest.fixture
def toy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The guide followed word for word: its file at its place, its lines in the registry."""
    text = GUIDE.read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (lines,) = re.findall(r"```py\n(.*?)```", text, re.DOTALL)
    path = tmp_path_factory.mktemp("toy") / "constant.py"
    path.write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("fsgauge.rig.constant", path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    sys.modules["fsgauge.rig.constant"] = made
    as_told = dict(vars(registry))
    exec(lines, as_told)  # noqa: S102 - what the guide says to write into registry.py
    RIGS["constant"] = as_told["RIGS"]["constant"]
    yield made
    del RIGS["constant"], sys.modules["fsgauge.rig.constant"]


def test_the_guide_s_line_is_the_registry_s_own_with_one_more() -> None:
    source = Path(registry.__file__).read_text(encoding="utf-8")
    (own,) = [line for line in source.splitlines() if line.startswith("RIGS")]
    assert own.replace("}", ', "constant": _constant}') in GUIDE.read_text(encoding="utf-8")


def test_the_rig_of_the_guide_is_a_page_of_code() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(code.splitlines()) <= 80


def study(*overrides: str, kind: str = "demo-user", blocks: int = 3) -> Study:
    settings = ["storage.size=16MiB", f"plan.blocks={blocks}", *overrides]
    return load_study(kind, settings, SYSTEMS, "path:/tmp", 7)


def run(rig: Rig, results: Path, chosen: Study, progress: Progress | None = None) -> Outcome:
    return run_study(
        chosen,
        rig=rig,
        results=results,
        destroy=None,
        command=["fsgauge"],
        progress=progress or Progress(),
    )


def test_every_run_of_a_block_is_recorded_and_every_ratio_is_one(toy: Any, tmp_path: Path) -> None:
    outcome = run(rig_named("constant"), tmp_path, study())
    assert outcome.ended_by is None
    stored = read_results(outcome.directory)
    assert stored.study.rig == "constant"
    assert len(stored.runs) == sum(len(turn.cells) for turn in stored.study.plan.turns)
    results = read_stored(stored)
    rates = [each for each in results.comparisons if each.metric == "iops"]
    assert rates and all(each.ratio == 1.0 and each.n == 3 for each in rates)


def test_a_record_is_on_disk_before_the_rig_goes_on(toy: Any, tmp_path: Path) -> None:
    """Each time the rig's `tell` returns, the run that it told is in the folder."""
    seen: list[int] = []
    told = toy.ConstantSession._result

    def counting(self: object, *arguments: object) -> object:
        seen.append(len(list(tmp_path.glob("*/records/*/[0-9][0-9]-*.json"))))
        return told(self, *arguments)

    toy.ConstantSession._result = counting
    run(rig_named("constant"), tmp_path, study(blocks=2))
    assert seen == list(range(len(seen))) and len(seen) > 8


def stopped_after(runs: int) -> Callable[..., None]:
    left = iter(range(runs))

    def run_started(*_: object) -> None:
        if next(left, None) is None:
            raise Interrupted("ended by SIGINT")

    return run_started


def test_what_was_cut_short_goes_on_with_its_own_rig(
    toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = Progress()
    monkeypatch.setattr(progress, "run_started", stopped_after(20))
    outcome = run(rig_named("constant"), tmp_path, study(), progress)
    assert isinstance(outcome.ended_by, Interrupted)
    asked: list[str] = []

    def named(name: str) -> Rig:
        asked.append(name)
        return rig_named(name)

    assert resume_study(outcome.directory, rig=named, destroy=None, progress=Progress()) is not None
    assert asked == ["constant"]
    stored = read_results(outcome.directory)
    assert len(stored.runs) == sum(len(turn.cells) for turn in stored.study.plan.turns)


def test_it_stops_once_it_knows_enough(toy: Any, tmp_path: Path) -> None:
    """A constant has no width: six blocks are the fewest, and enough."""
    outcome = run(rig_named("constant"), tmp_path, study("plan.stop_interval=5 %", blocks=9))
    assert {each.block for each in read_results(outcome.directory).turns} == set(range(6))
    finished = resume_study(outcome.directory, rig=rig_named, destroy=None, progress=Progress())
    assert finished is None


def test_no_other_rig_goes_on_with_it(
    toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = Progress()
    monkeypatch.setattr(progress, "run_started", stopped_after(20))
    directory = run(rig_named("constant"), tmp_path, study(), progress).directory
    other = toy.ConstantRig()
    other.name = "other"
    with pytest.raises(InputError) as refused:
        resume_study(directory, rig=lambda _: other, destroy=None, progress=Progress())
    assert "rig: constant then, other now" in refused.value.details


def test_plan_shows_its_size_and_what_it_refuses(toy: Any, tmp_path: Path) -> None:
    words = ["plan", "writers", "--rig", "constant", "--storage", f"path:{tmp_path}"]
    done = CliRunner().invoke(group, [*words, "--system", "one=mounted"], standalone_mode=False)
    assert done.return_value == 2
    assert "refused   a constant rate says nothing of writers" in done.output


def test_it_lends_no_systems(toy: Any) -> None:
    with rig_named("constant").opened(study()) as session:
        assert not session.lends
        with pytest.raises(InputError, match="is not lent"):
            session.lent(study().systems[0])
    assert HostSession.lends and HostSession.lends_here


def test_an_unknown_rig_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(InputError) as refused:
        rig_named("hots")
    assert 'unknown rig "hots"' in refused.value.render()
    assert 'did you mean "host"?' in refused.value.render()
    assert refused.value.next == "--rig host"  # there was no next step
    with pytest.raises(InputError) as other:
        rig_named("quantum")
    assert "known: fleet, host" in other.value.render()
