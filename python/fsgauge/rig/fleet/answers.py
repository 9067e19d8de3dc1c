"""What a host answers, read as what it must be: hosts are not trusted.

An answer is text of one of our own messages, within bounds, or its host is lost with a sentence
that says so. What has been read is still only what a host says.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from fsgauge.rig.fleet.control import Answer, Lost
from fsgauge.rig.fleet.loss import HostLostError

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

_LARGEST = 1 << 64
_MOST_SENTENCES = 1000
_LONGEST_WORDS = 300


def understood(host: str, answer: Answer, kind: type[M]) -> M:
    """An answer as a message of this kind; raises HostLostError where it is none."""
    return _understood(host, answer, kind.model_validate_json)


def all_understood(host: str, answer: Answer, kind: TypeAdapter[T]) -> T:
    """The same of several messages in one answer."""
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
    """A host has said what cannot be so."""
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
