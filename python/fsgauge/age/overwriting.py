"""Mode and fill level of profile `database`, which overwrites, where overwrites are copied.

Mode fast writes nothing, so there it would punch a hole and allocate anew: no file system is used
so. An old extent stays until all of it is overwritten, so the files take up to twice their size.
"""

from __future__ import annotations

from pathlib import Path

from fsgauge.errors import InputError
from fsgauge.rig.host.machine.mounts import mount_holding
from fsgauge.study.system import COPY_ON_WRITE
from fsgauge.units import exact_percent
from fsgauge.wire import AgeEnd, AgeMode, AgeProfile, AgeResult, StorageAgeEnd

FILL_PERCENT = 80.0
COPIED_FILL_PERCENT = 40.0
_COPYING = frozenset({*COPY_ON_WRITE, "bcachefs", "f2fs", "nilfs2", "zfs"})
_MOST_COPIES = 2.0


def file_system_of(folder: Path) -> str:
    """As the kernel names it; empty where mounts are not visible."""
    mount = mount_holding(folder)
    return mount.file_system if mount else ""


def mode_and_fill(
    profile: AgeProfile,
    file_system: str,
    mode: AgeMode | None,
    fill_percent: float | None,
    end: AgeEnd,
) -> tuple[AgeMode, float]:
    """What was asked for, else the defaults; InputError for what cannot come to its end."""
    if not _copied(profile, file_system):
        return mode or "fast", FILL_PERCENT if fill_percent is None else fill_percent
    if mode == "fast":
        raise InputError(
            f"mode fast cannot overwrite on {file_system}, as profile database does",
            cause=f"{file_system} copies what is overwritten, and without data there is nothing"
            " to copy: holes would be punched and filled, which is another layout",
            next="leave --mode out (write), or --mode direct",
        )
    fill_percent = COPIED_FILL_PERCENT if fill_percent is None else fill_percent
    copies = min(end.storage_age, _MOST_COPIES) if isinstance(end, StorageAgeEnd) else 1.0
    if fill_percent * copies > 100:
        raise InputError(
            f"--fill {exact_percent(fill_percent)} leaves no room for overwrites on {file_system}",
            cause="it keeps an old extent until all of it is overwritten, so the files take up to"
            " twice their size",
            next=f"--fill {exact_percent(COPIED_FILL_PERCENT).replace(' ', '')}",
        )
    return mode or "write", fill_percent


def notes_on_copies(result: AgeResult, file_system: str) -> list[str]:
    """What a reader should know of mode and fill; empty where overwrites stay in place."""
    if not _copied(result.profile, file_system) or result.mode == "fast":
        return []
    return [
        f"{file_system} copies what is overwritten, so data was written (mode {result.mode}), and"
        f" files were filled to {exact_percent(result.fill_percent)} of the space: an old extent"
        " stays until all of it is overwritten"
    ]


def _copied(profile: AgeProfile, file_system: str) -> bool:
    return profile.kind == "database" and file_system in _COPYING
