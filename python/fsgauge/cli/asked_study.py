"""The study that a command is asked for: its options, what a shell offers for them, its rig."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from click.shell_completion import CompletionItem

from fsgauge.cli.asked_program import (
    load_of_program,
    note_own_options,
    program_overrides,
    question_of,
    require_no_program,
    whole_program,
)
from fsgauge.cli.choices import F, decorated, say_note
from fsgauge.errors import InputError
from fsgauge.kinds import DEFAULT
from fsgauge.progress.terminal import say
from fsgauge.study.shipped import (
    is_measured_mounted,
    require_study,
    shipped_names,
    shipped_studies,
    shipped_texts,
    study_meant,
    variant_of,
)

if TYPE_CHECKING:
    from fsgauge.rig.rig import FleetChoice, Rig
    from fsgauge.study.model import Study

VARIANTS = {
    "full": "The study's whole sweep, not its quick default: the same as STUDY-full.",
    "as-published": "The published method, as its text has it: the same as STUDY-as-published.",
}
"""Studies beside a shipped one, each under its name with this after it."""


@dataclass(frozen=True)
class AskedStudy:
    """STUDY and the options that change it, as typed; a `text` that was made is called so."""

    study: str
    overrides: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    storage: str | None = None
    seed: int | None = None
    serve: str | None = None
    baseline: str | None = None
    without: tuple[str, ...] = ()
    text: str | None = None
    budget: str | None = None

    def on(self, rig: str | None) -> Study:
        """The study for a rig of that name, with every change in it and its seed resolved."""
        return self._loaded(rig, self.overrides, say_note)

    def placed(self, rig: str | None, hosts: FleetChoice) -> tuple[Study, Rig]:
        """The study where it is to be measured: on the rig that was typed, or that it needs.

        What a shipped study says of its storage gives way to folders that were typed, with a note.
        So have folders that share a file system or a disk.
        """
        from fsgauge.rig.registry import rig_for, rig_named

        study = self.on(rig)
        chosen = rig_named(rig_for(study, rig), say, hosts)
        changes = chosen.changes(study) if self.study in shipped_names() else []
        own = {override.partition("=")[0].rpartition(".")[2].strip() for override in self.overrides}
        changes = [each for each in changes if not _is_said(each.key, own)]
        if changes:
            study = self._loaded(rig, (*(each.override for each in changes), *self.overrides))
            for each in changes:
                say_note(f"{each.why} ({each.override})")
        for said in chosen.folders(study).shared:
            say_note(said)
        return chosen.placed(study), chosen

    def _loaded(
        self,
        rig: str | None,
        overrides: Sequence[str],
        say_note: Callable[[str], None] = lambda _: None,
    ) -> Study:
        from fsgauge.plan.cost import require_few_runs
        from fsgauge.plan.turns import with_seed
        from fsgauge.rig.registry import study_on
        from fsgauge.study.parse import load_study
        from fsgauge.system.options import known_options

        loaded = load_study(
            study_on(rig, self.study),
            list(overrides),
            list(self.systems),
            self.storage,
            self.seed,
            self.serve,
            self.baseline,
            without=self.without,
            say=say_note,
            known=known_options,
            text=self.text,
            budget=self.budget,
        )
        require_few_runs(loaded)
        return with_seed(loaded, time.time_ns())


def _is_said(key: str, typed: Collection[str]) -> bool:
    """Whether some of the last words of --set is a key, or another tool's word for it."""
    from fsgauge.study.other_tools import words_called

    return key.rpartition(".")[2] in typed or any(
        word.key == key for each in typed for word in words_called(each)
    )


def study_choices(function: F) -> F:
    """STUDY, its program and all options that change it, as one value `asked`."""

    @wraps(function)
    def of_asked(*, full: bool, as_published: bool, **given: Any) -> object:  # noqa: ANN401
        words = {
            each.name: given.pop(each.name) for each in fields(AskedStudy) if each.name in given
        }
        word, *more = words["study"]
        load = load_of_program(word, more)
        more = list(whole_program(word, more, load))
        note_own_options(more if load else ())
        of_program = program_overrides(word, more, given.pop("prepare"), given.pop("parameters"))
        words["overrides"] = (*question_of(word, load, more), *of_program, *words["overrides"])
        study, folders = study_and_folders([word] if load else words["study"])
        words["study"] = chosen_variant(_meant(study), full, as_published)
        words["systems"] = (*folders, *map(_as_folder, words["systems"]))
        return function(asked=AskedStudy(**words), **given)

    return cast("F", decorated(of_asked, _OPTIONS))


