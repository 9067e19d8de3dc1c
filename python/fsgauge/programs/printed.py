"""What a program prints: the end of it that is kept, and its numbers, found by a regular expression
or by their path in JSON."""

from __future__ import annotations

import json
import re
import signal
from dataclasses import dataclass, field
from typing import Any

LAST_LINES = 20
MOST_OUTPUT_BYTES = 1 << 20
"""Of each output, the end is kept; numbers are read in that."""
_LONGEST_LINE = 500
_READING_SECONDS = 10


@dataclass
class Output:
    kept: bytearray = field(default_factory=bytearray)

    def add(self, piece: bytes) -> None:
        self.kept += piece
        if len(self.kept) > 2 * MOST_OUTPUT_BYTES:
            del self.kept[:-MOST_OUTPUT_BYTES]

    @property
    def text(self) -> str:
        return bytes(self.kept[-MOST_OUTPUT_BYTES:]).decode(errors="replace")

    @property
    def last(self) -> list[str]:
        return last_lines(self.text)


def last_lines(text: str) -> list[str]:
    """The last lines that say anything, each cut where it is endless."""
    said = [line.rstrip()[:_LONGEST_LINE] for line in text.splitlines()]
    return [line for line in said if line][-LAST_LINES:]


def read_numbers(
    numbers: list[dict[str, Any]], output: str, errors: str
) -> tuple[dict[str, float], dict[str, str]]:
    """Each by its name: the value, or why there is none."""
    values: dict[str, float] = {}
    unread: dict[str, str] = {}

    def too_long(_number: int, _frame: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, too_long)
    for each in numbers:
        signal.alarm(_READING_SECONDS)
        try:
            if each["pattern"] is not None:
                text = found_once(each["pattern"], f"{output}\n{errors}")
            else:
                text = at_path(json.loads(output), each["json_path"])
            values[each["name"]] = above_zero(text)
        except TimeoutError:
            unread[each["name"]] = f"its pattern takes longer than {_READING_SECONDS} s to find"
        except RecursionError:
            unread[each["name"]] = "what it printed has lists in one another, too deep to be read"
        except json.JSONDecodeError as error:
            cut = "; of its output the last MiB is kept" if is_cut(output) else ""
            unread[each["name"]] = f"what it printed is no JSON: {error}{cut}"
        except ValueError as error:
            unread[each["name"]] = str(error)
        finally:
            signal.alarm(0)
    return values, unread


def is_cut(output: str) -> bool:
    return len(output.encode()) >= MOST_OUTPUT_BYTES


def found_once(pattern: str, text: str) -> str:
    """What the first group matches, or all of it; ValueError unless it matches in one place."""
    found = list(re.finditer(pattern, text, re.MULTILINE))
    if len(found) != 1:
        times = "nothing" if not found else f"{len(found)} times"
        raise ValueError(f"its pattern matches {times} in what the program printed")
    groups = [each for each in found[0].groups() if each is not None]
    return groups[0] if groups else found[0][0]


def at_path(document: object, path: str) -> str:
    """ "results.0.mean"; ValueError if the path has no value. A key may have points in it, as
    fio's 99.000000: the longest that is there is meant."""
    names = path.split(".")
    while names:
        most = len(names) if isinstance(document, dict) else 1
        joined = ((".".join(names[:count]), count) for count in range(most, 0, -1))
        for name, count in joined:
            if isinstance(document, dict) and name in document:
                document = document[name]
            elif isinstance(document, list) and name.isdecimal() and int(name) < len(document):
                document = document[int(name)]
            else:
                continue
            del names[:count]
            break
        else:
            raise ValueError(f'the JSON that it printed has no "{names[0]}" of {path}')
    if isinstance(document, bool) or not isinstance(document, int | float | str):
        raise ValueError(f"{path} is no number")
    return str(document)


_BY_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?")
_EITHER = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")
"""1234, or in many languages 1.234."""


def above_zero(text: str) -> float:
    """The number; ValueError for what is none or has no ratio. A comma parts thousands: where it
    stands for the point, or may, the number would be another one."""
    text = text.strip()
    if "," in text and not _BY_THOUSANDS.fullmatch(text):
        raise ValueError(f'"{text[:40]}" has a comma that parts no thousands: env LC_ALL=C PROGRAM')
    if _EITHER.fullmatch(text):
        raise ValueError(
            f'"{text}" may be {text.replace(",", "")} or {text.replace(",", ".")}:'
            " env LC_ALL=C PROGRAM, or sh -c 'PROGRAM | tr -d ,'"
        )
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        raise ValueError(f'"{text[:40]}" is no number') from None
    if not 0 < value < float("inf"):
        raise ValueError(f"it is {text[:40]}, and a ratio needs a number above 0")
    return value
