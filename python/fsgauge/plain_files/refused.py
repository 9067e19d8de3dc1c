"""Why a folder did not take a file: in words, from what the kernel said."""

from __future__ import annotations

import errno
import os

_CAUSES = {
    errno.EROFS: "the file system there is mounted read-only",
    errno.ENOSPC: "the disk there is full",
    errno.EDQUOT: "the quota of this user is used up there",
    errno.EFBIG: "the file would be larger than the file system, or ulimit -f, allows",
    errno.EACCES: "this user may not write there",
    errno.EPERM: "this user may not write there, or the folder is immutable (lsattr -d)",
    errno.ENOENT: "the folder was removed meanwhile",
    errno.EIO: "the storage failed: dmesg | tail",
}


def cause_of(error: OSError) -> str:
    """The likely cause of a write that failed."""
    return _CAUSES.get(error.errno or 0, "its file system or storage refused it: dmesg | tail")


def cause_in(words: str) -> str:
    """The same from the words of a library that keeps the number to itself."""
    number = next((each for each in _CAUSES if os.strerror(each) in words), None)
    return cause_of(OSError(number, words))
