"""Which results folders a command is given, and what is meant by what is none: the folder above
them, systems, folders to measure."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from fsgauge.errors import InputError, quoted
from fsgauge.kinds import DEFAULT
from fsgauge.units import some_of


def two_results(folders: Sequence[Path]) -> tuple[Path, Path]:
    """A and B; InputError for another number, with what takes the results that there are."""
    if len(folders) == 2:
        _require_results(folders)
        return folders[0], folders[1]
    if len(folders) == 1:
        raise InputError(
            "compare takes two results folders, and one is named",
            next=f"fsgauge compare {quoted(folders[0])} B, or fsgauge report {quoted(folders[0])}",
        )
    results = [each for each in folders if os.path.lexists(each / "study.json")]
    others = [str(each) for each in folders if each not in results]
    if results and others:
        is_none = "is not a results folder" if len(others) == 1 else "are not results folders"
        raise InputError(
            f"{some_of(others, _MOST_NAMED)} {is_none}",
            cause="it has no study.json, which `fsgauge run` writes before its first run",
            next=shlex.join(_command_for(results)),
        )
    raise InputError(
        f"compare takes two results folders, and {len(folders)} are named",
        cause="a study that is run again makes another folder in the same place",
        next=shlex.join(_command_for(folders)),
    )


_MOST_NAMED = 3


def _command_for(folders: Sequence[Path]) -> list[str]:
    """What takes so many results folders: before/* and after/* are several of each side."""
    names = list(map(str, folders))
    if len(folders) <= 2:
        return ["fsgauge", "compare" if len(folders) == 2 else "report", *names]
    above = list(dict.fromkeys(each.parent for each in folders))
    if len(above) != 2:
        return ["fsgauge", "history", *names]
    (a, *more_a), (b, *more_b) = ([f for f in folders if f.parent == side] for side in above)
    words = ["fsgauge", "compare", str(a), str(b)]
    words += [word for each in more_a for word in ("--more-a", str(each))]
    return words + [word for each in more_b for word in ("--more-b", str(each))]


def _require_results(directories: Sequence[Path]) -> None:
    """InputError for systems and for folders to measure, which a study compares."""
    from fsgauge.cli.asked_study import is_system
    from fsgauge.store.folder import results_in

    names = list(map(str, directories))
    if any(os.path.lexists(each / "study.json") or results_in(each) for each in directories):
        return
    if all(map(os.path.isdir, directories)):
        measured = names
    elif all(map(is_system, names)):
        measured = [part for each in names for part in ("--system", each)]
        measured = [DEFAULT, "--baseline", names[0], *measured]
    else:
        return
    raise InputError(
        f"{names[0]} and {names[1]} are not results folders, which `compare` takes",
        cause="systems and folders are compared by one study, which measures them in turns",
        next=shlex.join(["fsgauge", "plan", *measured]),
    )


def require_series(directories: Sequence[Path]) -> None:
    """InputError for the folder above a series, with the study that has most of it."""
    from fsgauge.store.folder import results_in, study_in_name

    if len(directories) > 1 or os.path.lexists(directories[0] / "study.json"):
        return
    (above,) = directories
    studies = Counter(study_in_name(each) for each in results_in(above))
    if studies:
        study, many = studies.most_common(1)[0]
        raise InputError(
            f"{above} is not a results folder, but holds {many} of {study}",
            next=f"fsgauge history {quoted(above)}/{quoted(study)}-*",
        )
