"""The study file described from its models: `fsgauge explain KEY` and the reference page."""

from __future__ import annotations

import difflib
import types
from typing import Annotated, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from fsgauge.errors import InputError
from fsgauge.study.dump import written_value
from fsgauge.study.keys import SECTIONS, Section, all_dotted, sections

_INTRODUCTION = """\
# The study file

<!-- Made by `python -m fsgauge.study` from python/fsgauge/study; edits are lost. -->

A study is a question with its method, as a TOML file. `fsgauge study new NAME` writes a commented
one, `fsgauge plan FILE` says what it would do, `fsgauge explain workload.block_sizes` prints an
entry of this page.

- Quantities carry their unit, in quotes: `"4 KiB"` (1024 bytes) or `"4 kB"` (1000), `"500 ms"`,
  `"10 s"`, `"5 min"`, `"2 h"`, `"90 %"`, `"1000 IOPS"`, `"12 k IOPS"`. A bare number is an error.
- An unknown key, and a key that would have no effect, are errors.
- On the command line, `--set workload.duration=5s` changes a key, `--set system.ext4.mount=noatime`
  one of the system called ext4.
"""
_PLAIN_WORDS: dict[object, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
}
_UNITS = {
    "size": "size",
    "block_sizes": "size",
    "stride": "size",
    "reader_block_size": "size",
    "log_block_size": "size",
    "record_size": "size",
    "allocation_chunk": "size",
    "extent_size_hint": "size",
    "file_sizes": "size",
    "median_size": "size",
    "smallest_size": "size",
    "largest_size": "size",
    "backup_file_size": "size",
    "backup_block_size": "size",
    "read_percent": "percentage",
    "fill": "percentage",
    "backup_fill": "percentage",
    "fills": "percentage",
    "tail_percent": "percentage",
    "rewrite_percent": "percentage",
    "write_fill": "percentage",
    "tail_from": "size",
    "sync_after": "size",
    "read_block_size": "size",
    "new_file_size": "size",
    "median_lifetime": "duration",
    "age_time_limit": "duration",
    "equivalence_percent": "percentage",
    "stop_interval": "percentage",
    "noise_percent": "percentage",
    "rate": "pace",
    "budget": "duration",
    "warm_up": "duration",
    "duration": "duration",
    "ramp": "duration",
    "think": "duration",
    "mix_duration": "duration",
    "time_limit": "duration",
    "outer_rate": "transfer rate",
    "inner_rate": "transfer rate",
    "path_rate": "transfer rate",
    "position": "percentage",
    "rotational_wait": "percentage",
    "cylinder_size": "size",
    "request_size": "size",
    "seek_single": "duration",
    "seek_average": "duration",
    "seek_full": "duration",
    "overhead": "duration",
}


def reference_page() -> str:
    """docs/reference/study-file.md."""
    return "\n".join([_INTRODUCTION, *(_section_page(section) for section in SECTIONS)])


def explain_key(name: str) -> str:
    """What a key or a section is, as plain text; raises InputError with the nearest key."""
    name = name.strip().strip("[]")
    known = all_dotted()
    if name in known and not (sections(name) and name):
        return "\n\n".join(_explained(name, known[name]))
    if sections(name):
        return "\n\n".join(_explained_section(section) for section in sections(name))
    matches = [key for key in known if key.split(".")[-1] == name]
    if matches:
        return "\n\n".join(explain_key(match) for match in matches)
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    raise InputError(
        f'there is no key "{name}" in a study file',
        details=(f'did you mean "{near[0]}"?',) if near else (),
        next=f"fsgauge explain {near[0]}" if near else "fsgauge explain workload",
    )


def _explained(name: str, owners: list[Section]) -> list[str]:
    key = name.rpartition(".")[2]
    entries: dict[str, list[str]] = {}
    for owner in owners:
        field = owner.fields[key]
        text = (
            f"{field.description}\n  takes: {_takes(key, field)}\n  default: {_default(key, field)}"
        )
        entries.setdefault(text, []).append(owner.variant)
    if len(entries) == 1:
        return [f"{name}\n  {next(iter(entries))}"]
    return [f"{name} (kind {' or '.join(kinds)})\n  {text}" for text, kinds in entries.items()]


def _explained_section(section: Section) -> str:
    head = section.header or "top of the file"
    lines = [f"{head}{_variant(section)}: {_summary(section)}"]
    lines += [f"  {key}: {field.description}" for key, field in section.fields.items()]
    return "\n".join(lines)


def _section_page(section: Section) -> str:
    head = f"`{section.header}`" if section.header else "Top of the file"
    lines = [f"## {head}{_variant(section)}", "", _summary(section), ""]
    lines += ["| key | takes | default | what it is |", "| --- | --- | --- | --- |"]
    for key, field in section.fields.items():
        takes = _takes(key, field).replace("|", "\\|")
        lines.append(f"| `{key}` | {takes} | {_default(key, field)} | {field.description} |")
    return "\n".join(lines) + "\n"


def _variant(section: Section) -> str:
    return f', kind "{section.variant}"' if section.variant else ""


def _summary(section: Section) -> str:
    return (section.model.__doc__ or "").strip().splitlines()[0]


def _default(key: str, field: FieldInfo) -> str:
    if field.is_required():
        return _told_default(field) or "none, it must be given"
    value = field.get_default(call_default_factory=True, validated_data={})
    if value is None or value is PydanticUndefined:
        return _told_default(field) or "none"
    if not isinstance(value, str | int | float | list | dict):
        return "every default of the section"
    return written_value(key, value)


def _told_default(field: FieldInfo) -> str:
    """What a description ends with where a default depends on something else; empty if nothing."""
    return (field.description or "").partition("Default: ")[2].removesuffix(".")


def _takes(key: str, field: FieldInfo) -> str:
    return _type_words(key, field.annotation)


def _type_words(key: str, annotation: object) -> str:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _type_words(key, get_args(annotation)[0])
    if origin is Literal:
        return " or ".join(
            f'"{word}"' if isinstance(word, str) else str(word) for word in get_args(annotation)
        )
    if origin in (Union, types.UnionType):
        return _type_words(key, next(a for a in get_args(annotation) if a is not type(None)))
    if origin is list:
        entry = _type_words(key, get_args(annotation)[0])
        return f"list of {entry}"
    if key in _UNITS:
        return _UNITS[key]
    if origin is dict:
        numbers = _type_words(key, get_args(annotation)[1]) == _PLAIN_WORDS[int]
        return "table of whole numbers" if numbers else "table of text"
    return _PLAIN_WORDS.get(annotation, "table")
