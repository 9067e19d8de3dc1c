"""Programs: where they are found, their environment, and where the engine's binary is.

For root, the system's folders come first, whatever PATH root has inherited. The engine's place is
never read from a record or a ledger, and never in the working folder.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import sysconfig
from pathlib import Path

from fsgauge.errors import RigError

PASSWORD_VARIABLE = "FSGAUGE_SMB_PASSWORD"  # noqa: S105 - the variable's name, not a password
PATH_VARIABLE = "FSGAUGE_PATH"
"""Folders that come before all others, also for root: to measure a custom mkfs."""
_ADMINISTRATOR = ("/usr/local/sbin", "/usr/sbin", "/sbin")
_SYSTEM = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


def child_environment(**more: str) -> dict[str, str]:
    """For every program but the engine, which alone gets the password of a share."""
    kept = {key: value for key, value in os.environ.items() if key != PASSWORD_VARIABLE}
    return {**kept, "PATH": search_path(), **more}


def search_path() -> str:
    """The folders in which programs are found.

    FSGAUGE_PATH first. Then for root the system's folders, and those of PATH that only root can
    change; for others PATH, and the administrator's folders, which it often lacks. A relative
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


_NAME = "fsgauge-engine"


def find_engine() -> Path:
    """The engine's binary: FSGAUGE_ENGINE, beside this interpreter, or on PATH.

    Raises RigError with every place that was tried.
    """
    named = os.environ.get("FSGAUGE_ENGINE")
    places = [Path(named)] if named else _places()
    for place in places:
        if place.is_file() and os.access(place, os.X_OK):
            return place
    raise RigError(
        f"the engine {_NAME} is not installed",
        details=tuple(f"tried {place}" for place in places),
        cause="the package was installed without its binary, or FSGAUGE_ENGINE names another file",
        next="make setup",
    )


def _places() -> list[Path]:
    """Where an install puts the binary, in order, each once."""
    started, on_path = _started_file(), shutil.which(_NAME, path=search_path())
    found = [
        Path(sysconfig.get_path("scripts")) / _NAME,
        *([started.resolve().parent / _NAME] if started else []),
        *([Path(on_path)] if on_path else []),
    ]
    return list(dict.fromkeys(found))


def _started_file() -> Path | None:
    """The command that was started; None for `python -c` and `-m`, whose name is no file's.

    Read as a path it would lie in the working folder, and root would run what it finds there.
    """
    name = sys.argv[0] if sys.argv else ""
    return Path(name) if name not in ("", "-c", "-m") and Path(name).is_file() else None
