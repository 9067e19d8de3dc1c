"""Where the engine's binary is: it is looked for anew by whoever starts it.

root runs what is found, so no place is read from a record or a ledger, and none lies in the folder
that a person happens to stand in.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from fsgauge.child_environment import search_path
from fsgauge.errors import RigError

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
