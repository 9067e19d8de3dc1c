"""Words for mistakes in a study file: what a value is, what was wanted, how a limit reads."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from fsgauge.errors import SourceLocation

if TYPE_CHECKING:
    from fsgauge.quantities import Quantity
    from fsgauge.study.value_type import ValueType

WANTED = {
    "int_type": ("a whole number", ""),
    "int_from_float": ("a whole number", ""),
    "float_type": ("a number", ""),
    "string_type": ("text", 'it in quotes: "..."'),
    "bool_type": ("true or false", "true or false, without quotes"),
    "list_type": ("a list", "[...]"),
    "dict_type": ("a table", ""),
    "model_type": ("a table", ""),
    "model_attributes_type": ("a table", ""),
}
"""pydantic's type errors: what the key takes, and how that is written."""


def type_name(value: object) -> str:
    """What a raw TOML value is, in words."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return str(value)
    names: dict[type, str] = {str: "text", list: "a list", dict: "a table"}
    return names.get(type(value), "a date or time")


def shown(value: object) -> str:
    """A raw value as it stands in the file, shortened."""
    text = f'"{value}"' if isinstance(value, str) and value.isprintable() else repr(value)
    text = text.lower() if isinstance(value, bool) else text
    return text if len(text) <= 60 else text[:57] + "..."


def quoted(text: str) -> list[str]:
    return re.findall(r"'([^']*)'", text)


def as_list(value: str | int, entry: ValueType | None) -> str:
    """How one value, or an unquoted list from a shell, is written as a list of such entries."""
    parts = str(value).strip("[] ").split(",")
    texts = [part.strip().strip("\"'") for part in parts]
    quantity = entry.quantity if entry is not None else None
    if quantity is not None:
        forms = [quantity.forms(text) or [quantity.example] for text in texts]
        ways = zip(*(itertools.cycle(form) for form in forms), strict=True)
        most = max(len(form) for form in forms)
        return "write " + " or ".join(_in_quotes(way) for way in itertools.islice(ways, most))
    if entry is not None and entry.is_written_as_text:
        return f"write {_in_quotes(texts)}"
    listed = ", ".join(text if text.isdecimal() else f'"{text}"' for text in texts)
    return f"write [{listed}]"


def _in_quotes(texts: Iterable[str]) -> str:
    listed = ", ".join(f'"{text}"' for text in texts)
    return f"[{listed}]"


def one_for_all(key: str) -> str:
    """How several values are compared of a key that has one for all cells of a study."""
    if not key.startswith("workload.") or key.count(".") > 1:
        return "one value"
    return f"one value: run the study with each, then fsgauge compare A B --despite {key}"


BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
}
"""pydantic's refusals of a number: where the limit is, and in words."""


def bound(type: str, context: Mapping[str, Any], quantity: Quantity | None) -> str:
    """What pydantic's refusal of a number says, with the key's unit: "at least 16 MiB"."""
    name, words = BOUNDS[type]
    limit = context[name]
    if quantity is not None:
        return f"{words} {quantity.text(limit)}"
    return f"{words} {limit:g}" if isinstance(limit, float) else f"{words} {limit}"


def wanted(type: str, takes: ValueType | None) -> tuple[str, str]:
    """What a key of that type takes, and how it is written; for a type error of pydantic."""
    quantity = takes.quantity if takes is not None else None
    return (quantity.noun, f'"{quantity.example}"') if quantity is not None else WANTED[type]


def as_details(location: SourceLocation | None) -> tuple[str, ...]:
    return tuple(line[2:] for line in location.lines()) if location else ()
