"""How the hosts of a study are reached: all that a block, a clock and a study over them need of it.

Of a fleet it is dask's cluster; of the virtual rig, the ports of its machines. Nothing here or in
what is built on it imports dask.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

ANSWER_SECONDS = 15.0
"""A host that says nothing for so long is lost."""
ASKED = "fsgauge"
"""What dask's messages call a question of this list."""
Question = Literal[
    "identify",
    "take_engine",
    "size_bytes",
    "refusals",
    "grounds",
    "prepare",
    "look",
    "describe",
    "described",
    "measure",
    "attend",
    "arm",
    "pass_meeting",
    "compare_clock",
    "abort",
    "close",
]
"""What a host is asked; its functions have these names. Before "prepare" it holds no study."""


@dataclass(frozen=True)
class Lost:
    """A host that gave no answer: its connection was closed, or it said nothing in time; or what
    it runs failed in a way that no one foresaw."""

    how: Literal["closed", "silent", "failed"]
    words: str


Answer = Any
"""What a host answered, or Lost: a plain value, and not more to be relied on than the host."""


class Control(Protocol):
    """Asks hosts by name."""

    def ask(
        self, hosts: Iterable[str], function: Question, within: float, /, **words: object
    ) -> dict[str, Answer]:
        """The same question to several hosts at once; their answers by name."""
        ...

    def ask_each(
        self, words: Mapping[str, Mapping[str, object]], function: Question, seconds: float, /
    ) -> dict[str, Answer]:
        """A question to each host, with words of its own."""
        ...


class Reached(Protocol):
    """The hosts of a study."""

    @property
    def names(self) -> list[str]:
        """In their order."""
        ...

    @property
    def cluster(self) -> Control:
        """How they are asked."""
        ...

    @property
    def is_one_machine(self) -> bool:
        """Whether all of them are processes of this machine."""
        ...

    def require(self, answers: Mapping[str, Answer], /) -> None:
        """Raise for the first host that gave no answer."""
        ...

    def by_hand(self, name: str, /) -> str:
        """The command that cleans a host that gave no answer."""
        ...


def new_run() -> str:
    """A name for one study on these hosts, which each of them takes once."""
    return secrets.token_hex(8)
