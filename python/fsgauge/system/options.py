"""The user's mkfs and mount options as words, checked against the lists of the kind (kind.py); and
what a kind, and an option of it, is, for `fsgauge explain`.

mkfs and mount run as root. `mkfs = "/dev/sdb"`, `-l logdev=/dev/sdb`, `-J device=LABEL=home` or
`-z FILE` would write without consent, so unknown options are refused.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from fsgauge.durability import WEAKENINGS
from fsgauge.errors import InputError, RefusedError, did_you_mean, nearest, quoted
from fsgauge.study.system import System
from fsgauge.system import find_kind, system_kinds
from fsgauge.system.kind import EVERY_MOUNT, NOTHING, FileSystem, Form, Keys

_OF_THE_MOUNT = frozenset(
    {"ro", "loop", "bind", "rbind", "move", "remount", "noauto", "offset", "sizelimit", "user"}
)
_MOUNTS_ITSELF = "fsgauge mounts its own device read-write on its own folder"
_NAMES = ("-L", "-U", "--label", "--uuid", "uuid")
_BY_NAME = "a label or UUID may equal another disk's, and then a search finds two"
_SET_ALREADY = "fsgauge sets that itself"
_MAY_REACH = (
    "an option may name a file or another device, and root would write there:"
    " only those that cannot are accepted"
)
_OTHERWISE = (
    "fsgauge explain system.{key}; or make and mount it yourself, then: --system /mounted/folder"
)


def mkfs_words(kind: FileSystem, text: str, system: str) -> list[str]:
    """Words of the study's `mkfs`, split as a shell does; RefusedError for one not in the list."""
    words = _split(text, f'mkfs of the system "{system}"')
    for name, value in switches(kind, words, system):
        takes = kind.mkfs_options[name]
        if isinstance(takes, Form):
            _require_form(f"{name} {value}".strip(), value, takes, "mkfs", system)
        else:
            for option in value.split(","):
                _require_known(option, takes, f"{name} of {kind.mkfs}", "mkfs", system)
    return words


def mount_words(kind: FileSystem, text: str, system: str) -> list[str]:
    """Single options of the study's `mount`: "noatime,discard", a leading -o allowed."""
    where = f'mount of the system "{system}"'
    words = [word.removeprefix("-o") for word in _split(text, where)]
    options = [option for word in words for option in word.split(",") if option]
    for option in options:
        if option.startswith("-"):
            raise InputError(
                f'"{option}" is no mount option ({where})',
                next='write options as after -o, with commas: mount = "noatime,discard"',
            )
        known = {**EVERY_MOUNT, **kind.mount_options}
        _require_known(option, known, f"mount -t {kind.driver}", "mount", system)
    return options


def known_options(name: str) -> dict[str, list[str]]:
    """What `mkfs` and `mount` of a kind may be given, as `vary` calls it: "-m.reflink"; nothing of
    one that is not made."""
    kind = system_kinds().get(name)
    if not isinstance(kind, FileSystem):
        return {}
    mkfs = [
        f"{switch}.{each}" if each else switch
        for switch, takes in kind.mkfs_options.items()
        for each in (("",) if isinstance(takes, Form) else takes)
    ]
    return {"mkfs": mkfs, "mount": [*EVERY_MOUNT, *kind.mount_options]}


def check_options(kind: FileSystem, mkfs: str, mount: str, system: str) -> None:
    """RefusedError or InputError for an option that a study may not set."""
    mkfs_words(kind, mkfs, system)
    mount_words(kind, mount, system)


def made_with_inodes(system: System, size_bytes: int) -> Callable[[int], str]:
    """By how many files are to have one: --set with the study's own options of mkfs and one more;
    "" where none gives so many."""
    return partial(_made_with, system, size_bytes)


def _made_with(system: System, size_bytes: int, number: int) -> str:
    kind = find_kind(system.kind)
    more = kind.more_inodes(number, size_bytes) if isinstance(kind, FileSystem) else ""
    key, equals, _ = more.rpartition(" ")[2].partition("=")
    if not more or (equals and f"{key}=" in system.mkfs):  # mkfs.xfs takes a key once
        return ""
    options = f"{system.mkfs} {more}".strip()
    return f"--set {quoted(f'system.{system.name}.mkfs={options}')}"


