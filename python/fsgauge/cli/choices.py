"""Options that several commands share: the study and its changes, consent, results, output."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fsgauge.errors import InputError
from fsgauge.study.model import Study

if TYPE_CHECKING:
    from fsgauge.rig.host.device.consent import Consent

F = TypeVar("F", bound=Callable[..., Any])


def study_choices(function: F) -> F:
    """STUDY, --set, --system, --storage, --serve, --seed."""
    for decorate in reversed(
        [
            click.argument("study"),
            click.option(
                "--set",
                "overrides",
                multiple=True,
                metavar="KEY=VALUE",
                help="Change any key of the study: --set workload.duration=5s",
            ),
            click.option(
                "--system",
                "systems",
                multiple=True,
                metavar="SYSTEM",
                help='What to compare with the baseline: ext4, "xfs:mkfs=-d agcount=8",'
                ' "xfs:mount=noatime". Replaces the study\'s list; repeat for several.',
            ),
            click.option(
                "--storage",
                metavar="STORAGE",
                help="loop:8GiB, ram:1GiB, /dev/disk/by-id/..., or a folder.",
            ),
            click.option(
                "--serve",
                metavar="SERVER",
                help="Reach the systems through a private server: samba or ganesha. Ends with the"
                " run; needs root.",
            ),
            click.option("--seed", type=int, help="Repeat a study's random order."),
        ]
    ):
        function = decorate(function)
    return function


def chosen_study(
    study: str,
    overrides: tuple[str, ...],
    systems: tuple[str, ...],
    storage: str | None,
    seed: int | None,
    serve: str | None = None,
) -> Study:
    """The study with every change in it and its seed resolved."""
    from fsgauge.plan.turns import with_seed
    from fsgauge.study.parse import load_study

    loaded = load_study(study, list(overrides), list(systems), storage, seed, serve)
    return with_seed(loaded, time.time_ns())


def consent_choices(function: F) -> F:
    """--destroy, --discard-unknown-data."""
    for decorate in reversed(
        [
            click.option(
                "--destroy",
                metavar="NAME",
                help="Serial, WWN or UUID of the device whose contents may be destroyed;"
                " needed for each command.",
            ),
            click.option(
                "--discard-unknown-data",
                is_flag=True,
                help="With --destroy: also destroy data without a signature, and whatever is on a"
                " device too large to be read whole.",
            ),
        ]
    ):
        function = decorate(function)
    return function


def chosen_consent(destroy: str | None, discard_unknown_data: bool) -> Consent | None:
    """What may be destroyed; InputError where unknown data may, but no device is named."""
    from fsgauge.rig.host.device.consent import Consent

    if destroy is None and discard_unknown_data:
        raise InputError(
            "--discard-unknown-data needs --destroy: no device is named",
            next="--destroy NAME --discard-unknown-data",
        )
    return Consent(destroy, discard_unknown_data) if destroy is not None else None


rig_option = click.option(
    "--rig",
    default="host",
    show_default=True,
    metavar="RIG",
    help="Where the study is measured; host is this machine.",
)

results_option = click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("results"),
    show_default=True,
    help="Where the results folder is created.",
)

style_options = [
    click.option("--json", "style", flag_value="json", help="Events as lines of JSON."),
    click.option("--quiet", "style", flag_value="quiet", help="Print the last two lines only."),
]


def progress_choices(function: F) -> F:
    """--json, --quiet; by default a live view on a terminal and plain lines elsewhere."""
    for decorate in reversed(style_options):
        function = decorate(function)
    return function


def accept_changed_choice(function: F) -> F:
    """--accept-changed, of every command that reads a results folder."""
    return click.option(
        "--accept-changed",
        is_flag=True,
        help="Accept records that were changed after they were written; they are listed.",
    )(function)
