"""Whether the programs of a study are there, before anything of it is started."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

from fsgauge.errors import InputError, RigError, quoted
from fsgauge.plain_files.rights import folder_above
from fsgauge.programs.finding import find_program
from fsgauge.study.model import Study
from fsgauge.workload import method_of

_CHILDREN = Path("/proc/thread-self/children")


def require_program(study: Study) -> None:
    """InputError for a program that is not here, with the package that has it where a study says
    so; RigError where what it starts cannot be found again."""
    needed = method_of(study.workload).programs
    for name, package in needed.items():
        if os.sep in name:
            _require_path(name, study)
        elif find_program(name) is None:
            raise _not_found(name, package, study)
    if needed and not _CHILDREN.exists():
        raise RigError(
            "this kernel does not list the children of a process",
            cause="it was built without CONFIG_PROC_CHILDREN, and what a program leaves behind"
            " could not be found",
            next="another kernel",
        )


def _behind(study: Study, *first: str) -> str:
    """The program as it is typed, with these in the place of its first word."""
    return shlex.join(["--", *first, *getattr(study.workload, "program", [])[1:]])


def _is_several_words(name: str) -> bool:
    first, *more = name.split()
    return bool(more) and (os.sep not in first or Path(first).is_file())


def _for_a_shell(name: str, study: Study) -> InputError:
    """Of a name that is several words."""
    more = shlex.join(getattr(study.workload, "program", [])[1:])
    return InputError(
        f'there is no program "{name}"',
        cause="a program and its arguments are words of their own, and no shell reads them",
        next=shlex.join(["--", "sh", "-c", f"{name} {more}".strip()]),
    )


def _not_found(name: str, package: str, study: Study) -> InputError:
    """Why a name leads to no program: it is several words, root searches elsewhere, or it is not
    there."""
    if len(name.split()) > 1:
        return _for_a_shell(name, study)
    if os.geteuid() == 0 and (of_another := shutil.which(name)) is not None:
        return InputError(
            f"{name} is not in the folders in which root searches",
            cause=f"another user can change {of_another}, or a folder that it is in; where you"
            " trust it, its path starts it",
            next=_behind(study, str(Path(of_another).absolute())),
        )
    return InputError(
        f"{name} is not installed",
        cause="the study starts it, and fsgauge does not include it",
        next=f"apt-get install {package}" if package else f"command -v {shlex.quote(name)}",
    )


def _require_path(name: str, study: Study) -> None:
    """InputError for a program that is no file to execute; one in the run's folder is made by a
    step."""
    place = Path(name)
    if not place.is_absolute():
        if getattr(study.workload, "prepare", []):
            return
        if not place.is_file() and _is_several_words(name):
            raise _for_a_shell(name, study)
        raise InputError(
            f"{name} is not in the folder that it starts in",
            cause="each run begins in an empty folder of its own; a step of --prepare may make it"
            " there",
            next=_behind(study, str(place.absolute()))
            if place.is_file()
            else f"ls {quoted(folder_above(place))}",
        )
    if place.is_dir():
        more = getattr(study.workload, "program", [])[1:]
        raise InputError(
            f"there is no program {name}",
            cause="it is a folder; one to compare stands behind --system",
            next=shlex.join(["--system", name, *(["--", *more] if more else [])]),
        )
    if not place.is_file():
        if _is_several_words(name):
            raise _for_a_shell(name, study)
        raise InputError(
            f"there is no program {name}",
            cause="no file has this name",
            next=f"ls {quoted(folder_above(place))}",
        )
    if not os.access(place, os.X_OK):
        raise InputError(
            f"{name} cannot be executed",
            cause="its permissions do not allow it",
            next=f"chmod +x {shlex.quote(name)}",
        )
