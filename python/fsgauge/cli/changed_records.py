"""--accept-changed: go on with records that are not what was written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def accept_changed_choice(function: F) -> F:
    """The option of every command that reads a results folder."""
    return click.option(
        "--accept-changed",
        is_flag=True,
        help="Go on although records were changed after they were written; they are named.",
    )(function)
