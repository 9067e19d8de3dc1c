"""`fsgauge choose`: which configuration is best for a load, by a race."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge.cli import choices
from fsgauge.cli.asked_program import (
    PROGRAM,
    load_of_program,
    program_overrides,
    require_no_program,
    whole_program,
)
from fsgauge.cli.asked_study import (
    AskedStudy,
    complete_study,
    seed_choice,
    set_choice,
    storage_choice,
)
from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.exit_codes import ExitCode, ends

if TYPE_CHECKING:
    from fsgauge.choosing.options import Proposed
    from fsgauge.machine.device.consent import Consent
    from fsgauge.rig.rig import FleetChoice
    from fsgauge.study.model import Study


class _OfProgram(click.Command):
    """Words behind -- with no LOAD before them are a program, which `command` times."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            before = self.make_parser(ctx).parse_args(args[:at])[0].get("words")
            is_named = isinstance(before, tuple) and before
            args = [*args[:at], *([] if is_named else [PROGRAM]), *args[at:]]
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
@set_choice
@storage_choice
@seed_choice
@choices.rig_option
@choices.fleet_choices
@choices.consent_choices
@choices.results_option
@click.option(
    "--plan", "plan_only", is_flag=True, help="Show what would be raced; measure nothing."
)
@choices.file_option("--output", "FILE", "Also write the study, which fsgauge run takes.")
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
    from fsgauge.choosing.race_study import is_sampled, race_text
    from fsgauge.cli.race_stages import How, measure, rigs, tell, without_refused
    from fsgauge.cli.run import ask_where_long, not_asked, submit
    from fsgauge.cli.study import written
    from fsgauge.rig.fleet.choice import is_submitted
    from fsgauge.study.dump import dump_study

    load, *program = words
    require_no_program(words, "choose")
    name, before, propose = _raced(load, kinds, safe=safe)
    text = race_text(name, before, propose(()))
    asked = AskedStudy(
        f"{name}-choose.toml",
        (*_of_words(load, program), *overrides),
        storage=storage,
        seed=seed,
        text=text,
        budget=budget,
    )
    study, world = asked.placed(rig, hosts)
    if study.plan.mode != "race":
        raise InputError(
            f"this plan is no race: its mode is {study.plan.mode}",
            next="leave plan.mode out, or fsgauge run",
        )
    races = 2 if is_sampled(text) else 1
    study, found = without_refused(_part_of(study, races), world, consent, propose, safe=safe)
    tell(study, world, sys.stdout if plan_only else sys.stderr, found, races)
    if output is not None:
        written(dump_study(study), output)
    if plan_only:
        return ExitCode.ANSWERED
    if is_submitted(hosts):
        return submit(study, hosts)
    how = How(rigs(world), consent, style, not_asked if yes else ask_where_long)
    return measure(study, world, results, how, race_text(name, before, found))


def _of_words(load: str, program: Sequence[str]) -> Sequence[str]:
    """The changes that words behind LOAD stand for; a study that takes none refuses the key."""
    if not program:
        return ()
    program = whole_program(load, program, load_of_program(load, program))
    return program_overrides(load, program, (), ()) or [f"workload.program={json.dumps(program)}"]


def _raced(
    load: str, kinds: str | None, *, safe: bool
) -> tuple[str, str, Callable[[Collection[str]], Sequence[Proposed]]]:
    """Name and text of what is raced, and what is proposed without systems of some names: nothing
    where its systems vary."""
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
        return name, text, lambda _: ()
    typed = [each.strip() for each in (kinds or "").split(",")]
    chosen = KINDS if kinds is None else tuple(dict.fromkeys(typed))
    _require_known(chosen)
    loads = load_of(parse_study(text, name, name))
    return name, text, partial(proposed, chosen, loads, safe=safe)


def _require_known(kinds: Sequence[str]) -> None:
    from fsgauge.choosing.options import every_option
    from fsgauge.study.specs import option_origin

    known = list(dict.fromkeys(kind for option in every_option() for kind in option.kinds))
    for kind in kinds:
        if kind not in known:
            raise InputError(
                f'nothing is proposed for "{kind}"',
                location=option_origin("--kinds", kind).key(did_you_mean(nearest(kind, known))),
                details=(f"known: {', '.join(known)}",),
                next="a study whose systems have vary races any file system:"
                " fsgauge explain system.vary",
            )


def _part_of(study: Study, races: int) -> Study:
    """The study with its part of a budget; of years, the last one with the first profile."""
    from fsgauge.study.points import points_of

    if study.plan.budget is not None:
        plan = study.plan.model_copy(update={"budget": study.plan.budget // races})
        study = study.model_copy(update={"plan": plan})
    if study.sweep is None:
        return study
    last = {"years": [max(study.sweep.years)], "profiles": study.sweep.profiles[:1]}
    return points_of(study, study.sweep.model_copy(update=last))[0].study