def study_and_folders(words: Sequence[str]) -> tuple[str, list[str]]:
    """A study, and folders to compare; folders alone are compared by the kind that is for them. A
    folder that is not there is refused where all is looked at."""
    first, *more = words
    folders_alone = Path(first).is_dir() and first not in shipped_names()
    if folders_alone:
        first, more = DEFAULT, list(words)
    missing = [word for word in more if not Path(word).is_dir()]
    if missing and all(is_system(word) for word in words):
        systems = list(dict.fromkeys(words))
        several = len(systems) > 1
        raise InputError(
            f"{' and '.join(systems)} are systems, and a study compares them"
            if several
            else f"{words[0]} is a system, and a study compares it with others",
            next=shlex.join(
                ["fsgauge", "plan", DEFAULT, *(("--baseline", words[0]) if several else ())]
                + [part for word in systems for part in ("--system", word)]
            ),
        )
    missing = [w for w in missing if not ("/" in w or (folders_alone and not is_system(w)))]
    if missing:
        require_no_program(words)
        require_study(study_meant(first))
        raise InputError(
            f'"{missing[0]}" is no folder here, and there is a study already: {first}',
            cause="what is compared is named by --system, unless it is a folder",
            next=shlex.join(
                ["fsgauge", "plan", first, *(w for each in missing for w in ("--system", each))]
            ),
        )
    return first, [word if "/" in word else f"./{word}" for word in more]


def is_system(word: str) -> bool:
    from fsgauge.system import system_kinds

    return word.partition(":")[0] in system_kinds()


def _as_folder(system: str) -> str:
    """A folder that is here under this name, alone or as NAME=folder, unless a kind has it."""
    name, equals, path = system.rpartition("=")
    is_folder = bool(path) and "/" not in system and Path(path).is_dir() and not is_system(path)
    return f"{name}{equals}./{path}" if is_folder else system


def _meant(study: str) -> str:
    """The shipped study that another word leads to, with a note; InputError where none does."""
    meant = study_meant(study)
    if is_measured_mounted(study) and not Path(study).exists():
        from fsgauge.system import find_kind

        find_kind(study)
    require_study(meant)
    if meant != study and is_system(study) and f'"{study}"' not in shipped_texts()[meant]:
        raise InputError(
            f"{study} is a system, and the study {meant} compares others by itself",
            next=shlex.join(["fsgauge", "plan", meant, "--system", study]),
        )
    if meant != study:
        say_note(f"{study}: this is the study {meant}")
    return meant


def chosen_variant(study: str, full: bool, as_published: bool) -> str:
    """The study's name with its variant's; InputError for both, and where there is none."""
    if full and as_published:
        raise InputError(
            "--full and --as-published are two studies", next="one of them, then the other"
        )
    chosen = zip(VARIANTS, (full, as_published), strict=True)
    asked = [name for name, is_asked in chosen if is_asked]
    return variant_of(study, asked[0]) if asked else study


def complete_study(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Shipped studies with their questions; files where none begins in this way."""
    return _matching(shipped_studies(), incomplete) or [CompletionItem(incomplete, type="file")]


def complete_system(
    context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Kinds of systems, models once a rig is named; files where none begins so."""
    from fsgauge.system import system_kinds

    mountable = context.params.get("rig") in (None, "host")
    kinds = {
        name: kind.summary
        for name, kind in system_kinds().items()
        if not (mountable and kind.placement == "modelled")
    }
    return _matching(kinds, incomplete) or [CompletionItem(incomplete, type="file")]


def _matching(texts: dict[str, str], incomplete: str) -> list[CompletionItem]:
    return [
        CompletionItem(name, help=text)
        for name, text in texts.items()
        if name.startswith(incomplete)
    ]


set_choice = click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change any key of the study: --set workload.duration=5s. Words of fio and others are"
    " read as well: --set bs=4k --set time_based",
)
storage_choice = click.option(
    "--storage",
    metavar="STORAGE",
    help="loop:8GiB, ram:1GiB, /dev/disk/by-id/..., or a folder.",
)
seed_choice = click.option("--seed", type=int, help="Repeat a study's random order.")

_OPTIONS = [
    click.argument(
        "study", nargs=-1, required=True, metavar="STUDY|FOLDER...", shell_complete=complete_study
    ),
    *(click.option(f"--{name}", is_flag=True, help=text) for name, text in VARIANTS.items()),
    set_choice,
    click.option(
        "--prepare",
        multiple=True,
        metavar="LINE",
        help="A line for a shell before each run of a program, untimed; with run command.",
    ),
    click.option(
        "--parameter",
        "-P",
        "parameters",
        multiple=True,
        metavar="NAME=VALUES",
        help="Values that {NAME} in a program's words stands for, a cell each: -P threads=1,4,16.",
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
    storage_choice,
    click.option(
        "--serve",
        metavar="SERVER",
        help="Reach the systems through a private server: samba or ganesha. Ends with the"
        " run; needs root.",
    ),
    seed_choice,
]
