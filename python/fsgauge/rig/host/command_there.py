"""Whether the programs of a study are there, before anything of it is started."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

from fsgauge.errors import InputError, RigError
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
            _require_path(name, has_steps=bool(getattr(study.workload, "prepare", [])))
        elif find_program(name) is None:
            raise _not_found(name, package)
    if needed and not _CHILDREN.exists():
        raise RigError(
            "this kernel does not list the children of a process",
            cause="it was built without CONFIG_PROC_CHILDREN, and what a program leaves behind"
            " could not be found",
            next="another kernel",
        )


def _not_found(name: str, package: str) -> InputError:
    """Why a name leads to no program: it is several words, root searches elsewhere, or it is not
    there."""
    if len(name.split()) > 1:
        return InputError(
            f'there is no program "{name}"',
            cause="a program and its arguments are words of their own, and no shell reads them",
            next=f"-- sh -c {shlex.quote(name)}",
        )
    if os.geteuid() == 0 and (of_another := shutil.which(name)) is not None:
        return InputError(
            f"{name} is not in the folders in which root searches",
            cause=f"another user can change {of_another}, or a folder that it is in",
            next=f"-- {shlex.quote(str(Path(of_another).absolute()))}, where you trust it",
        )
    return InputError(
        f"{name} is not installed",
        cause="the study starts it, and fsgauge does not include it",
        next=f"apt-get install {package}" if package else f"command -v {shlex.quote(name)}",
    )


def _require_path(name: str, *, has_steps: bool) -> None:
    """InputError for a program that is no file to execute; one in the run's folder is made by a
    step."""
    place = Path(name)
    if not place.is_absolute():
        if has_steps:
            return
        there = place.is_file()
        raise InputError(
            f"{name} is not in the folder that it starts in",
            cause="each run begins in an empty folder of its own",
            next=f"-- {shlex.quote(str(place.absolute()))}"
            if there
            else "--prepare with a step that makes it there",
        )
    if not place.is_file():
        raise InputError(
            f"there is no program {name}",
            cause="it is a folder" if place.is_dir() else "no file has this name",
            next=f"ls -ld {shlex.quote(name)}; a folder to compare stands behind --system",
        )
    if not os.access(place, os.X_OK):
        raise InputError(
            f"{name} cannot be executed",
            cause="its permissions do not allow it",
            next=f"chmod +x {shlex.quote(name)}",
        )
