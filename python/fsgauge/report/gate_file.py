"""A gate's file: JSON, a line a run, cell and line of numbers, with its own checksum.

The checksum is the SHA-256 of everything else, however it is laid out. A file that does not match
it was edited or damaged, and its numbers decide nothing. It is read whole, and written whole.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fsgauge.errors import InputError, RigError, quoted
from fsgauge.plain_files import MissingError, read_json, write_whole
from fsgauge.plain_files.bounds import GATE
from fsgauge.stats.gate.learned import FORMAT, Learned
from fsgauge.store.files import require_known_format

WHAT = "what a gate of fsgauge has learnt; made and changed by `fsgauge gate accept`"
_AGAIN = (
    "take it from version control again, or begin a new one: fsgauge gate accept DIR... --file NEW"
)
_LISTS = ("runs", "cells", "lines")


def text_of(learned: Learned) -> str:
    """The file's text, which ends with a new line."""
    content = learned.model_dump(mode="json")
    document = {"what": WHAT, "sha256": _digest(content), **content}
    return "{\n" + ",\n".join(_entry(*each) for each in document.items()) + "\n}\n"


def read_text(text: bytes | str, label: str) -> Learned:
    """What a file says; `label` is its name in errors. Raises InputError for what is not such a
    file or of a newer format, RigError where it was changed after it was written."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _not_one(label, f"it is not JSON: {error}") from error
    if not isinstance(document, dict) or "sha256" not in document:
        raise _not_one(label, "it has no checksum")
    require_known_format(document, FORMAT, label)
    content = {key: each for key, each in document.items() if key not in ("what", "sha256")}
    if document["sha256"] != _digest(content):
        raise RigError(
            f"{label} was changed after it was written",
            cause="it does not match its checksum: it was edited, merged or damaged",
            next=_AGAIN,
        )
    try:
        return Learned.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise _not_one(label, f"{place}: {first['msg']}") from error


def _not_one(label: str, why: str) -> InputError:
    return InputError(
        f"{label} is not a gate's file",
        details=(why,),
        cause="it was edited by hand, or a merge went wrong",
        next="fsgauge gate accept DIR... --file NAME makes one",
    )


def _digest(content: dict[str, Any]) -> str:
    exact = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(exact.encode()).hexdigest()


def _entry(key: str, value: object) -> str:
    if key in _LISTS and isinstance(value, list) and value:
        rows = ",\n".join(f"  {_plain(row)}" for row in value)
        return f" {_plain(key)}: [\n{rows}\n ]"
    if key in ("facts", "written") and isinstance(value, dict):
        rows = ",\n".join(f"  {_plain(name)}: {_plain(each)}" for name, each in value.items())
        return f" {_plain(key)}: {{\n{rows}\n }}"
    return f" {_plain(key)}: {_plain(value)}"


def _plain(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


NAME = "fsgauge-gate.json"


def read_gate(path: Path) -> Learned:
    """What a gate has learnt. InputError for no such file, RigError for one that was changed."""
    found = read_gate_if_there(path)
    if found is None:
        raise InputError(
            f"there is no gate's file {path}",
            cause="no run was accepted yet, or the file has another name",
            next="fsgauge gate accept DIR DIR ..."
            + (f" --file {quoted(path)}" if str(path) != NAME else "")
            + " makes it; --file NAME names another one",
        )
    return found


def read_gate_if_there(path: Path) -> Learned | None:
    """What a gate has learnt; None where there is no such file."""
    try:
        text = read_json(path, GATE)
    except MissingError:
        return None
    return read_text(text, str(path))


def write_gate(path: Path, learned: Learned) -> None:
    """Write it in place of what was there; RigError where that cannot be."""
    write_whole(path, text_of(learned))
