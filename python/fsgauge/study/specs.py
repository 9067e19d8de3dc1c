"""Short forms of the command line: --storage loop:8GiB, --system "xfs:mount=noatime". Each becomes
the same raw table that a study file holds, and meets the same checks."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from typing import Any

from fsgauge.errors import InputError, nearest
from fsgauge.study.document import Origin, source_location
from fsgauge.study.locate import Spans
from fsgauge.study.system import KIND, LONGEST_NAME
from fsgauge.study.tunable_places import place_called

_STORAGE_FORMS = (
    "loop:8GiB, ram:1GiB, simulated:20TiB, device:NAME, path:/mnt/x, /dev/NAME,"
    " /dev/NAME,/dev/NAME (one for each system), /existing/folder, ./folder"
)
_PATH = r"(?:/|~|\.{1,2}(?:/|$))"
_BEFORE_PATH = re.compile(f"([^:]*?)=(?={_PATH})")
_ALLOCATING = ("allocation_chunk", "extent_size_hint")
_SYSTEM_KEYS = ("mkfs", "mount", "path", "access", "tunables", "server", "settings", *_ALLOCATING)
_TABLES = ("tunables", "server", "settings")
_SUM_DIGITS = 6
_SPELT_ALIKE = 0.7
_OFTEN = ("raw", "ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "nilfs2")
"""Kinds of systems that are typed one after another."""
_FILE_SYSTEMS = (*_OFTEN, "zfs", "bcachefs", "jfs", "reiserfs", "ntfs", "exfat", "nfs", "tmpfs")
"""What is no mount option behind a kind."""


def option_origin(option: str, text: str, start: int = 0, end: int | None = None) -> Origin:
    span = (start, len(text) if end is None else end)
    return Origin(option, text, Spans(span, span), numbered=False)


def storage_table(spec: str) -> dict[str, Any]:
    """The [storage] table of a --storage option; raises InputError."""
    kind, _, rest = spec.partition(":")
    if re.match(_PATH, spec) or "/" in kind:
        return _storage_at(from_here(spec))
    if kind in ("loop", "ram", "simulated"):
        return {"kind": kind, **({"size": rest} if rest else {})}
    if kind in ("device", "path") and rest:
        return {"kind": kind, kind: from_here(rest) if kind == "path" else rest}
    if os.path.isdir(spec):  # noqa: PTH112 - as above
        return _storage_at(from_here(spec))
    raise InputError(
        f'"{spec}" is not a storage',
        location=option_origin("--storage", spec).key(),
        details=(f"forms: {_STORAGE_FORMS}",),
        next="fsgauge explain storage",
    )


def _storage_at(path: str) -> dict[str, Any]:
    if os.path.isdir(path):  # noqa: PTH112 - one that cannot be looked at is none
        return {"kind": "path", "path": path}
    if path.startswith("/dev/"):
        first, *more = re.split(r",(?=/dev/)", path)
        return {"kind": "device", "device": first, **({"more_devices": more} if more else {})}
    raise InputError(
        f"{path} is neither a folder nor a device",
        location=option_origin("--storage", path).key(),
        next=f"mkdir {shlex.quote(path)}, or use a scratch file: --storage loop:8GiB",
    )


def from_here(path: str) -> str:
    """A path from the root, as records have it; links in it stay."""
    return path if path.startswith("/") else os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111 - resolve() would follow links


def system_table(spec: str) -> dict[str, Any]:
    """The [[system]] table of a --system option; raises InputError. KIND, KIND:KEY=VALUE;KEY=VALUE,
    /mounted/folder, ./folder, each with NAME= before it if wanted. A name may hold = and /, a path
    anything: all of it is the folder's name."""
    named = None if re.match(_PATH, spec) else _BEFORE_PATH.match(spec)
    if named or re.match(_PATH, spec):
        name, path = (named[1].strip(), spec[named.end() :]) if named else ("", spec)
        return _mounted(name, path)
    head, colon, options = spec.partition(":")
    name, _, kind = (part.strip() for part in head.rpartition("="))
    if "/" in kind:
        return _mounted(name, spec[spec.rindex(kind) :])
    if not name and not KIND.fullmatch(kind):
        first, *others = re.split(r"[ ,]+", kind.lower())
        kinds = several_kinds(kind)
        more = "" if kinds else kind[len(first) :].lstrip(" ,")
        is_guess = KIND.fullmatch(first) and (kinds or not set(others) & set(_FILE_SYSTEMS))
        meant = f"{first}:{'mkfs' if more.startswith('-') else 'mount'}={more}" if more else first
        if len(kinds) > 1:
            raise InputError(
                f'"{kind}" are {len(kinds)} systems, and --system takes one',
                location=option_origin("--system", spec, 0, len(head)).key(),
                next=" ".join(f"--system {each}" for each in kinds),
            )
        raise InputError(
            f'"{kind}" is not a kind of system',
            location=option_origin("--system", spec, 0, len(head)).key(),
            details=(f'did you mean "{meant}"?',) if is_guess else (),
            next="fsgauge doctor --systems lists the kinds",
        )
    table: dict[str, Any] = {"kind": kind}
    start = len(spec) - len(options)
    for part in options.split(";") if colon else ():
        _system_option(table, spec, part, start)
        start += len(part) + 1
    table["name"] = name or fitting(_name(table))
    return table


