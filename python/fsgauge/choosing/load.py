"""What a load works hardest, read off its keys: no kind has to say it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, get_args

from fsgauge.record.factors import factors_of
from fsgauge.study.model import Study
from fsgauge.study.workload import cells_of
from fsgauge.workload import method_of

Load = Literal["commits", "files", "random", "overwrites", "streams", "reads"]
LOADS: tuple[Load, ...] = get_args(Load)

_WORDS: Mapping[Load, frozenset[str]] = {
    "commits": frozenset(["fsync", "fdatasync", "dsync", "sync_file", "commit", "commits"]),
    "files": frozenset(
        ["create", "unlink", "rename", "mkdir", "rmdir", "link", "symlink", "readdir", "read_file"]
    ),
    "random": frozenset(["random", "randread", "randwrite", "randrw"]),
    "streams": frozenset(["sequential", "append", "extend", "read", "write", "rw"]),
}
_IN_ORDER = frozenset(["sequential", "extend"])
_WRITES = frozenset(["randwrite", "randrw"])
_READS = frozenset(["read", "randread", "rw", "randrw", "read_file", "stat", "readdir"])


def load_of(study: Study) -> frozenset[Load]:
    """All loads that the study's keys have a word of; every load where they have none, and of a
    program, of which they cannot say it."""
    if method_of(study.workload).programs:
        return frozenset(LOADS)
    words = set(_words(study.workload.model_dump(mode="json")))
    found = {load for load, own in _WORDS.items() if own & words}
    if not method_of(study.workload).lays_out and "group" not in study.workload.model_dump():
        found.add("files")
    shares = [factors_of(cell).share_of_reads for cell in cells_of(study.workload)]
    if _READS & words or any(shares):
        found.add("reads")
    if "random" in found and (_WRITES & words or not all(shares)):
        found.add("overwrites")
    if {"random", "streams"} <= found and "order" in study.workload.model_dump():
        found -= {"streams" if "random" in words else "random"}
    if "files" in found and not _IN_ORDER & words:
        found.discard("streams")  # whole files that are small
    return frozenset(found or LOADS)


def _words(value: object) -> Iterator[str]:
    """Texts, and the names of what has a weight: { create = 1 }."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) and {"operations", "order"} <= value.keys():
        before = "rand" * (value["order"] == "random")
        for name in value["operations"]:
            name = name.removeprefix("mmap_")
            yield before + name if name in ("read", "write") else name
        yield from _words({key: value[key] for key in value if key not in ("operations", "order")})
    elif isinstance(value, Mapping):
        for name, each in value.items():
            if isinstance(each, int | float) and not isinstance(each, bool) and each:
                yield name
            yield from _words(each)
    elif isinstance(value, list):
        for each in value:
            yield from _words(each)
