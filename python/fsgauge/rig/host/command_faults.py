"""Why a program of a study cannot be started, or a run of it has failed, and what helps."""

from __future__ import annotations

import errno
import os
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fsgauge.engine.wire import EngineFault
from fsgauge.errors import InputError, RigError, quoted
from fsgauge.plain_files.rights import folder_above
from fsgauge.programs.finding import find_program
from fsgauge.programs.starting import how_it_ended
from fsgauge.programs.supervisor import PRINTED_TOO_MUCH
from fsgauge.record.command import CommandJob
from fsgauge.storage.base import typed
from fsgauge.study.model import Study
from fsgauge.study.storage import LoopStorage, RamStorage, Storage
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
    return shlex.join(["--", *first, *getattr(study.workload, "program", [])[1:]])


def _is_several_words(name: str) -> bool:
    first, *more = name.split()
    return bool(more) and (os.sep not in first or Path(first).is_file())


def _for_a_shell(name: str, study: Study) -> InputError:
    more = shlex.join(getattr(study.workload, "program", [])[1:])
    return InputError(
        f'there is no program "{name}"',
        cause="a program and its arguments are words of their own, and no shell reads them",
        next=shlex.join(["--", "sh", "-c", f"{name} {more}".strip()]),
    )


def _not_found(name: str, package: str, study: Study) -> InputError:
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


_FULL_SHARE = 0.01
_FULL_BYTES = 16 << 20
"""A hundredth of a large disk is room enough for most programs."""
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_FAILED = (errno.EIO, errno.EROFS, errno.EUCLEAN)
_REFUSED = "the file system is full, read-only after an error, or its device failed"
_OF_TERMINAL = re.compile(
    rf"\bnot a (tty|terminal)\b|/dev/tty\b|terminal is required|{os.strerror(errno.ENOTTY)}",
    re.IGNORECASE,
)
_OF_SERVER = re.compile(
    rf"\bconnection to (the )?server\b|\b(could not|can't|cannot) connect\b"
    rf"|{os.strerror(errno.ECONNREFUSED)}",
    re.IGNORECASE,
)
_WITH_SERVER = {"pgbench": "fsgauge run command-pgbench   (makes a cluster in each run's folder)"}
"""Shipped studies that start the server of a program."""
_STARTED = "--prepare 'COMMAND'   (one that starts it there: a server lasts for the run)"
_NO_FORMAT = os.strerror(errno.ENOEXEC)
_BY_HAND = "try it by hand in an empty folder"


def fault_of(job: CommandJob, said: dict[str, Any], storage: Storage) -> EngineFault | None:
    """Of the program, by what its supervisor says; None where it did its work."""
    name = Path(job.program[0]).name
    if "not_started" in said:
        return _not_started(job.program, said["not_started"])
    last = (said["errors"] or said["output"])[-3:]
    words = _last_words(last)
    wants_terminal = any(map(_OF_TERMINAL.search, said["errors"][-3:] + said["output"][-3:]))
    if said["exit_code"] is None:
        seconds = job.time_limit_ns / 1e9
        what = f"{name} did not end within {seconds:g} s, and was killed{words}"
        if wants_terminal:
            return _without_terminal(what, job.program, "command.time_limit")
        return _fault(
            what,
            "it hangs, waits for input, or needs longer",
            f"{_BY_HAND}; if it may take longer: --set workload.time_limit={round(10 * seconds)}s",
            "command.time_limit",
        )
    if said["exit_code"] in job.exit_codes:
        number = said["not_written"]
        return _not_written(name, number, storage) if number else None
    how = how_it_ended(said["exit_code"])
    if _is_full(job.folder, last):
        return _full(f"{name} ended with {how}: the file system is full{words}", storage)
    what = f"{name} ended with {how}{words}"
    if _says(last, _FAILED):
        cause, next_step = _REFUSED, "dmesg | tail"
    elif any(map(_OF_SERVER.search, last)):
        cause = "it needs a server, and none answered where it looked"
        next_step = _WITH_SERVER.get(name, _STARTED)
    elif wants_terminal and said["exit_code"] > 0:
        return _without_terminal(what, job.program, "command.failed")
    else:
        cause, next_step = _of_code(said["exit_code"], job.exit_codes)
    return _fault(what, cause, next_step, "command.failed")


