"""Options that several commands share: the study and its changes, consent, results, output."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from fsgauge.cli.completing import complete_study, complete_system
from fsgauge.errors import InputError
from fsgauge.study.model import Study

if TYPE_CHECKING:
    from fsgauge.machine.device.consent import Consent

F = TypeVar("F", bound=Callable[..., Any])


VARIANTS = {
    "full": "The study's whole sweep, not its quick default: the same as STUDY-full.",
    "as-published": "The published method, as its text has it: the same as STUDY-as-published.",
}
"""Studies beside a shipped one, each under its name with this after it."""


def study_choices(function: F) -> F:
    """STUDY with --full and --as-published, --set, --system, --baseline, --without and so on."""

    @wraps(function)
    def of_variant(*, study: str, full: bool, as_published: bool, **others: object) -> object:
        return function(study=chosen_variant(study, full, as_published), **others)

    decorated = of_variant
    for decorate in reversed(
        [
            click.argument("study", shell_complete=complete_study),
            *(
                click.option(f"--{name}", is_flag=True, help=text)
                for name, text in VARIANTS.items()
            ),
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
                shell_complete=complete_system,
                help='What to compare with the baseline: ext4, "xfs:mkfs=-d agcount=8",'
                ' "xfs:mount=noatime", NAME=ext4; or mounted folders, the first of them the'
                " baseline: /mnt/a, NAME=/mnt/b. Replaces the study's list; repeat for several.",
            ),
            click.option(
                "--baseline",
                metavar="NAME",
                help="Compare with this system, of the study or of --system, by name or folder.",
            ),
            click.option(
                "--without",
                multiple=True,
                metavar="NAME",
                help="Leave a system of the study out; repeat for several.",
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
        decorated = decorate(decorated)
    return cast("F", decorated)


def chosen_variant(study: str, full: bool, as_published: bool) -> str:
    """The study's name with its variant's; InputError for both, and where there is none."""
    from fsgauge.study.shipped import variant_of

    if full and as_published:
        raise InputError(
            "--full and --as-published are two studies", next="one of them, then the other"
        )
    chosen = zip(VARIANTS, (full, as_published), strict=True)
    asked = [name for name, is_asked in chosen if is_asked]
    return variant_of(study, asked[0]) if asked else study


def chosen_study(
    study: str,
    overrides: tuple[str, ...],
    systems: tuple[str, ...],
    storage: str | None,
    seed: int | None,
    serve: str | None = None,
    baseline: str | None = None,
    without: tuple[str, ...] = (),
) -> Study:
    """The study with every change in it and its seed resolved."""
    from fsgauge.plan.turns import require_few_runs, with_seed
    from fsgauge.study.parse import load_study

    loaded = load_study(
        study,
        list(overrides),
        list(systems),
        storage,
        seed,
        serve,
        baseline,
        without=without,
        say=say_note,
    )
    require_few_runs(loaded)
    return with_seed(loaded, time.time_ns())


def say_note(note: str) -> None:
    """What a word of another tool was taken for."""
    sys.stderr.write(f"note: {note}\n")


def read_size(option: str, text: str) -> int:
    """Bytes of an option's value; a note says what "8G" was taken for. Raises UnitError."""
    from fsgauge.units import binary_size, parse_size

    meant = binary_size(text)
    if meant is not None:
        say_note(f'{option} {text} is read as "{meant}", in powers of 1024 as in fio and dd')
    return parse_size(meant or text)


def consent_choices(function: F) -> F:
    """--destroy, --discard-unknown-data."""
    for decorate in reversed(
        [
            click.option(
                "--destroy",
                metavar="NAME",
                multiple=True,
                help="Serial, WWN or UUID of the device whose contents may be destroyed;"
                " needed for each command, once for each device.",
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


def chosen_consent(destroy: tuple[str, ...], discard_unknown_data: bool) -> Consent | None:
    """What may be destroyed; InputError where unknown data may, but no device is named."""
    from fsgauge.machine.device.consent import Consent

    if not destroy and discard_unknown_data:
        raise InputError(
            "--discard-unknown-data needs --destroy: no device is named",
            next="--destroy NAME --discard-unknown-data",
        )
    return Consent(destroy, discard_unknown_data) if destroy else None


rig_option = click.option(
    "--rig",
    metavar="RIG",
    help="Where the study is measured: host is this machine, fleet are many hosts at once, vm is a"
    " virtual machine, which needs no root, simulator is a model, which needs no disk either."
    " Default: vm for a study that has nodes ([rig]), else host.",
)

_FLEET_OPTIONS = [
    click.option(
        "--hosts",
        "hosts_file",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="With --rig fleet: a TOML file that lists the hosts.",
    ),
    click.option(
        "--ssh", metavar="HOST,HOST", help="With --rig fleet: hosts reached by ssh: a,b,u@c:2222."
    ),
    click.option(
        "--slurm",
        type=click.IntRange(1, 10_000),
        metavar="N",
        help="With --rig fleet: N nodes of a Slurm job, which is submitted unless this is one.",
    ),
    click.option(
        "--kubernetes",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="With --rig fleet: pods, as a TOML file describes them.",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="With --rig fleet: the workers of a dask cluster that runs already: tls://HOST:PORT.",
    ),
    click.option(
        "--same",
        is_flag=True,
        help="With --rig fleet: refuse hosts that differ in their kernel or processors.",
    ),
]


def fleet_choices(function: F) -> F:
    """--hosts, --ssh and so on, as one value `hosts`."""

    @wraps(function)
    def with_hosts(
        *,
        hosts_file: Path | None,
        ssh: str | None,
        slurm: int | None,
        kubernetes: Path | None,
        scheduler: str | None,
        same: bool,
        **others: object,
    ) -> object:
        from fsgauge.rig.rig import FleetChoice

        named = FleetChoice(
            hosts=hosts_file,
            ssh=ssh,
            scheduler=scheduler,
            slurm=slurm,
            kubernetes=kubernetes,
            same=same,
        )
        return function(hosts=named, **others)

    decorated = with_hosts
    for decorate in reversed(_FLEET_OPTIONS):
        decorated = decorate(decorated)
    return cast("F", decorated)


results_option = click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("results"),
    show_default=True,
    help="Where the results folder is created.",
)

shared_systems_option = click.option(
    "--system", "names", multiple=True, metavar="NAME", help="nfs3, gfs2, ...; repeat for several."
)
built_kernel_option = click.option(
    "--kernel", metavar="PACKAGE", help="A kernel that `fsgauge rig build` has built."
)


def page_folder_option(command: str) -> Callable[[F], F]:
    """--output of a command whose page has a folder of its own; see page_folder."""
    return click.option(
        "--output",
        type=click.Path(path_type=Path, file_okay=False),
        help=f"The folder of the page. Default: {command}-TIME, below --results.",
    )


def page_folder(command: str, output: Path | None, results: Path) -> Path:
    """What --output says, or a new folder below --results."""
    return output or results / time.strftime(f"{command}-%Y-%m-%d-%H%M%S")


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
