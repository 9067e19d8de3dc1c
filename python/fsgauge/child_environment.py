"""What programs are started with: this process's variables without its password, and a PATH.

root's programs come from the system's folders first, whoever's PATH root has inherited.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

PASSWORD_VARIABLE = "FSGAUGE_SMB_PASSWORD"  # noqa: S105 - the variable's name, not a password
PATH_VARIABLE = "FSGAUGE_PATH"
"""Folders that come before all others, for root too: to measure a mkfs of one's own."""
_ADMINISTRATOR = ("/usr/local/sbin", "/usr/sbin", "/sbin")
_SYSTEM = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


def child_environment(**more: str) -> dict[str, str]:
    """For every program but the engine: the password of a share is the engine's alone."""
    kept = {key: value for key, value in os.environ.items() if key != PASSWORD_VARIABLE}
    return {**kept, "PATH": search_path(), **more}


def search_path() -> str:
    """The folders in which programs are found.

    FSGAUGE_PATH first. Then for root the system's folders, and those of PATH that nobody but root
    can change; for others PATH, and the administrator's folders, which it often lacks. A relative
    folder is none: it would be another one wherever fsgauge is started.
    """
    chosen = _folders(os.environ.get(PATH_VARIABLE, ""))
    inherited = _folders(os.environ.get("PATH", os.defpath))
    if os.geteuid() == 0:
        inherited = [folder for folder in inherited if _is_roots(folder)]
        found = [*chosen, *_SYSTEM, *inherited]
    else:
        found = [*chosen, *inherited, *_ADMINISTRATOR]
    return os.pathsep.join(dict.fromkeys(found))


def _folders(path: str) -> list[str]:
    return [folder for folder in path.split(os.pathsep) if Path(folder).is_absolute()]


def _is_roots(folder: str) -> bool:
    """Whether only root can put a program there, or put another folder in its place."""
    try:
        real = Path(folder).resolve(strict=True)
        return all(_safe(each.stat(), last=each == real) for each in (real, *real.parents))
    except OSError:
        return False


def _safe(status: os.stat_result, *, last: bool) -> bool:
    others_write = status.st_mode & 0o022
    sticky = status.st_mode & stat.S_ISVTX and not last
    return status.st_uid == 0 and (not others_write or bool(sticky))