def _not_written(name: str, number: int, storage: Storage) -> EngineFault:
    what = f"{name} ended, and what it wrote could not be written back: {os.strerror(number)}"
    if number in _NO_ROOM:
        return _full(what, storage)
    return _fault(what, _REFUSED, "dmesg | tail", "command.write_back", number)


def fault_of_folder(error: OSError) -> EngineFault:
    if error.errno == errno.EEXIST:
        return _fault(
            "an earlier run left files that could not be removed",
            "its program made them immutable, or a snapshot that is read-only",
            "have the program, or workload.finish, remove what it makes; lsattr -R",
            "command.folder",
            error.errno,
        )
    what = f"the folder of a run could not be made: {error.strerror}"
    return _fault(what, _REFUSED, "dmesg | tail; df -i", "command.folder", error.errno)


def fault_of_step(which: str, failed: str, folder: str, storage: Storage) -> EngineFault:
    step, *last = failed.splitlines()
    words = step + _last_words(last)
    if _is_full(folder, failed.splitlines()):
        return _full(f"a step of {which} found the file system full: {words}", storage)
    cause = "steps run in a shell, in the folder of the run"
    next_step = f"try workload.{which} by hand in an empty folder"
    if PRINTED_TOO_MUCH in words:
        cause, next_step = "what a step prints is kept in memory", "> /dev/null behind the step"
    return _fault(f"a step of {which} failed: {words}", cause, next_step, f"command.{which}")


def _last_words(lines: Sequence[str]) -> str:
    """A quotation, without another one in it."""
    said = " / ".join(" ".join(line.split()) for line in lines).replace('"', "'")
    return f': "{said}"' if lines else ""


def _not_started(program: Sequence[str], words: str) -> EngineFault:
    if _says([words], _FAILED):
        cause, next_step = _REFUSED, "dmesg | tail"
    elif words.endswith(_NO_FORMAT):
        cause, next_step = "its first line names no interpreter", f"-- sh {shlex.join(program)}"
    else:
        cause = "its steps did not make it, or the interpreter in its first line is missing"
        next_step = f"{_BY_HAND}: {shlex.join(program)}"
    return _fault(f"could not start {words}", cause, next_step, "command.not_started")


def _without_terminal(what: str, program: Sequence[str], code: str) -> EngineFault:
    """By hand it works: there it has one."""
    return _fault(
        what,
        "it wants a terminal, and a run has none",
        "its option that does without; or one of its own:"
        f" -- script -qec {quoted(shlex.join(program))} /dev/null",
        code,
    )


def _of_code(code: int, known: list[int]) -> tuple[str, str]:
    if code < 0:
        return "it crashed, or was killed (out of memory?)", f"dmesg | tail; {_BY_HAND}"
    codes = ", ".join(map(str, [*known, code]))
    return (
        "it failed; its last lines are in the records",
        f"{_BY_HAND}; if that code is no failure: --set 'workload.exit_codes=[{codes}]'",
    )


def _is_full(folder: str, last: list[str]) -> bool:
    if _says(last, _NO_ROOM):
        return True
    try:
        room = os.statvfs(Path(folder).parent)  # the run's own may be removed by its program
    except OSError:
        return False
    no_inodes = room.f_files > 0 and room.f_ffree == 0
    few_bytes = min(_FULL_SHARE * room.f_blocks * room.f_frsize, _FULL_BYTES)
    return room.f_bavail * room.f_frsize < few_bytes or no_inodes


def _says(last: Sequence[str], numbers: Sequence[int]) -> bool:
    return any(os.strerror(number) in line for line in last for number in numbers)


def _full(what: str, storage: Storage) -> EngineFault:
    if isinstance(storage, LoopStorage | RamStorage):
        next_step = f"--set storage.size={typed(4 * storage.size)}"
    else:
        next_step = "df -h; df -i; more room"
    return _fault(
        what,
        "the program and its steps need more room than the system has",
        next_step,
        "command.full",
        errno.ENOSPC,
    )


def _fault(what: str, cause: str, next: str, code: str, number: int | None = None) -> EngineFault:
    return EngineFault(what=what, cause=cause, next=next, errno=number, code=code)
