"""What a key takes, read off its type: a quantity, one of some words, a list, a table, plain. How a
value is written, how it is described, what refusals call it, and what a person means by the text
behind KEY= of the command line all come from here."""

from __future__ import annotations

import re
import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Union, get_args, get_origin

import tomlkit
from pydantic.fields import FieldInfo
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Item

from fsgauge.quantities import Quantity
from fsgauge.study.base import ALONE
from fsgauge.study.document import number_beyond_toml

_PLAIN_WORDS: dict[object, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
}


@dataclass(frozen=True)
class ValueType:
    """`base` is str, int, float, bool, list, dict, or a model for a table of the file's own.

    `entry` is the type of a list's entries or of a table's values; `choices` are all values that
    there are, where they are few. With `or_alone` a list's only entry stands without brackets.
    """

    base: object
    quantity: Quantity | None = None
    choices: tuple[str | int, ...] = ()
    entry: ValueType | None = None
    or_alone: bool = False

    @property
    def is_written_as_text(self) -> bool:
        return self.quantity is not None or self.base is str

    def words(self, example: bool = False) -> str:
        """For people: "size", "list of whole number"; with an example of its unit if wanted."""
        if self.choices:
            return " or ".join(tomlkit.item(choice).as_string() for choice in self.choices)
        if self.quantity is not None:
            return self.quantity.name + (f', such as "{self.quantity.example}"' if example else "")
        if self.or_alone and self.entry is not None:
            return f"{self.entry.words(example)}, or a list of them"
        if self.base is list and self.entry is not None:
            return f"list of {self.entry.words(example)}"
        if self.base is dict and self.entry is not None:
            return f"table of {self.entry.words().replace('number', 'numbers')}"
        return _PLAIN_WORDS.get(self.base, "table")

    def item(self, value: object) -> Item:
        """A value as it stands in a file: "4 KiB" in quotes, true, [1, 32]."""
        if self.quantity is not None and isinstance(value, int | float):
            return tomlkit.item(self.quantity.text(value))
        if self.or_alone and self.entry is not None and isinstance(value, list) and len(value) == 1:
            return self.entry.item(value[0])
        if self.entry is not None and isinstance(value, list):
            entries = tomlkit.array()
            entries.extend(self.entry.item(each) for each in value)
            return entries
        if self.entry is not None and isinstance(value, dict):
            table = tomlkit.inline_table()
            table.update({key: self.entry.item(each) for key, each in value.items()})
            return table
        return tomlkit.item(value)


def value_type(field: FieldInfo) -> ValueType:
    return _of(field.annotation, field.metadata)


def _of(annotation: object, metadata: Sequence[object] = ()) -> ValueType:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _of(arguments[0], (*arguments[1:], *metadata))
    if origin in (Union, types.UnionType):
        given = [each for each in arguments if each is not type(None)]
        return _of(given[0], metadata)  # of several there are only tables, which are alike here
    if origin is Literal:
        return ValueType(type(arguments[0]), choices=arguments)
    if origin in (list, dict):
        return ValueType(origin, entry=_of(arguments[-1]), or_alone=ALONE in metadata)
    quantity = next((each for each in metadata if isinstance(each, Quantity)), None)
    return ValueType(annotation, quantity)


_WHOLE = re.compile("[0-9]{1,18}")


def typed_value(text: str, takes: Sequence[ValueType] = ()) -> object:
    """TOML if it parses as that, else text. Where the key takes text or a quantity, it is text also
    if it looks like something else: a name may be 2024, and a mount option 4."""
    try:
        value: object = tomlkit.value(text).unwrap()
    except (TOMLKitError, ValueError, RecursionError, IndexError):
        return _listed(text, takes)
    if number_beyond_toml(value) is not None:
        return text
    entry = _listed_type(takes)
    if entry is not None and isinstance(value, str | int | float):
        return [text if entry.is_written_as_text and not isinstance(value, str) else value]
    in_quotes = bool(takes) and all(each.is_written_as_text for each in takes)
    if takes and not isinstance(value, list | dict):  # one of texts that a list holds
        in_quotes |= all(each.entry is not None and each.entry.base is str for each in takes)
    return text if in_quotes and not isinstance(value, str) else value


def _listed_type(takes: Sequence[ValueType]) -> ValueType | None:
    """What a list of numbers, quantities or words holds, where the key takes nothing else."""
    entries = [each.entry for each in takes if each.base is list and each.entry is not None]
    is_plain = bool(entries) and all(
        entry.base is int or entry.choices or entry.quantity for entry in entries
    )
    if len(entries) < len(takes) or not is_plain:
        return None
    return next((entry for entry in entries if entry.is_written_as_text), entries[0])


def _listed(text: str, takes: Sequence[ValueType]) -> object:
    """A list without brackets or, as a shell leaves it, without quotes, where the key takes one of
    numbers, quantities or words: 4k,64k and [4k, 64k] and 4k."""
    entry = _listed_type(takes)
    within = text.strip().removeprefix("[").removesuffix("]")
    if entry is None or not within.strip() or text.startswith("[") != text.endswith("]"):
        return text
    parts = [part.strip() for part in within.split(",")]
    in_text = entry.is_written_as_text
    return [int(part) if not in_text and _WHOLE.fullmatch(part) else part for part in parts]
