"""Folders of the command line as systems: --system /mnt/a --system /mnt/b.

A folder is measured where it is, so it needs no storage below it: what a study would make file
systems on gives way. The first folder is the baseline, that of --storage before all others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from fsgauge.study.document import Chosen, Document, Origin
from fsgauge.study.shipped import is_shipped
from fsgauge.study.specs import fitting
from fsgauge.study.workload import keys_of

_LONGEST_WHOLE = 24
_FEWEST_LETTERS = 2
_OF_ANY = re.compile(r"\b(each|which|these) file systems?\b(?! and)", re.IGNORECASE)
"""A question that folders answer as well; not one about file systems and their options."""


def is_kind(table: dict[str, Any], kind: str) -> bool:
    """Whether a raw [[system]] is of this kind, which its name says where no key does."""
    return bool(table.get("kind", table.get("name")) == kind)


def is_mounted(table: dict[str, Any]) -> bool:
    """Whether a raw [[system]] is a folder, with a path of its own or the storage's."""
    return is_kind(table, "mounted")


def make_way_for_folders(document: Document, chosen: Sequence[Chosen]) -> None:
    """Where all systems are folders, storage and question are theirs, and no nodes are made.
    Storage that --storage named, other than a folder, stays: that contradicts the folders, and the
    study's own check says how."""
    if not chosen or not all(is_mounted(table) for table, _, _ in chosen):
        return
    document.data.pop("rig", None)
    if not _is_folder(document.data.get("storage")) and not given_by_option(document, "storage"):
        _take_folder(document, chosen)
    own = document.tables("system")
    were_folders = bool(own) and all(map(is_mounted, own))
    if _is_folder(document.data.get("storage")) and not were_folders:
        _ask_of_folders(document)


def with_folder_of_storage(document: Document, chosen: list[Chosen]) -> list[Chosen]:
    """The folder of --storage as the baseline, unless one of the systems is in it already."""
    storage = document.data.get("storage")
    if not _is_folder(storage) or not given_by_option(document, "storage"):
        return chosen
    assert isinstance(storage, dict)  # noqa: S101 - a folder is one
    path = str(storage.get("path"))
    of_systems = {table.get("path", path) for table, _, _ in chosen if is_mounted(table)}
    if not chosen or path in of_systems or not all(is_mounted(table) for table, _, _ in chosen):
        return chosen
    table = {"kind": "mounted", "path": path, "name": fitting(path)}
    return [(table, document.origin(("storage", "path")), -1), *chosen]


def named_by_difference(chosen: list[Chosen]) -> list[Chosen]:
    """Folders that were given without a name, under short ones."""
    unnamed = [table for table, _, number in chosen if number < 0 and _has_made_name(table)]
    given = {table.get("name") for table, _, _ in chosen} - {each["name"] for each in unnamed}
    names = short_names([str(table["path"]) for table in unnamed])
    if not given.intersection(names):
        for table, name in zip(unnamed, names, strict=True):
            table["name"] = fitting(name)
    return chosen


def short_names(paths: Sequence[str]) -> list[str]:
    """What tells folders apart: "nfs" and "local" of /mnt/nfs and /mnt/local.

    A common end goes too, if a common beginning does: "fast" and "slow" of /mnt/fast/scratch and
    /mnt/slow/scratch. Where what is left would hardly be a name: whole paths if they are short,
    else with one more part of their beginning.
    """
    parts = [PurePosixPath(os.path.normpath(path)).parts for path in paths]
    if len(parts) < 2 or len(set(parts)) < len(parts):
        return list(paths)
    start = _in_common([each[:-1] for each in parts])
    if start < 2:
        return list(paths)
    cut = [each[start:] for each in parts]
    end = _in_common([each[:0:-1] for each in cut])
    short = ["/".join(each[: len(each) - end]) for each in cut]
    poor = any(len(re.findall(r"[^\W\d_]", name)) < _FEWEST_LETTERS for name in short)
    if poor and max(map(len, paths)) <= _LONGEST_WHOLE:
        return list(paths)
    if poor:
        return [f"{each[start - 1]}/{name}" for each, name in zip(parts, short, strict=True)]
    return short


def _in_common(lists: Sequence[Sequence[str]]) -> int:
    firsts = enumerate(zip(*lists, strict=False))
    return next((at for at, each in firsts if len(set(each)) > 1), min(map(len, lists)))


def _has_made_name(table: dict[str, Any]) -> bool:
    return is_mounted(table) and "path" in table and table.get("name") == fitting(table["path"])


def _is_folder(storage: object) -> bool:
    return isinstance(storage, dict) and storage.get("kind") == "path"


def given_by_option(document: Document, section: str) -> Origin | None:
    """Where the command line says something of a section; None where the file alone does."""
    origins = (origin for path, origin in document.origins.items() if path[:1] == (section,))
    return next((origin for origin in origins if not origin.numbered), None)


def _take_folder(document: Document, chosen: Sequence[Chosen]) -> None:
    """Storage in the first folder, of the size that the study has; none where no path is given."""
    table, origin, _ = chosen[0]
    if not all("path" in each for each, _, _ in chosen) or origin is None:
        return
    before = document.data.get("storage")
    size = before.get("size") if isinstance(before, dict) else None
    storage = {"kind": "path", "path": table["path"], **({"size": size} if size else {})}
    document.put(("storage",), storage, origin)


def _ask_of_folders(document: Document) -> None:
    """A shipped question about a device or about mount options is not this study's; one about a
    program, or about how much a system carries, is."""
    load, written = document.data.get("workload"), document.origin(("question",))
    kind = load.get("kind") if isinstance(load, dict) else None
    if not is_shipped(document.label) or not isinstance(kind, str) or written is None:
        return
    plan, asked = document.data.get("plan"), keys_of(kind).question_of_folders
    of_curve = isinstance(plan, dict) and plan.get("mode") == "curve"
    if _OF_ANY.search(str(document.data.get("question"))):
        return
    if written.numbered and asked and not of_curve:
        document.put(("question",), asked, written)
