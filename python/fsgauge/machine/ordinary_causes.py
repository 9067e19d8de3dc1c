"""Ordinary causes in words: what the system refused, why that is likely, and the next command.

The one place where what no part of fsgauge foresaw is told from a mistake of fsgauge's own: a disk
that fails, a limit of the shell, no memory, no room. Where more is known, it was said there.
"""

from __future__ import annotations

import errno
import os
import resource
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fsgauge.errors import FsgaugeError, RigError

_PACKAGE = Path(__file__).parents[1]
_DEEPEST = 10
_LEAST_BYTES = 512 << 20
"""With fewer, libraries end this process while they are loaded, with words of their own."""


@dataclass(frozen=True)
class _Words:
    """`{place}` is the folder of the file, or the one that fsgauge works in."""

    cause: str
    next: str


_FAILING = _Words(
    "the storage failed or is gone: an error of the disk, or unplugged", "dmesg | tail"
)
_FULL = _Words("the file system is full, or a quota is", "df -h {place}; df -i {place}")
_FORBIDDEN = _Words("it is read-only or another user's", "ls -ld {place}; findmnt -T {place}")
_FAR = _Words("the server behind it does not answer", "findmnt -T {place}; dmesg | tail")
_GONE = _Words("it was removed or replaced meanwhile", "ls -ld {place}")
_DESCRIPTORS = _Words("the limit of this shell or of the machine is low", "ulimit -n 1024")
_PROCESSES = _Words("a limit on processes and threads is reached", "ulimit -u")
_WORDS = {
    **dict.fromkeys((errno.EIO, errno.ENXIO, errno.ENODEV, errno.ENOMEDIUM), _FAILING),
    **dict.fromkeys((errno.EREMOTEIO, errno.EUCLEAN, errno.EBADMSG), _FAILING),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), _FULL),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS, errno.ETXTBSY), _FORBIDDEN),
    **dict.fromkeys((errno.ESTALE, errno.ENOTCONN, errno.ETIMEDOUT, errno.EHOSTDOWN), _FAR),
    **dict.fromkeys((errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.EEXIST), _GONE),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), _DESCRIPTORS),
    errno.EFBIG: _Words("a limit on the size of files", "ulimit -f unlimited"),
    errno.EAGAIN: _PROCESSES,
    errno.EBUSY: _Words("another program uses it", "fuser -v {place}; findmnt -T {place}"),
    errno.EPIPE: _Words("a program that fsgauge started has ended", "dmesg | tail"),
    errno.ENOSYS: _Words("this kernel or container lacks it", "fsgauge doctor"),
}
_OF_LIBRARIES = {
    "failed to map segment": errno.ENOMEM,
    "bad_alloc": errno.ENOMEM,
    "bad allocation": errno.ENOMEM,
    "failed to allocate": errno.ENOMEM,
    "can't start new thread": errno.EAGAIN,
    **{
        os.strerror(number): number
        for number in (errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EIO)
    },
}
"""What libraries that are not Python make of an error number, in their own errors."""


def ordinary_cause(error: BaseException) -> FsgaugeError | None:
    """The error in words; None where it is no refusal of the system."""
    for each in _chain(error):
        if isinstance(each, FsgaugeError):
            return each
        number = _number_of(each)
        if number == errno.ENOMEM:
            return _no_memory()
        if number is not None and (words := _WORDS.get(number)) is not None:
            return _said(each, number, words)
    return None


def is_of_ctrl_c(error: BaseException) -> bool:
    """Whether a library made this error of an interruption, as pydantic does."""
    first: BaseException | None = error
    for _ in range(_DEEPEST):
        if first is None or isinstance(first, KeyboardInterrupt):
            break
        first = first.__cause__ or first.__context__
    return isinstance(first, KeyboardInterrupt)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(_DEEPEST):
        if error is None:
            return
        yield error
        error = error.__cause__


def _number_of(error: BaseException) -> int | None:
    """Which refusal of the system it is; None for no such one."""
    if isinstance(error, MemoryError):
        return errno.ENOMEM
    if isinstance(error, OSError):
        return error.errno
    if isinstance(error, ModuleNotFoundError):
        return None
    text = str(error)
    return next((number for words, number in _OF_LIBRARIES.items() if words in text), None)


def _said(error: BaseException, number: int, words: _Words) -> FsgaugeError:
    reason = os.strerror(number)
    name = _file_of(error)
    if name is None and number == errno.ENOENT and _lacks_folder():
        return RigError(
            "the working folder does not exist any more",
            cause="it was removed or replaced while this shell was in it",
            next='cd "$HOME"',
        )
    if name is not None and Path(name).is_relative_to(_PACKAGE):
        words = _Words("the installation of fsgauge is damaged or was changed", "fsgauge doctor")
    place = Path(name).parent if name is not None else Path()
    return RigError(
        f"{name}: {reason}" if name is not None else reason[0].lower() + reason[1:],
        details=() if isinstance(error, OSError) else (str(error).splitlines()[0],),
        cause=words.cause,
        next=words.next.format(place=shlex.quote(str(place))),
    )


def _file_of(error: BaseException) -> str | None:
    name = error.filename if isinstance(error, OSError) else None
    return os.fsdecode(name) if isinstance(name, str | bytes) else None


def _lacks_folder() -> bool:
    try:
        Path.cwd()
    except OSError:
        return True
    return False


def require_memory() -> None:
    """Raise RigError where a limit is so low that nothing could be said later."""
    if any(limit < _LEAST_BYTES for limit in _limits().values()):
        raise _no_memory()


def _limits() -> dict[str, int]:
    """The limits of this shell, in bytes, by the letter of `ulimit`; without those it lacks."""
    found = {"v": resource.getrlimit(resource.RLIMIT_AS)[0]}
    found["d"] = resource.getrlimit(resource.RLIMIT_DATA)[0]
    return {letter: limit for letter, limit in found.items() if limit != resource.RLIM_INFINITY}


def _no_memory() -> FsgaugeError:
    limits = _limits()
    if limits:
        letter = min(limits, key=lambda each: limits[each])
        return RigError(
            "not enough memory",
            cause=f"this shell lets a process have {limits[letter] >> 20} MiB (ulimit -{letter})",
            next=f"ulimit -{letter} unlimited",
        )
    return RigError(
        "not enough memory",
        cause="the records or the answer are larger than what this machine has free",
        next="free -h; then run it on a machine with more memory",
    )
