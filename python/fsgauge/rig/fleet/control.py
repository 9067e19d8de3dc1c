"""How the hosts of a study are reached, how their answers are read, and how one is lost.

Of a fleet it is dask's cluster; of the virtual rig, the ports of its machines. Nothing here or in
what is built on it imports dask. Hosts are not trusted: an answer is text of one of our own
messages, within bounds, or its host is lost with a sentence that says so. What has been read is
still only what a host says.

A block that lost a host is void for all systems and measured again, at most twice. A host that is
lost a third time is left out of the whole study, never of one system or one block alone.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from fsgauge.errors import RigError

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


SAME_VERSION = "fsgauge --version on each host: it has to be the same"


class Control(ABC):
    def ask(
        self, hosts: Iterable[str], function: Question, within: float, /, **words: object
    ) -> dict[str, Answer]:
        return self.ask_each(dict.fromkeys(hosts, words), function, within)

    @abstractmethod
    def ask_each(
        self, words: Mapping[str, Mapping[str, object]], function: Question, seconds: float, /
    ) -> dict[str, Answer]:
        """A question to each host, with words of its own."""


class HostLostError(RigError):
    """A host is gone, or can no longer be relied on in this block."""

    def __init__(self, host: str, why: str, by_hand: str = "", *, next: str = "") -> None:
        super().__init__(
            f"{host}: {why}",
            cause="the host, its network or fsgauge on it failed",
            next=next
            or (by_hand and f"to remove what it may have left: {by_hand}")
            or f"on {host}: fsgauge doctor",
        )
        self.host = host
        self.why = why


class Reached(ABC):
    cluster: Control

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """In their order."""

    @property
    def is_one_machine(self) -> bool:
        return False

    def by_hand(self, name: str) -> str:  # noqa: ARG002 - of a virtual machine nothing is left
        """The command that cleans a host that gave no answer; "" where nothing is left there."""
        return ""

    def answers(
        self, names: Iterable[str], question: Question, within: float, /, **words: object
    ) -> dict[str, Answer]:
        """To a question; HostLostError for the first host that gave none."""
        return self.answers_each(dict.fromkeys(names, words), question, within)

    def answers_each(
        self, words: Mapping[str, Mapping[str, object]], question: Question, seconds: float, /
    ) -> dict[str, Answer]:
        answers = self.cluster.ask_each(words, question, seconds)
        for name, answer in answers.items():
            if isinstance(answer, Lost):
                raise HostLostError(name, answer.words, self.by_hand(name))
        return answers


T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

_LARGEST = 1 << 64
_MOST_SENTENCES = 1000
_LONGEST_WORDS = 300


def understood(host: str, answer: Answer, kind: type[M]) -> M:
    """An answer as a message of this kind; raises HostLostError where it is none."""
    return _understood(host, answer, kind.model_validate_json)


def all_understood(host: str, answer: Answer, kind: TypeAdapter[T]) -> T:
    return _understood(host, answer, kind.validate_json)


def _understood(host: str, answer: Answer, read: Callable[[str], T]) -> T:
    if isinstance(answer, Lost):
        raise HostLostError(host, answer.words)
    try:
        if not isinstance(answer, str):
            raise TypeError("it is no text")
        found = read(answer)
        _require_numbers(answer)
    except (ValueError, TypeError, RecursionError) as error:
        raise no_sense(host, "its answer", error) from error
    return found


def no_sense(host: str, what: str, error: Exception) -> HostLostError:
    return HostLostError(host, f"{what} makes no sense: {_words(error)}"[:_LONGEST_WORDS])


class Said:
    """What hosts say to people: so many sentences of each, of so many letters."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._said: Counter[str] = Counter()

    def of(self, host: str, sentences: list[str]) -> None:
        """Say them with the host's name; raises HostLostError where it has no end."""
        for sentence in sentences:
            self._said[host] += 1
            if self._said[host] > _MOST_SENTENCES:
                raise HostLostError(host, f"it says more than {_MOST_SENTENCES} sentences")
            self._say(f"{host}: {sentence}")


def _require_numbers(text: str) -> None:
    """Raise ValueError for numbers that no message has: not finite, or longer than 64 bits."""
    json.loads(text, parse_constant=_refused, parse_float=_finite, parse_int=_short)


def _finite(digits: str) -> float:
    return value if math.isfinite(value := float(digits)) else _refused(digits)


def _short(digits: str) -> int:
    return value if -_LARGEST < (value := int(digits)) < _LARGEST else _refused(digits)


def _refused(digits: str) -> NoReturn:
    raise ValueError(f"{digits[:20]} is out of its range")


def _words(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first: Any = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(each) for each in first["loc"])
    return f"{where[:80]}: {first['msg']}" if where else str(first["msg"])
