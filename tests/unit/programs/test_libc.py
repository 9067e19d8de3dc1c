"""Errors of calls that Python does not have are those of Python's own calls."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from fsgauge.programs.libc import LIBC, last_error


def test_the_last_error_is_that_of_the_call(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "none")
    assert LIBC.rmdir(os.fsencode(nowhere)) == -1
    error = last_error(nowhere)
    with pytest.raises(FileNotFoundError) as own:
        Path(nowhere).rmdir()
    assert isinstance(error, FileNotFoundError)
    assert str(error) == str(own.value)


def test_an_error_without_a_name() -> None:
    assert LIBC.close(-1) == -1
    assert str(last_error()) == f"[Errno {errno.EBADF}] {os.strerror(errno.EBADF)}"