def _split(text: str, where: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise InputError(
            f"{where} cannot be split into words: {error}",
            details=(text,),
            cause="a quotation mark is open",
            next="close every quote in it",
        ) from error


def switches(kind: FileSystem, words: Iterable[str], system: str) -> Iterator[tuple[str, str]]:
    """Each option of a command line with its value, as the tool's getopt(3) would read it.
    Abbreviated long options and combined flags are refused."""
    known = kind.mkfs_options
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word in ("-", "--"):
            raise RefusedError(
                f'"{word}" is not an option (mkfs of the system "{system}")',
                cause="a study formats only its own storage, which [storage] names",
                next=_OTHERWISE.format(key="mkfs"),
            )
        long = word.startswith("--")
        name, joined, value = word.partition("=") if long else (word[:2], word[2:], word[2:])
        if name not in known:
            raise _unknown(name, known, kind.mkfs, "mkfs", system)
        if known[name] == NOTHING and joined:
            raise InputError(
                f'"{word}": {name} takes no value (mkfs of the system "{system}")',
                next="write each option separately, with its dash",
            )
        yield name, value if joined or known[name] == NOTHING else next(rest, "")


def _require_known(option: str, known: Keys, tool: str, key: str, system: str) -> None:
    name, equals, value = option.partition("=")
    if name not in known:
        raise _unknown(name, known, tool, key, system)
    form = known[name]
    if equals and form == NOTHING:
        raise InputError(
            f'"{option}": {name} takes no value ({key} of the system "{system}")',
            next=f"leave ={value} out",
        )
    if equals or not form.optional:
        _require_form(option, value, form, key, system)


def _require_form(option: str, value: str, form: Form, key: str, system: str) -> None:
    if not form.fits(value):
        raise RefusedError(
            f'"{option}" is not known to be safe as root ({key} of the system "{system}")',
            cause=f"its value must be {form.words}",
            next=_OTHERWISE.format(key=key),
        )


def _unknown(name: str, known: Iterable[str], tool: str, key: str, system: str) -> RefusedError:
    near = nearest(name, known)
    list_of_all = f"{tool} may be given: {', '.join(sorted(known, key=str.lower)) or 'nothing'}"
    return RefusedError(
        f'"{name}" is not known to be safe as root ({key} of the system "{system}")',
        details=(did_you_mean(near),) if near and near[0] != name else (list_of_all,),
        cause=_reason(name, tool),
        next=_OTHERWISE.format(key=key),
    )


def _reason(name: str, tool: str) -> str:
    if name in _NAMES:
        return _BY_NAME
    if tool.startswith("mount"):
        return _MOUNTS_ITSELF if name in _OF_THE_MOUNT else _MAY_REACH
    return _SET_ALREADY if name in ("-q", "-f", "-F", "--quiet", "--force") else _MAY_REACH


_COMMAND = "fsgauge run overhead --baseline default --system default={}"
"""A name of its own: a system that the study has by its name keeps the options it has there."""
_FIRST = ("ext4", "xfs", "btrfs")
"""The first of them that has an option is in its example."""


def kind_words(name: str) -> str:
    """A file system that a study can make, with how to name it; "" for none of that name."""
    kind = system_kinds().get(name.strip().lower())
    if not isinstance(kind, FileSystem):
        return ""
    options = shlex.quote(f"{kind.name}:mount=noatime")
    return "\n".join(
        (
            kind.name,
            f"  A file system that a study makes and mounts: {kind.summary}. --system {kind.name}"
            f" compares it with the study's baseline, --system {options} with an option.",
            "  more: fsgauge doctor --systems, fsgauge explain system",
        )
    )


@dataclass(frozen=True)
class _Option:
    """An option as mount or mkfs takes it, with what its value has to be; `switch` is that of mkfs
    before it: -d of -d agcount=8."""

    kind: FileSystem
    tool: str
    takes: Form
    switch: str = ""


def option_words(text: str) -> str:
    """An option of mount or mkfs, with how to compare systems by it; "" for none of that name."""
    text = text.strip()
    name, equals, _ = text.partition("=")
    found = list(_options(name))
    if not found:
        return ""
    first = min(found, key=lambda each: _place(each.kind.name))
    kinds = sorted((each.kind.name for each in found if each.tool == first.tool), key=_place)
    needs = not (equals or first.takes.optional or first.takes.fits(""))
    option = f"{first.switch} {name}=VALUE" if needs else f"{first.switch} {text}"
    compared = shlex.quote(f"{first.kind.name}:{first.tool}={option.strip()}")
    of = "every file system" if name in EVERY_MOUNT else ", ".join(kinds)
    value = f" VALUE is {first.takes.words}." if needs else ""
    lines = [
        text,
        f"  {'A mount' if first.tool == 'mount' else 'An mkfs'} option of {of}."
        f"{value}\n  With and without: {_COMMAND.format(first.kind.name)} --system {compared}",
    ]
    loses = {each.loses for each in WEAKENINGS if each.place == first.tool and each.fits(text)}
    lines += [f"  It weakens durability: {each}." for each in sorted(loses)]
    page = "8 mount" if name in EVERY_MOUNT else f"5 {first.kind.name}"
    lines.append(f"  more: man {page if first.tool == 'mount' else first.kind.mkfs}")
    return "\n".join(lines)


def option_names() -> list[str]:
    kinds = [kind for kind in system_kinds().values() if isinstance(kind, FileSystem)]
    return sorted({*EVERY_MOUNT, *(name for kind in kinds for name in kind.mount_options)})


def _place(kind: str) -> int:
    return _FIRST.index(kind) if kind in _FIRST else len(_FIRST)


def _options(name: str) -> Iterator[_Option]:
    kinds = [kind for kind in system_kinds().values() if isinstance(kind, FileSystem)]
    for kind in kinds:
        takes = {**EVERY_MOUNT, **kind.mount_options}.get(name)
        if takes is not None:
            yield _Option(kind, "mount", takes)
    for kind in kinds:
        for switch, keys in kind.mkfs_options.items():
            if not isinstance(keys, Form) and name in keys:
                yield _Option(kind, "mkfs", keys[name], switch)
