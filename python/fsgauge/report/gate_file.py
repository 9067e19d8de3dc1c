"""A gate's file on disk: read whole and checked, written whole."""

from __future__ import annotations

from pathlib import Path

from fsgauge.errors import InputError, quoted
from fsgauge.plain_files import MissingError, read_json, write_whole
from fsgauge.plain_files.bounds import GATE
from fsgauge.stats.gate.learned import Learned
from fsgauge.stats.gate.text import read_text, text_of

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
    """The same; None where there is no such file."""
    try:
        text = read_json(path, GATE)
    except MissingError:
        return None
    return read_text(text, str(path))


def write_gate(path: Path, learned: Learned) -> None:
    """Write it in place of what was there; RigError where that cannot be."""
    write_whole(path, text_of(learned))
