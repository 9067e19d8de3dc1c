"""Words for mistakes in a study file: what a value is, what was wanted, how a limit reads."""

from __future__ import annotations

import re

from fsgauge.errors import SourceLocation
from fsgauge.units import (
    UnitError,
    exact_duration,
    exact_percent,
    exact_size,
    parse_duration_ns,
    parse_percent,
    parse_size,
)

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
    return text if len(text) <= 60 else text[:57] + "..."


def quoted(text: str) -> list[str]:
    """The words between quotes in one of pydantic's sentences."""
    return re.findall(r"'([^']*)'", text)


def as_list(value: str | int) -> str:
    """How one value, or an unquoted list from a shell, is written as a list."""
    if isinstance(value, int):
        return f"write [{value}]"
    entries = [entry.strip().strip("\"'") for entry in value.strip("[] ").split(",")]
    listed = ", ".join(entry if entry.isdecimal() else f'"{entry}"' for entry in entries)
    return f"write [{listed}]"


def with_unit_of(value: object, limit: float) -> str:
    """A limit in the unit of the value that crossed it: 16777216 beside "1 MiB" is "16 MiB"."""
    if isinstance(value, str):
        for parse, write in (
            (parse_size, exact_size),
            (parse_duration_ns, exact_duration),
            (parse_percent, exact_percent),
        ):
            try:
                parse(value)
            except UnitError:
                continue
            return write(int(limit))
    return f"{limit:g}" if isinstance(limit, float) else str(limit)


def as_details(location: SourceLocation | None) -> tuple[str, ...]:
    """A second place as lines below the first."""
    return tuple(line[2:] for line in location.lines()) if location else ()
