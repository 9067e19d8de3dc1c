"""A study is written from a converted job: what differs at its head, each key beside the lines that
it is from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from fsgauge import kinds
from fsgauge.converting.groups import Converted
from fsgauge.converting.job_file import Option
from fsgauge.units import exact_duration, exact_size

_ROOM = 1.3
"""Of the files: what a file system takes for itself, and room to write in."""
_LEAST_BYTES = _GIB = 1 << 30
_COLUMN = 44


def study_text(converted: Converted, systems: Sequence[str]) -> str:
    """The study file, in TOML."""
    body = [*_workload(converted), *_plan(converted)]  # what is noted on the way stands above it
    return "\n".join([*_head(converted, systems), *body]) + "\n"


def _head(converted: Converted, systems: Sequence[str]) -> Iterator[str]:
    yield f"# Taken over from {converted.title} ({converted.tool}) by fsgauge study."
    if converted.findings.notes:
        yield "# What differs:"
    yield from (f"#   {note.told}" for note in converted.findings.notes.values())
    yield "format = 1"
    question = f"How do these file systems compare under the load of {converted.title}?"
    yield f"question = {_value(question)}\n"
    yield "[storage]"
    yield "# replace it: --storage device:NAME or --storage path:/mnt/x"
    yield 'kind = "loop"'
    files = sum(each.bytes_of_files for each in (*converted.groups, converted.whole) if each)
    size_bytes = max(_LEAST_BYTES, -(-int(files * _ROOM) // _GIB) * _GIB)
    yield f'size = "{exact_size(size_bytes)}"'
    yield from (f"\n[[system]]\nname = {_value(name)}" for name in systems)


def _workload(converted: Converted) -> Iterator[str]:
    groups, whole = converted.groups, converted.whole
    yield "\n[workload]"
    yield f'kind = "{whole.kind if whole else kinds.GROUPS}"'
    if whole:
        yield from (f"{key} = {_value(value)}" for key, value in whole.keys.items())
        return
    warm_up_ns, duration_ns = converted.times_ns()
    sources = next((each.sources.get("duration") for each in groups if each.duration_ns), None)
    yield f'warm_up = "{exact_duration(warm_up_ns)}"'
    same = duration_ns in [group.duration_ns for group in groups]
    yield _line("duration", exact_duration(duration_ns), sources if same and sources else [])
    yield from (_line(key, *found) for key, found in converted.workload.items())
    for group in groups:
        yield f"\n[[workload.group]]\nname = {_value(group.name)}"
        for key, value in group.keys.items():
            yield _line(key, value, group.sources.get(key, []))


def _line(key: str, value: object, sources: Sequence[object]) -> str:
    written = f"{key} = {_value(value)}"
    cited = [each.cited for each in sources if isinstance(each, Option)]
    return f"{written:<{_COLUMN - 1}} # {'; '.join(cited)}" if cited else written


def _value(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {each}" for key, each in value.items()) + " }"
    return str(value) if isinstance(value, float) else json.dumps(value)


def _plan(converted: Converted) -> Iterator[str]:
    yield "\n[plan]\nblocks = 6"
    yield from (_line(key, *found) for key, found in converted.plan.items())
    if converted.seed is not None:
        yield f"seed = {converted.seed}"
