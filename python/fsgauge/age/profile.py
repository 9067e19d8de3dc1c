"""From a profile's name and KEY=VALUE settings to the profile that the engine takes.

Keys are those of the wire without their unit, which the value has: `chunk=1MiB` is `chunk_bytes`,
`sizes.median=16KiB` is `sizes.median_bytes`.

Profile `database` overwrites. On a copy-on-write file system mode fast has no data to copy: it
would punch holes and allocate again. An old extent is kept until all of it is overwritten, so files
take up to twice their size. Mode and fill level default accordingly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from fsgauge.engine import wire
from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.machine.facts.mounts import mount_holding
from fsgauge.quantities import UnitError
from fsgauge.study.system import COPY_ON_WRITE
from fsgauge.units import exact_percent, parse_duration_ns, parse_percent, parse_size

PROFILES: dict[str, wire.AgeProfile] = {
    "intermingled": wire.IntermingledProfile(),
    "churn": wire.ChurnProfile(),
    "connections": wire.ConnectionsProfile(),
    "git-like": wire.GitLikeProfile(),
    "database": wire.DatabaseProfile(),
}
"""Every profile with its defaults, by the name that a user writes."""

_PROFILE: TypeAdapter[wire.AgeProfile] = TypeAdapter(wire.AgeProfile)
_READERS: dict[str, Callable[[str], float]] = {
    "_bytes": parse_size,
    "_ns": parse_duration_ns,
    "_percent": parse_percent,
}


def profile_of(name: str, settings: Sequence[str]) -> wire.AgeProfile:
    """The profile with its settings; InputError for one that is wrong."""
    profile = PROFILES[name]
    keys = dict(_keys(profile))
    raw: dict[str, Any] = profile.model_dump()
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals:
            raise InputError(f'"{setting}" sets nothing', next=f"--set {next(iter(keys))}=VALUE")
        if key not in keys:
            near = nearest(key, keys)
            raise InputError(
                f'the profile {name} has no "{key}"',
                details=(did_you_mean(near),) if near else (),
                next=_known(keys),
            )
        *path, field = keys[key]
        reduce(dict.__getitem__, path, raw)[field] = _value(setting, field, text.strip())
    try:
        return _PROFILE.validate_python(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        raise InputError(f"--set of {where}: {first['msg']}", next=_known(keys)) from error


def keys_of(name: str) -> list[str]:
    """The keys that --set can change in a profile."""
    return [key for key, _ in _keys(PROFILES[name])]


def _keys(model: wire.Wire, before: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each key that can be set with its path on the wire."""
    for field, value in model:
        path = (*before, field)
        if isinstance(value, wire.Wire):
            yield from _keys(value, path)
        elif field != "kind":
            yield ".".join((*before, _without_unit(field))), path


def _without_unit(field: str) -> str:
    for unit in _READERS:
        field = field.removesuffix(unit)
    return field


def _value(setting: str, field: str, text: str) -> float | str:
    for unit, read in _READERS.items():
        if field.endswith(unit):
            try:
                value = read(text)
            except UnitError as error:
                raise InputError(
                    f"--set {setting}: {error.what}",
                    cause=f"{field} is read with its unit",
                    next=error.hint,
                ) from error
            return int(value) if float(value).is_integer() else value
    return text


def _known(keys: dict[str, tuple[str, ...]]) -> str:
    return f"--set KEY=VALUE with one of: {', '.join(keys)}"


FILL_PERCENT = 80.0
COPIED_FILL_PERCENT = 40.0
_COPYING = frozenset({*COPY_ON_WRITE, "bcachefs", "zfs"})
_MOST_COPIES = 2.0


def file_system_of(folder: Path) -> str:
    """The kernel's name for it; empty where mounts are not visible."""
    mount = mount_holding(folder)
    return mount.file_system if mount else ""


def mode_and_fill(
    profile: wire.AgeProfile,
    file_system: str,
    mode: wire.AgeMode | None,
    fill_percent: float | None,
    end: wire.AgeEnd,
) -> tuple[wire.AgeMode, float]:
    """What was asked for, else the defaults; InputError for what cannot complete."""
    if not _copied(profile, file_system):
        return mode or "fast", FILL_PERCENT if fill_percent is None else fill_percent
    if mode == "fast":
        raise InputError(
            f"mode fast cannot overwrite on {file_system}, as profile database does",
            cause=f"{file_system} writes overwritten data to new extents; mode fast writes no data,"
            " so it would punch holes and fill them, which is another layout",
            next="leave out --mode, for mode write; or --mode direct",
        )
    fill_percent = COPIED_FILL_PERCENT if fill_percent is None else fill_percent
    copies = min(end.storage_age, _MOST_COPIES) if isinstance(end, wire.StorageAgeEnd) else 1.0
    if fill_percent * copies > 100:
        raise InputError(
            f"--fill {exact_percent(fill_percent)} leaves no room for overwrites on {file_system}",
            cause="it keeps an old extent until all of it is overwritten, so files take up to twice"
            " their size",
            next=f"--fill {exact_percent(COPIED_FILL_PERCENT).replace(' ', '')}",
        )
    return mode or "write", fill_percent


def notes_on_copies(result: wire.AgeResult, file_system: str) -> list[str]:
    """A note on mode and fill level; empty where overwrites are in place."""
    if not _copied(result.profile, file_system) or result.mode == "fast":
        return []
    return [
        f"{file_system} is copy-on-write: data was written (mode {result.mode}) and"
        f" {exact_percent(result.fill_percent)} of the space filled, since an old extent is kept"
        " until all of it is overwritten"
    ]


def _copied(profile: wire.AgeProfile, file_system: str) -> bool:
    return profile.kind == "database" and file_system in _COPYING
