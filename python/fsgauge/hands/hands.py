"""Several nodes that share files: what is asked of them, whatever they are."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from fsgauge.errors import RigError

Step = Mapping[str, object]
Answer = dict[str, Any]
"""What a step found; an error of the file system is `error`, by its name."""


class HandLostError(RigError):
    """A node that does not answer: it hangs or has ended."""

    has_ended = False
    """Whether it has ended; one that has not hangs."""


class Hands(Protocol):
    """Nodes by their places, from 0."""

    @property
    def names(self) -> Sequence[str]:
        """Names of the nodes, in order."""

    def ask(self, steps: Mapping[int, Step], seconds: float) -> dict[int, Answer]:
        """A step for each of some nodes, at once. Raises HandLostError after that time."""


def folder_name() -> str:
    """Of a folder to work in, the same on every node."""
    return f"fsgauge-shared-{secrets.token_hex(6)}"


def one(hands: Hands, at: int, seconds: float, **step: object) -> Answer:
    return hands.ask({at: step}, seconds)[at]
