"""Whether a hint names what is there: commands, their options, keys of studies.

A hint is what follows "next:", or the advice of a finding: sentences in which commands stand. What
stands behind the name of a command may be prose, so names are looked up and nothing is carried out.
"""

from __future__ import annotations

import re
from functools import cache

import click

from fsgauge.cli import group

_COMMAND = re.compile(
    r"(?:^|[;:,(`'\"]\s*|\b(?:or|and|then|sudo|run)\s+)fsgauge((?: +[a-z][a-z0-9-]*)+)",
    re.MULTILINE,
)
"""A command begins a part of a sentence; elsewhere the name is the program's."""
_OPTION = re.compile(r"(?:^|(?<=[\s\"'`(]))--([a-z][a-z0-9-]*)")
_OF_OTHERS = re.compile(
    r"\b(?:apt-get|dnf|pip|mkfs\S*|wipefs|findmnt|lsblk|mount|umount|losetup|nvme|blkdiscard|ssh|"
    r"sbatch|srun|modprobe|git|make|rm|sysctl|ulimit|btrfs|xfs_\S+|fsck\S*|systemctl|docker|podman|"
    r"fio|hdparm|quota|repquota|setquota|cat|chromium|adduser|blockdev|tail|unshare|salloc|pipx|stat|exec)"
    r"\b[^;,()]*"
)
"""Other programs with what follows them: their options are their own."""
_SET = re.compile(r"--set[ =]'?\"?(workload|plan|storage|rig)\.([a-z_]+)")
_OF_GROUPS_ALONE = {"help", "version"}


def broken(hint: str) -> list[str]:
    """What a hint names that is not there."""
    named = [_named(match.group(1).split()) for match in _COMMAND.finditer(hint)]
    wrong = [f"no command {each}" for each in named if isinstance(each, str)]
    commands = [each for each in named if isinstance(each, click.Command)]
    ours = _OF_OTHERS.sub(" ", hint)
    known = options(*commands) if commands else all_options()
    # Words behind "or" may be another command's, so where several are meant any will do.
    known = known | of_running() | _OF_GROUPS_ALONE
    named_here = dict.fromkeys(_OPTION.findall(ours))
    wrong += [f"no option --{name}" for name in named_here if name not in known]
    wrong += [
        f"no key {table}.{key}"
        for table, key in dict.fromkeys(_SET.findall(hint))
        if key not in keys(table)
    ]
    return wrong


def _named(words: list[str]) -> click.Command | str | None:
    """The command that these words begin with; what is wrong with them; None for prose."""
    found: click.Command = group
    context = click.Context(group)
    for at, word in enumerate(words):
        if not isinstance(found, click.Group):
            break
        inner = found.get_command(context, word)
        if inner is None:
            return None if at == 0 and word in _PROSE else " ".join(words[: at + 1])
        found = inner
    return found


_PROSE = {
    "asks",
    "is",
    "itself",
    "measures",
    "mounts",
    "process",
    "reads",
    "sets",
    "starts",
    "version",
}
"""What stands behind the name of the program at the beginning of a sentence about it."""


def options(*commands: click.Command) -> set[str]:
    """The long options of commands, without their dashes."""
    return {
        name.removeprefix("--")
        for command in commands
        for option in command.params
        for name in (*option.opts, *option.secondary_opts)
        if name.startswith("--")
    }


@cache
def of_running() -> set[str]:
    """Options that a hint may name alone: those of the commands that carry a study out."""
    context = click.Context(group)
    found = [group.get_command(context, name) for name in ("run", "plan", "resume", "crosscheck")]
    return options(*(command for command in found if command is not None))


@cache
def all_options() -> set[str]:

    def below(command: click.Command) -> set[str]:
        found = options(command)
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                found |= below(inner)
        return found

    return below(group)


@cache
def keys(table: str) -> set[str]:
    """The keys of a table of study files, of any kind of workload, storage or rig."""
    from fsgauge.study.reference import reference_page

    page = reference_page()
    return set(re.findall(r"^\| `([a-z_]+)` \|", page, re.MULTILINE)) | set(
        re.findall(rf"`{table}\.([a-z_]+)`", page)
    )


def hints_of(output: str) -> list[str]:
    """The hints in what a command printed."""
    return [
        line.strip().removeprefix("next: ")
        for line in output.splitlines()
        if line.strip().startswith("next: ")
    ]