def several_kinds(text: str) -> list[str]:
    """The kinds in "ext4,xfs", each once; [] where a word is no such kind."""
    words = re.split(r"[ ,]+", text.lower())
    return list(dict.fromkeys(words)) if all(each in _OFTEN for each in words) else []


def _mounted(name: str, path: str) -> dict[str, Any]:
    path = from_here(path)
    in_memory = "/dev/shm/"  # noqa: S108 - nothing is put there
    is_among_devices = path.startswith("/dev/") and not path.startswith(in_memory)
    if is_among_devices and not os.path.isdir(path):  # noqa: PTH112 - as above
        raise InputError(
            f"{path} is a device, and a system is a kind of file system or a folder",
            location=option_origin("--system", path).key(),
            next=f"--storage {shlex.quote(path)} --system ext4, or mount it and name the folder",
        )
    return {"kind": "mounted", "path": path, "name": name or fitting(path)}


def _system_option(table: dict[str, Any], spec: str, part: str, start: int) -> None:
    key, equals, value = part.partition("=")
    key, _, tunable = key.strip().partition(".")
    known = key in _SYSTEM_KEYS and bool(tunable) == (key in _TABLES)
    if not equals or not known:
        raise InputError(
            f'"{part.strip()}" is not an option of a system',
            location=source_location(
                "--system", spec, (start, start + len(part)), _meant_option(part.strip()), False
            ),
            details=(
                "known: mkfs=..., mount=..., path=..., access=..., tunables.NAME=..., "
                "server.NAME=..., settings.NAME=..., allocation_chunk=..., extent_size_hint=...,"
                " separated by ;",
            ),
            next="fsgauge explain system",
        )
    if tunable:
        table.setdefault(key, {})[tunable] = value.strip()
    else:
        table[key] = value.strip()


def _meant_option(part: str) -> str:
    """Options of mkfs and of mount, or settings of the kernel, as they are typed elsewhere; or a
    server's folder."""
    if part.startswith("/"):
        return "mount it, and name that folder: NAME=/mnt/x"
    if part.startswith("-"):
        return f"mkfs={part}"
    key, equals, value = part.partition("=")
    if equals and (place := place_called(key)):
        return f"tunables.{place}={value}"
    if equals and (near := nearest(key, _SYSTEM_KEYS, least=_SPELT_ALIKE)):
        return f"{near[0]}={value}"
    return f"mount={part}" if _MOUNT_OPTION.fullmatch(part) else ""


_MOUNT_OPTION = re.compile(r"[a-z][a-z0-9_]*(=[A-Za-z0-9_.:/-]+)?(,[a-z0-9_=]+)*")


def _name(table: dict[str, Any]) -> str:
    """A name that says what is special: "xfs (noatime)"."""
    if table["kind"] == "mounted":
        return str(table.get("path", "mounted"))
    tunables = [f"{key}={value}" for each in _TABLES for key, value in table.get(each, {}).items()]
    special = [table[key] for key in ("mkfs", "mount") if table.get(key)] + tunables
    special += [f"{key} {table[key]}" for key in _ALLOCATING if table.get(key)]
    special += [table["access"]] if table.get("access") and table["kind"] != "share" else []
    return f"{table['kind']} ({', '.join(special)})" if special else str(table["kind"])


def fitting(name: str) -> str:
    """A made name, cut where it is too long; a sum of all of it tells it from its like."""
    if len(name) <= LONGEST_NAME:
        return name
    end = f"... {hashlib.sha256(name.encode()).hexdigest()[:_SUM_DIGITS]}"
    end += ")" if name.endswith(")") else ""
    return name[: LONGEST_NAME - len(end)].rstrip() + end
