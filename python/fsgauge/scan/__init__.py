"""Scans: the numbers of one, the difference of two, how they are saved and printed.

Pure: from a wire `ScanResult`, without engine or disk. A saved one is one JSON object, numbers
under flat names and the whole result: `{"kind": "scan", "format": 1, ..., "result": {...}}`. Its
head tells it from a file that is to be scanned.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fsgauge.engine.wire import ScanResult
from fsgauge.errors import InputError, quoted
from fsgauge.plain_files import MissingError, head_of, read_json
from fsgauge.plain_files.bounds import SCAN
from fsgauge.scan.consequences import consequences
from fsgauge.scan.numbers import numbers_of

HEAD = b'{"kind": "scan", "format": '


def document_of(scan: ScanResult, **more: object) -> str:
    """One line of JSON that `read_scan` understands."""
    source = scan.source
    facts: dict[str, Any] = {
        "kind": "scan",
        "format": 1,
        "path": source.path,
        "device": source.device,
        "file_system": source.file_system,
        "mount_point": source.mount_point,
        "writable": source.writable,
        "block_size_bytes": source.block_size_bytes,
        "complete": scan.ended != "interrupted",
        "started_unix_ns": scan.started_unix_ns,
        "elapsed_ns": scan.elapsed_ns,
        **numbers_of(scan),
        "consequences": [{"rule": rule.name, **asdict(said)} for rule, said in consequences(scan)],
        "problems": sum(problem.count for problem in scan.problems),
        **more,
        "result": scan.model_dump(mode="json"),
    }
    return json.dumps(facts)


def is_kept_scan(path: Path) -> bool:
    """Whether a regular file begins like a saved scan, or is cut before it could be told apart."""
    found = head_of(path, len(HEAD))
    return bool(found) and HEAD.startswith(found)


def read_scan(path: Path) -> ScanResult:
    """The scan saved in a file; InputError says what the file is instead."""
    try:
        document = json.loads(read_json(path, SCAN))
    except MissingError as error:
        raise MissingError(
            error.what,
            cause="the name is mistyped, or no scan was saved there",
            next=f"ls {quoted(path.parent)}; {_MAKES_ONE}",
        ) from error
    except (ValueError, RecursionError) as error:
        raise _no_scan(path, "it is not complete JSON") from error
    if not isinstance(document, dict) or document.get("kind") != "scan":
        raise _no_scan(path, "it is other JSON")
    if document.get("format") != 1:
        raise InputError(
            f"{path} is in format {document.get('format')}; this fsgauge reads format 1",
            cause="a newer fsgauge wrote it",
            next="upgrade fsgauge",
        )
    try:
        scan = ScanResult.model_validate(document.get("result"))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(["result", *map(str, first["loc"])])
        raise _no_scan(path, f"{where}: {first['msg']}") from error
    if why := _contradiction(scan):
        raise _no_scan(path, f"result.{why}")
    return scan


def _contradiction(scan: ScanResult) -> str:
    """What no engine writes, and pages cannot show; empty for nothing."""
    if (area := scan.map) is not None:
        if not 0 <= area.order <= _LARGEST_ORDER:
            return f"map.order: {area.order} is not 0 to {_LARGEST_ORDER}"
        cells, shares = 4**area.order, (area.data, area.metadata, area.free, area.unallocated)
        if any(len(each) != cells for each in (*shares, area.owner)):
            return f"map: its lists have not {cells:,} cells each"
        if not all(0 <= share <= 255 for each in shares for share in each):
            return "map: a share is not 0 to 255"
        if not all(-1 <= owner < len(area.names) for owner in area.owner):
            return "map.owner: a number has no name"
    for number, file in enumerate(scan.top):
        if file.extents < max(len(file.list), 1):
            return f"top.{number}.extents: {file.extents} are fewer than it lists, or none"
    free = scan.free.lengths if scan.free else ()
    for name, bins in (("extent_lengths", scan.extent_lengths), ("free.lengths", free)):
        lengths = [each.at_least_bytes for each in bins]
        if lengths != sorted(set(lengths)) or any(each.bit_count() != 1 for each in lengths):
            return f"{name}: they are not ascending powers of two"
    return ""


_LARGEST_ORDER = 10
_MAKES_ONE = "fsgauge scan PATH --save OTHER.json   (makes one)"


def _no_scan(path: Path, why: str) -> InputError:
    return InputError(
        f"{path} is not a saved scan",
        details=(why,),
        cause="another program wrote it, or it was truncated or edited",
        next=_MAKES_ONE,
    )
