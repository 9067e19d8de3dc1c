"""What the system refuses is said in words; what is our own mistake is not."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import fsgauge
from fsgauge.errors import InputError
from fsgauge.machine.ordinary_causes import ordinary_cause


def said(number: int, name: str | None = None) -> str:
    error = ordinary_cause(OSError(number, os.strerror(number), name))
    assert error is not None
    return f"{error.what}\n{error.cause}\n{error.next}"


@pytest.mark.parametrize(
    "number", [errno.EIO, errno.ENOSPC, errno.EMFILE, errno.ENOMEM, errno.EROFS, errno.EDQUOT]
)
def test_a_refusal_has_a_cause_and_a_next_command(number: int) -> None:
    error = ordinary_cause(OSError(number, os.strerror(number), "/srv/x"))
    assert error is not None
    assert error.exit_code == 3
    assert error.cause and error.next


def test_a_file_that_it_was_asked_for_is_named() -> None:
    assert "/srv/disk.img" in said(errno.EIO, "/srv/disk.img")


@pytest.mark.parametrize("file", ["units.py", "kinds/overhead/keys.py", "report/templates/x.css"])
def test_a_file_of_the_package_that_is_gone_is_a_damaged_installation(file: str) -> None:
    """Wherever in the package it is: only files beside this module were once known as ours."""
    path = Path(fsgauge.__file__).parent / file
    assert "installation of fsgauge is damaged" in said(errno.ENOENT, str(path))
    assert "installation" not in said(errno.EIO, "/srv/disk.img")


def test_what_was_raised_from_a_refusal_is_one_too() -> None:
    error = ValueError("no page")
    error.__cause__ = OSError(errno.EIO, os.strerror(errno.EIO), "/srv/x")
    found = ordinary_cause(error)
    assert found is not None and "/srv/x" in found.what


def test_an_error_of_fsgauge_stays_what_it_is() -> None:
    own = InputError("no such study")
    assert ordinary_cause(own) is own


def test_a_mistake_of_ours_is_none() -> None:
    for mistake in (KeyError("x"), ValueError("x"), AssertionError(), OSError("no number")):
        assert ordinary_cause(mistake) is None
