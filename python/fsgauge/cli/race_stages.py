"""What comes before a race of `choose`, and what follows it: of a sample a second race, around its
winner; of models their finalists, on this machine. Each is a results folder in that of the race
before it, so that `fsgauge resume` of the first one goes on where all of it stopped."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from fsgauge.cli.execution import execute, execute_again, report_in
from fsgauge.errors import InputError, quoted
from fsgauge.exit_codes import ExitCode, gravest
from fsgauge.progress.terminal import say, width_of, wrapped_lines
from fsgauge.rig.refusing import alike, require_none
from fsgauge.rig.registry import DEFAULT, require_hosts, rig_named
from fsgauge.stats.wording import named_systems
from fsgauge.units import count, exact_duration

if TYPE_CHECKING:
    from fsgauge.choosing.options import Proposed
    from fsgauge.machine.device.consent import Consent
    from fsgauge.rig.rig import Rig
    from fsgauge.store import StoredStudy
    from fsgauge.study.model import Study

RACED = "choose.toml"
"""In the folder of a race that `choose` began: the study with its `vary`."""
_SECOND, _FINALISTS = _PLACES = "second", "finalists"
"""Folders for what follows a race, in its own."""


@dataclass(frozen=True)
class How:
    """The rig of a name, what it may destroy, what is shown, who is asked before it is long."""

    rig: Callable[[str], Rig]
    destroy: Consent | None
    style: str | None
    ask: Callable[[Study, Rig], object]


def rigs(world: Rig) -> Callable[[str], Rig]:
    return lambda name: world if name == world.name else rig_named(name, say)


def measure(study: Study, world: Rig, results: Path, how: How, raced: str = "") -> int:
    """A study, and what follows a race; `raced` is that of `choose` with its `vary`."""
    how.ask(study, world)
    ended = execute(
        study,
        rig=world,
        results=results,
        destroy=how.destroy,
        style=how.style,
        beside={RACED: raced} if raced else {},
    )
    return gravest([ended.code, go_on(ended.whole, how)])


def resumed(directory: Path, how: How, *, accept_changed: bool) -> int:
    """A study that goes on where it was cut short, and what follows a race."""
    ended = execute_again(directory, how.rig, how.destroy, how.style, accept_changed=accept_changed)
    return gravest([ended.code, go_on(ended.whole, how)])


def go_on(directory: Path | None, how: How) -> int:
    """The exit code of what follows a race that is over and valid, begun or gone on with. What
    measures the finalists of models is only named where `choose` did not begin the race, or this
    machine refuses it."""
    found = report_in(directory).get("race") if directory else None
    if directory is None or not found or not found["chosen"]:
        return ExitCode.ANSWERED
    from fsgauge.choosing.race_study import around_winner, on_host
    from fsgauge.report.write import write_beside
    from fsgauge.run.resuming import study_of
    from fsgauge.store import read_results
    from fsgauge.store.seals import understood
    from fsgauge.study.dump import dump_study

    stored = read_results(directory, accept_changed=True)
    text, begun = _left_by(stored)
    if begun is not None:
        return resumed(begun, how, accept_changed=bool(stored.changes))
    with understood(stored.changes):
        study = study_of(stored)
        second = around_winner(study, text, found["chosen"]) if text else None
        finalists = on_host(study, found["finalists"]) if second is None else None
    if second is not None:
        world = how.rig(stored.study.rig)
        say(f"second    race: {len(second.systems)} systems around {found['chosen']}")
        second, _ = without_refused(second, world, how.destroy)
        with _sharing_budget(second, races=2):
            tell(second, world, sys.stderr)
        return measure(second, world, directory / _SECOND, how, dump_study(second))
    if finalists is None:
        return ExitCode.ANSWERED
    world = how.rig(DEFAULT)
    if text and not world.refusals(finalists):
        say(f"measure   {len(finalists.systems)} finalists on this machine")
        return measure(finalists, world, directory / _FINALISTS, how, dump_study(finalists))
    write_beside(stored, {"finalists.toml": dump_study(finalists)})
    quoted_file = quoted(directory / "finalists.toml")
    say(f"measure   the finalists on this machine: fsgauge run {quoted_file}")
    return ExitCode.ANSWERED


def _left_by(stored: StoredStudy) -> tuple[str, Path | None]:
    """The study with `vary` that `choose` raced, else ""; and the folder of what follows."""
    from fsgauge.plain_files.bounds import STUDY

    with stored.folder.opened() as folder:
        is_chosen = folder.is_file(RACED)
        text = folder.read(RACED, STUDY.size_bytes).decode() if is_chosen else ""
        names = (f"{place}/{name}" for place in _PLACES for name in folder.folders(place))
        begun = [name for name in names if folder.is_file(f"{name}/study.json")]
    return text, stored.directory / begun[-1] if begun else None


def without_refused(
    study: Study,
    world: Rig,
    consent: Consent | None,
    propose: Callable[[Collection[str]], Sequence[Proposed]] = lambda _: (),
    *,
    safe: bool = False,
) -> tuple[Study, Sequence[Proposed]]:
    """The study without what weakens durability, if it is to be `safe`, and without what this
    machine refuses; each is named. InputError where fewer than two are left. An option that is
    refused by itself is not proposed, and others have its room: `propose` gives what is, without
    the systems of these names."""
    from fsgauge.choosing.race_study import systems_of
    from fsgauge.durability import made_by, weakened
    from fsgauge.programs.interruption import interruptible

    weak = [each.name for each in study.systems if safe and weakened(made_by(each.model_dump()))]
    for name in weak:
        say(f"left out  {name}: it weakens durability (--safe)")
    study = _without(study, weak)
    require_hosts(world, study)
    found, refused = propose(()), dict[str, str]()
    left_out = "left out " if found else "failed   "
    while True:
        with interruptible():
            now = _refused_alone(study, world, consent)
        new = [name for name in now if name not in refused]
        for why, names in alike((name, name, now[name]) for name in new):
            say(f"{left_out} {named_systems(names)}: {why}")
        refused |= now
        before, found = found, propose(refused)
        if found == before:
            return _without(study, now), found
        study = study.model_copy(update={"systems": systems_of(found)})


def _refused_alone(study: Study, world: Rig, consent: Consent | None) -> dict[str, str]:
    """Why mkfs, mount or the load refuses single systems, by name: each is tried once as a run
    would make it. Raises what is refused of all of them: that is none of theirs."""
    tried = world.refused_alone(study, consent)
    found = {name: errors for name, errors in tried.items() if errors}
    if len(found) == len(study.systems):
        require_none(next(iter(found.values())))
    return {name: "; ".join(e.with_last_words for e in errors) for name, errors in found.items()}


def _without(study: Study, names: Collection[str]) -> Study:
    left = [each for each in study.systems if each.name not in names]
    if len(left) < 2:
        only = left[0].name if left else "no system"
        raise InputError(
            f"{only} is all that is left, and a race needs two systems",
            details=tuple(f"left out: {name}" for name in names),
            next="more --kinds, or fewer options in vary that this machine refuses",
        )
    return study.model_copy(update={"systems": left})


def tell(
    study: Study, world: Rig, audience: TextIO, found: Sequence[Proposed] = (), races: int = 1
) -> None:
    """What is tried and why, and what it takes; `races` is how many share a budget."""
    from fsgauge.cli.plan_lines import MARGIN

    lines = []
    tried = [each for each in found if any(one.kind == each.kind for one in study.systems)]
    for each in tried:
        lines.append(f"tries     {each.kind}, in every combination:")
        for options, how in ((each.crossed, ""), (each.weak, "alone, as it weakens durability: ")):
            lines += [f"{MARGIN}{how}{option.told}" for option in options]
    if races > 1:
        lines.append(
            "then      a second race around the winner, which takes as much again at worst"
        )
    with _sharing_budget(study, races):
        lines += _cost_lines(study, world, races)
    if halved := _halved(study, races):
        lines.append(f"budget    {halved}")
    audience.write("\n".join([*wrapped_lines(lines, width_of(audience), MARGIN), ""]))


@contextmanager
def _sharing_budget(study: Study, races: int) -> Iterator[None]:
    """Let what is refused name the budget that is typed, of which each race has its part."""
    from fsgauge.plan.cost import ShortBudgetError, longer

    try:
        yield
    except InputError as error:
        if halved := _halved(study, races):
            error.details += (f"the budget is {halved}",)
        if isinstance(error, ShortBudgetError):
            error.next = longer(study, error.enough_seconds, races)
        raise


def _halved(study: Study, races: int) -> str:
    budget = study.plan.budget if races > 1 else None
    return "" if budget is None else f"{exact_duration(budget * races)}: half each for two races"


def _cost_lines(study: Study, world: Rig, races: int) -> list[str]:
    from fsgauge.cli.plan_lines import plan_on, time_and_bytes
    from fsgauge.plan.race import wear
    from fsgauge.record.factors import factors_of
    from fsgauge.stats.planned import primary_cells

    planned = plan_on(study, world)
    plan, description = planned.plan, planned.described(study)
    worn = wear(
        study,
        planned.size_bytes,
        races * plan.expected_written_bytes,
        races * plan.expected_seconds,
    )
    decides, others = primary_cells(plan)[0], len(plan.cells) - 1
    more = f"; {count(others, 'other cell')} measured alongside, in each block" if others else ""
    return [
        f"decides   {factors_of(decides).asked or decides.name}{more}",
        f"race      {len(study.systems)} systems, {study.systems[0].name} the baseline;"
        f" {description.race}",
        *time_and_bytes(description),
        *([f"endurance {worn}"] if worn else []),
    ]
