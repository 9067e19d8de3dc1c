"""What a person typed behind KEY= of the command line, as the key takes it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import tomlkit
from tomlkit.exceptions import TOMLKitError

from fsgauge.study.document import number_beyond_toml
from fsgauge.study.value_type import ValueType

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
