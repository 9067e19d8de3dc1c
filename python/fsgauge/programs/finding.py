"""Programs: where they are found, where the engine's binary is, and what they are told.

For root, the system's folders come first, whatever PATH root has inherited. The engine's place is
never read from a record or a ledger, and never in the working folder.
Root's environment is often that of another user (`su`, `sudo -E`), and libraries load code that it
names: LD_PRELOAD, GCONV_PATH, PYTHONPATH, KUBECONFIG, extensions below HOME. So for root there is a
list of variables that are passed on, and no other. Of an ordinary user it is that user's own, and
children get all of it but the password of a share.
"""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
import stat
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from fsgauge.errors import RigError

PATH_VARIABLE = "FSGAUGE_PATH"
"""Folders that come before all others, also for root: to measure a custom mkfs."""
_ADMINISTRATOR = ("/usr/local/sbin", "/usr/sbin", "/sbin")
_SYSTEM = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


def search_path() -> str:
    """The folders in which programs are found.

    FSGAUGE_PATH first. Then for root the system's folders, and those of PATH that only root can
    change; for others PATH, and the administrator's folders, which it often lacks. A relative
    folder is none: it would be another one wherever fsgauge is started.
    """
    chosen = _folders(os.environ.get(PATH_VARIABLE, ""))
    inherited = _folders(os.environ.get("PATH", os.defpath))
    if os.geteuid() == 0:
        inherited = [folder for folder in inherited if only_root_changes(Path(folder))]
        found = [*chosen, *_SYSTEM, *inherited]
    else:
        found = [*chosen, *inherited, *_ADMINISTRATOR]
    return os.pathsep.join(dict.fromkeys(found))


def _folders(path: str) -> list[str]:
    return [folder for folder in path.split(os.pathsep) if Path(folder).is_absolute()]


def find_program(name: str) -> str | None:
    return shutil.which(name, path=search_path())


def only_root_changes(place: Path, *, is_shared: bool = False) -> bool:
    """Whether no one but root can change a file or folder, or put another one in its place. One
    that is not there is what the last folder above it is. `is_shared` folders may be sticky ones,
    in which everybody has files."""
    if not place.is_absolute():
        return False
    try:
        real = place.resolve()
        there = [each for each in (real, *real.parents) if os.path.lexists(each)]
        return all(_safe(each.stat(), is_last=each == there[0] and not is_shared) for each in there)
    except (OSError, RuntimeError):
        return False


def _safe(status: os.stat_result, *, is_last: bool) -> bool:
    others_write = status.st_mode & 0o022
    sticky = status.st_mode & stat.S_ISVTX and not is_last
    return status.st_uid == 0 and (not others_write or bool(sticky))


ENGINE_VARIABLE = "FSGAUGE_ENGINE"
_NAME = "fsgauge-engine"


def find_engine() -> Path:
    """The engine's binary: FSGAUGE_ENGINE, beside this interpreter, or on PATH. Raises RigError
    with every place that was tried."""
    named = os.environ.get(ENGINE_VARIABLE)
    places = [Path(named).absolute()] if named else _places()
    for place in places:
        if place.is_file() and os.access(place, os.X_OK):
            return place
    for place in filter(Path.is_file, places):
        raise _not_executable(place)
    raise RigError(
        f"the engine {_NAME} is not installed",
        details=tuple(f"tried {place}" for place in places),
        cause="the package was installed without its binary, or FSGAUGE_ENGINE names another file",
        next="make setup",
    )


def _not_executable(place: Path) -> RigError:
    if os.statvfs(place).f_flag & os.ST_NOEXEC:
        return RigError(
            f"the engine {place} cannot be started",
            cause="its file system is mounted noexec",
            next=f"install fsgauge elsewhere, or FSGAUGE_ENGINE=/elsewhere/{_NAME}; or as root:"
            f" mount -o remount,exec the file system of {place.parent}",
        )
    return RigError(
        f"the engine {place} cannot be started",
        cause="this user may not execute it",
        next=f"chmod +x {shlex.quote(str(place))}",
    )


def _places() -> list[Path]:
    """Where an install puts the binary, in order, each once."""
    started, on_path = _started_file(), find_program(_NAME)
    found = [
        Path(sysconfig.get_path("scripts")) / _NAME,
        *([started.resolve().parent / _NAME] if started else []),
        *([Path(on_path)] if on_path else []),
    ]
    return list(dict.fromkeys(found))


def _started_file() -> Path | None:
    """The command that was started; None for `python -c` and `-m`, whose name is no file's. Read as
    a path it would lie in the working folder, and root would run what it finds there."""
    name = sys.argv[0] if sys.argv else ""
    return Path(name) if name not in ("", "-c", "-m") and Path(name).is_file() else None


PASSWORD_VARIABLE = "FSGAUGE_SMB_PASSWORD"  # noqa: S105 - the variable's name, not a password
"""Where the password of a share is looked for when the study names no file."""

_KEPT = frozenset(
    {
        *("LANG", "LANGUAGE", "TERM", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "COLORTERM"),
        *("USER", "LOGNAME", "PATH", "SUDO_UID", "SSH_AUTH_SOCK"),
        *("_FSGAUGE_COMPLETE", "COMP_WORDS", "COMP_CWORD"),
        *("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"),
    }
)
_KEPT_PREFIXES = ("FSGAUGE_", "LC_", "SLURM_", "KUBERNETES_")
_PLACES = frozenset(
    {
        *("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"),
        *("TMPDIR", "KUBECONFIG", "SLURM_CONF", "LD_LIBRARY_PATH"),
        *(f"DASK_DISTRIBUTED__COMM__TLS__{name}" for name in ("CA_FILE", "CLIENT__CERT")),
        "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY",
    }
)
"""Kept where only root can change what they name."""


def child_environment(**more: str) -> dict[str, str]:
    """For every program but the engine, which alone gets the password of a share."""
    kept = engine_environment()
    kept.pop(PASSWORD_VARIABLE, None)
    return {**kept, "PATH": search_path(), **more}


def engine_environment() -> dict[str, str]:
    """The same with the password. The engine's place is absolute: children start in another
    folder."""
    kept = _of_root(os.environ) if os.geteuid() == 0 else dict(os.environ)
    if named := kept.get(ENGINE_VARIABLE):
        kept[ENGINE_VARIABLE] = str(Path(named).absolute())
    return kept


def clean_own_environment() -> None:
    """For root, this process's own: its libraries read HOME, TMPDIR and others at any time."""
    if os.geteuid() != 0:
        return
    kept = _of_root(os.environ)
    for name in set(os.environ) - set(kept):
        del os.environ[name]
    os.environ.update(kept)


def _of_root(given: Mapping[str, str]) -> dict[str, str]:
    kept = {
        name: value
        for name, value in given.items()
        if name not in _PLACES and (name in _KEPT or name.startswith(_KEPT_PREFIXES))
    }
    kept["HOME"] = pwd.getpwuid(0).pw_dir
    for name in _PLACES & set(given):
        # Files in a folder for everybody have names that no one can guess.
        is_shared = name == "TMPDIR"
        places = [Path(each) for each in given[name].split(os.pathsep)]
        if all(only_root_changes(place, is_shared=is_shared) for place in places):
            kept[name] = given[name]
    return kept
