"""`fsgauge choose`: which configuration is best for a load, by a race."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from fsgauge.cli import choices
from fsgauge.cli.asked_study import AskedStudy, complete_study, program_overrides
from fsgauge.errors import InputError
from fsgauge.exit_codes import ExitCode, ends, gravest
from fsgauge.progress.terminal import say, width_of, wrapped_lines
from fsgauge.units import count, exact_duration, some_of

if TYPE_CHECKING:
    from fsgauge.choosing.options import Proposed
    from fsgauge.choosing.refused import Refused
    from fsgauge.machine.device.consent import Consent
    from fsgauge.rig.rig import FleetChoice, Rig
    from fsgauge.study.model import Study

_FEWEST = 2
_PROGRAM = "command"
_TRIED_ON = re.compile(r"/dev/loop\d+")
"""Another one at each trial, where several hosts are on one machine."""


@dataclass(frozen=True)
class _Entry:
    """What is raced: the name and text of the study, and the options that were proposed for it;
    none where the study's own systems vary."""

    name: str
    text: str
    proposed: Sequence[Proposed]


class _OfProgram(click.Command):
    """Words behind -- with no LOAD before them are those of a program, which the study `command`
    times."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            before = self.make_parser(ctx).parse_args(args[:at])[0].get("words")
            args = [
                *args[:at],
                *([] if isinstance(before, tuple) and before else [_PROGRAM]),
                *args[at:],
            ]
        return super().parse_args(ctx, args)


@click.command("choose", cls=_OfProgram)
@ends("choose")
@click.argument("words", nargs=-1, required=True, metavar="LOAD", shell_complete=complete_study)
@click.option("--budget", metavar="TIME", help="The longest that the race may take: 2h, 45min.")
@click.option(
    "--kinds",
    metavar="KINDS",
    help="File systems to choose from, the first with its defaults the baseline. Default:"
    " ext4,xfs,btrfs. Not for a study whose systems vary.",
)
@click.option(
    "--safe", is_flag=True, help="Leave out what weakens durability, which else is raced apart."
)
@click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change any key of the study: --set workload.duration=2s.",
)
@click.option(
    "--storage", metavar="STORAGE", help="loop:8GiB, ram:1GiB, or an empty /dev/disk/by-id/..."
)
@click.option("--seed", type=int, help="Repeat a race's random order.")
@choices.rig_option
@choices.fleet_choices
@choices.consent_choices
@choices.results_option
@click.option(
    "--plan", "plan_only", is_flag=True, help="Show what would be raced; measure nothing."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write the study, which fsgauge run takes.",
)
@click.option("--yes", "-y", is_flag=True, help="Do not ask, however long it takes.")
@choices.progress_choices
def command(
    words: tuple[str, ...],
    budget: str | None,
    kinds: str | None,
    safe: bool,
    overrides: tuple[str, ...],
    storage: str | None,
    seed: int | None,
    rig: str | None,
    hosts: FleetChoice,
    consent: Consent | None,
    results: Path,
    plan_only: bool,
    output: Path | None,
    yes: bool,
    style: str | None,
) -> int:
    """Race configurations of file systems for LOAD, and print the best as commands to copy.

    LOAD is a study (a shipped name or a file), a job file of fio, filebench or vdbench, or a
    program with its words behind --. Options of mkfs, mount and the kernel that
    matter for that kind of load are tried in every combination; those of a study whose systems
    have `vary` are its own.

    A system leaves the race only when it is slower than the leader with 95 % confidence, counting
    every comparison and every look; the gain of the winner is measured again afterwards.
    """
    from fsgauge.choosing.race_study import is_sampled, race_text, reasons_of, second_tables
    from fsgauge.cli.run import ask_where_long, submit
    from fsgauge.cli.study import written
    from fsgauge.rig.fleet.choice import is_submitted
    from fsgauge.study.dump import dump_study

    load, *program = words
    overrides = (*_of_words(load, program), *overrides)
    entry = _entry(load, kinds, safe=safe)
    tables = [table for each in entry.proposed for table in each.tables] or None
    text = race_text(entry.name, entry.text, tables, reasons_of(entry.proposed))
    asked = _Asked(overrides, storage, seed, budget, rig, hosts, consent, safe)
    races = 2 if is_sampled(text) else 1
    study, world = _without_refused(entry.name, text, asked, races)
    _tell(entry, study, world, races, sys.stdout if plan_only else sys.stderr)
    if output is not None:
        written(dump_study(study), output)
    if plan_only:
        return ExitCode.ANSWERED
    if is_submitted(hosts):
        return submit(study, hosts)
    if not yes:
        ask_where_long(study, world)
    code, winner = _race(study, world, asked, results, style)
    if code in (ExitCode.FAILED, ExitCode.INTERRUPTED):
        if races > 1:
            say("second    race: not begun; fsgauge resume ends the first one alone")
        return code
    seeds = [seed for seed in (study.plan.seed, 0) if seed is not None]
    near = second_tables(text, winner, seeds) if winner and races > 1 else []
    if len(near) < _FEWEST:
        return code
    say(f"second    race: {len(near)} systems around {winner}")
    around = race_text(f"{entry.name}-second", text, near, {})
    second, world = _without_refused(entry.name, around, asked, races)
    _tell(_Entry(entry.name, around, ()), second, world, races, sys.stderr)
    return gravest([code, _race(second, world, asked, results, style)[0]])


def _of_words(load: str, program: Sequence[str]) -> Sequence[str]:
    """The changes that words behind LOAD stand for; a study that takes none refuses the key."""
    if not program:
        return ()
    return program_overrides(load, program, (), ()) or [f"workload.program={json.dumps(program)}"]


@dataclass(frozen=True)
class _Asked:
    overrides: tuple[str, ...]
    storage: str | None
    seed: int | None
    budget: str | None
    rig: str | None
    hosts: FleetChoice
    consent: Consent | None
    safe: bool


def _entry(load: str, kinds: str | None, *, safe: bool) -> _Entry:
    from fsgauge.choosing.options import KINDS, load_of, proposed
    from fsgauge.choosing.race_study import load_text, varies
    from fsgauge.study.parse import parse_study

    name, text = load_text(load)
    if name != Path(load).stem:
        choices.say_note(f"{load}: this is the study {name}")
    if varies(text):
        if kinds is not None:
            raise InputError(
                f"{name} says itself what is raced (vary), and --kinds would be ignored",
                next="leave --kinds out, or vary out of the study",
            )
        return _Entry(name, text, ())
    typed = [each.strip() for each in (kinds or "").split(",")]
    chosen = KINDS if kinds is None else tuple(dict.fromkeys(typed))
    _require_known(chosen)
    loads = load_of(parse_study(text, name, name))
    return _Entry(name, text, proposed(chosen, loads, safe=safe))


def _require_known(kinds: Sequence[str]) -> None:
    """InputError for a kind of which no options are known."""
    from fsgauge.choosing.options import every_option
    from fsgauge.errors import did_you_mean, nearest
    from fsgauge.study.specs import option_origin

    known = list(dict.fromkeys(kind for option in every_option() for kind in option.kinds))
    for kind in kinds:
        if kind not in known:
            text = ",".join(kinds)
            start = text.index(kind)
            raise InputError(
                f'nothing is proposed for "{kind}"',
                location=option_origin("--kinds", text, start, start + len(kind)).value(
                    did_you_mean(nearest(kind, known))
                ),
                details=(f"known: {', '.join(known)}",),
                next="a study whose systems have vary races any file system:"
                " fsgauge explain system.vary",
            )


def _without_refused(name: str, text: str, asked: _Asked, races: int) -> tuple[Study, Rig]:
    """The study without what weakens durability, if it is to be safe, and without what this
    machine refuses; each is named. So many races share its budget. InputError where fewer than two
    are left."""
    from fsgauge.choosing.refused import refused_alone
    from fsgauge.programs.interruption import interruptible
    from fsgauge.rig.registry import require_hosts

    def placed(without: Sequence[str]) -> tuple[Study, Rig]:
        study = AskedStudy(
            f"{name}-choose.toml",
            asked.overrides,
            storage=asked.storage,
            seed=asked.seed,
            without=tuple(without),
            text=text,
            budget=asked.budget,
        )
        found, chosen = study.placed(asked.rig, asked.hosts)
        return _of_last_year(_one_of(found, races)), chosen

    study, world = placed([])
    if study.plan.mode != "race":
        raise InputError(
            f"this plan is no race: its mode is {study.plan.mode}",
            next="leave plan.mode out, or fsgauge run",
        )
    weak = _weak(study) if asked.safe else []
    study, world = placed(weak) if weak else (study, world)
    _require_several(study, weak, [])
    require_hosts(world, study)
    with interruptible():
        refused = refused_alone(study, world, asked.consent)
    for each in weak:
        say(f"left out  {each}: it weakens durability (--safe)")
    for line in _grouped(refused):
        say(f"failed    {line}")
    if refused:
        names = [each.system for each in refused]
        _require_several(study, weak, names)
        study, world = placed([*weak, *names])
    return study, world


def _one_of(study: Study, races: int) -> Study:
    """The study with its part of the budget."""
    if study.plan.budget is None:
        return study
    plan = study.plan.model_copy(update={"budget": study.plan.budget // races})
    return study.model_copy(update={"plan": plan})


def _halved(study: Study, races: int) -> list[str]:
    """The whole budget and how it is shared; [] without one, or of one race."""
    if study.plan.budget is None or races == 1:
        return []
    return [f"{exact_duration(study.plan.budget * races)}: half each for two races"]


def _of_last_year(study: Study) -> Study:
    """Of a study over years, the last year with the first profile; any other as it is."""
    from fsgauge.study.points import points_of

    if study.sweep is None:
        return study
    last = {"years": [max(study.sweep.years)], "profiles": study.sweep.profiles[:1]}
    return points_of(study, study.sweep.model_copy(update=last))[0].study


def _weak(study: Study) -> list[str]:
    from fsgauge.durability import weakened
    from fsgauge.plan.race import made_of

    return [each.name for each in study.systems if weakened(made_of(each))]


def _require_several(study: Study, weak: Sequence[str], refused: Sequence[str]) -> None:
    left = [each.name for each in study.systems if each.name not in (*weak, *refused)]
    if len(left) < _FEWEST:
        raise InputError(
            f"{left[0] if left else 'no system'} is all that is left, and a race needs two systems",
            details=tuple(f"failed: {name}" for name in refused),
            next="more --kinds, or fewer options in vary that this machine refuses",
        )


def _grouped(found: Sequence[Refused]) -> list[str]:
    """Those that are refused for one reason in a line: "ext4 (noatime) and 15 more: ..."."""
    by_reason: dict[str, list[str]] = {}
    for name, why in ((each.system, each.why) for each in found):
        own = why.replace(f'the options of the system "{name}"', "its options")
        own = own.replace(f' (system "{name}")', "")
        own = own.replace(f'the system "{name}"', "the system").replace(f'"{name}"', "the system")
        own = _TRIED_ON.sub("DEVICE", own)
        by_reason.setdefault(own, []).append(name)
    return [f"{some_of(names, 1)}: {why}" for why, names in by_reason.items()]


def _tell(entry: _Entry, study: Study, world: Rig, races: int, audience: TextIO) -> None:
    """What is tried and why, and what it takes, before anything is measured."""
    from fsgauge.choosing.race_study import why
    from fsgauge.cli.plan_lines import MARGIN
    from fsgauge.stats.choosing.effects import settings_of

    lines = []
    for each in entry.proposed:
        own = [settings_of(one.model_dump()) for one in study.systems if one.kind == each.kind]
        if not own:
            continue
        crossed, weak = (
            why([left for option in of if (left := option.left_in(each.kind, own)) is not None])
            for of in (each.crossed, each.weak)
        )
        lines.append(f"tries     {each.kind}, in every combination:")
        lines += [f"{MARGIN}{line}" for line in crossed]
        lines += [f"{MARGIN}alone, as it weakens durability: {line}" for line in weak]
    halved = _halved(study, races)
    try:
        lines += [*_cost_lines(study, world), *(f"budget    {each}" for each in halved)]
    except InputError as error:
        error.details += tuple(f"the budget is {each}" for each in halved)
        raise
    audience.write("\n".join([*wrapped_lines(lines, width_of(audience), MARGIN), ""]))


def _cost_lines(study: Study, world: Rig) -> list[str]:
    from fsgauge.choosing.refused import wear
    from fsgauge.cli.plan_lines import plan_on, time_and_bytes
    from fsgauge.plan.preview import describe
    from fsgauge.stats.planned import primary_cells

    planned = plan_on(study, world)
    worst_bytes = planned.plan.expected_written_bytes
    worn = wear(study, planned.size_bytes, worst_bytes)
    description = describe(
        planned.plan, study, size_bytes=planned.size_bytes, around=planned.around
    )
    first = study.systems[0].name
    decides, others = primary_cells(planned.plan)[0], len(planned.plan.cells) - 1
    beside = f"; {count(others, 'other cell')} measured alongside, in each block" if others else ""
    return [
        f"decides   {decides.name}{beside}",
        f"race      {len(study.systems)} systems, {first} the baseline; {description.race}",
        *time_and_bytes(description),
        *([f"endurance {worn}"] if worn else []),
    ]


def _race(
    study: Study, world: Rig, asked: _Asked, results: Path, style: str | None
) -> tuple[int, str]:
    """The exit code, and the winner; "" of a race that is not over, or not valid."""
    from fsgauge.cli.execution import execute, report_in

    winners: list[str] = []

    def concluded(directory: Path) -> None:
        winners.append((report_in(directory).get("race") or {"chosen": ""})["chosen"])

    code = execute(
        study, rig=world, results=results, destroy=asked.consent, style=style, concluded=concluded
    )
    return code, "".join(winners)
