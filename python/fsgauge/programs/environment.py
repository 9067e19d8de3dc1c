"""What programs are told in their environment: for root a list of variables, and no other.

Root's environment is often that of another user (`su`, `sudo -E`), and libraries load code that it
names: LD_PRELOAD, GCONV_PATH, PYTHONPATH, KUBECONFIG, extensions below HOME. Of an ordinary user it
is that user's own, and children get all of it but the password of a share.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping
from pathlib import Path

from fsgauge.programs.finding import ENGINE_VARIABLE, only_root_changes, search_path

PASSWORD_VARIABLE = "FSGAUGE_SMB_PASSWORD"  # noqa: S105 - the variable's name, not a password

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
