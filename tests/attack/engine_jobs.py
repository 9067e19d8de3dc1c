"""Jobs as a broken or hostile caller might write them: valid ones, changed in a few places.

Half of the changes keep to the schema, and get past its check: other numbers, other choices, keys
that were left out. Every path is relative to the folder that the engine runs in.
"""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

Json = Any
_SCHEMA = json.loads((Path(__file__).parents[2] / "schema/job.json").read_text())

_MILLISECOND_NS = 1_000_000
_RECORD = 4096

_LOAD: dict[str, Json] = {
    "format": 1,
    "kind": "load",
    "target": {
        "kind": "files",
        "directory": "data",
        "prefix": "f",
        "count": 2,
        "file_size_bytes": 65536,
    },
    "interface": "psync",
    "direct": False,
    "access": {"kind": "random"},
    "read_percent": 50,
    "block_sizes": [{"size_bytes": _RECORD, "weight": 1}],
    "queue_depth": 1,
    "jobs": 2,
    "duration_ns": 5 * _MILLISECOND_NS,
    "interval_ns": 5 * _MILLISECOND_NS,
    "seed": 7,
}
_FILES: dict[str, Json] = {
    "clients": 2,
    "files_per_client": 3,
    "record_size_bytes": _RECORD,
    "sizes": {"kind": "cycle", "sizes_bytes": [5000, 100]},
    "tree": {"kind": "own"},
}
_CLIENTS: dict[str, Json] = {
    "format": 1,
    "kind": "clients",
    "target": {"kind": "path", "directory": "served"},
    "phase": {"kind": "write", "create": "and_write"},
    "clients": 2,
    "files": _FILES,
    "time_limit_ns": 50 * _MILLISECOND_NS,
    "interval_ns": 10 * _MILLISECOND_NS,
    "seed": 7,
}
_NETWORK = {"host": "127.0.0.1", "port": 1, "directory": "d"}
_AGE: dict[str, Json] = {
    "format": 1,
    "kind": "age",
    "directory": "aged",
    "profile": {
        "kind": "churn",
        "streams": 2,
        "rewrite_percent": 10,
        "sizes": {
            "kind": "bins",
            "bins": [{"at_least_bytes": 1000, "below_bytes": 9000, "weight": 1}],
        },
        "lifetimes": {"kind": "exponential", "mean_ns": 1_000_000_000},
    },
    "mode": "direct",
    "end": {"kind": "operations", "operations": 50},
    "space_bytes": 1 << 20,
    "time_limit_ns": 50 * _MILLISECOND_NS,
    "seed": 7,
}

BASES: tuple[dict[str, Json], ...] = (
    _LOAD | {"target": {"kind": "null", "size_bytes": 1 << 20}, "interface": "io_uring"},
    _LOAD
    | {
        "target": {"kind": "null", "size_bytes": 1 << 20},
        "access": {"kind": "zipf", "theta": 1.1},
        "rate": {"operations_per_second": 1000.0, "arrival": "exponential"},
        "workers": "processes",
    },
    {"format": 1, "kind": "probe", "directory": "data"},
    {"format": 1, "kind": "scan", "path": "data", "threads": 1, "top": 2, "map_order": 3},
    _CLIENTS | {"target": {"kind": "null"}, "think": {"mean_ns": 1000, "spread": "constant"}},
    _LOAD,
    _LOAD
    | {
        "target": {"kind": "file", "path": "data/one", "size_bytes": 1 << 18},
        "ranges": {"kind": "segmented"},
        "read_percent": 0,
        "verify": True,
        "sync": {"kind": "fsync", "every": 8},
    },
    {
        "format": 1,
        "kind": "layout",
        "target": _LOAD["target"],
        "block_size_bytes": _RECORD,
        "queue_depth": 4,
        "direct": False,
        "seed": 7,
    },
    _CLIENTS,
    _CLIENTS | {"phase": {"kind": "read"}, "verify": True},
    _CLIENTS
    | {"phase": {"kind": "backup", "block_size_bytes": 65536, "order": "directory"}, "clients": 1},
    _CLIENTS
    | {
        "phase": {"kind": "mix", "activities": [{"activity": "read", "weight": 2}]},
        "outstanding": 2,
    },
    _CLIENTS
    | {
        "target": _NETWORK
        | {
            "kind": "smb",
            "share": "s",
            "user": "u",
            "password": {"kind": "environment", "name": "FSGAUGE_SMB_PASSWORD"},
            "dialect": "3.0.2",
            "signing": False,
            "encryption": False,
            "oplocks": False,
        }
    },
    _CLIENTS | {"target": _NETWORK | {"kind": "nfs", "export": "/e", "user_id": 1, "group_id": 1}},
    _AGE,
    *(
        _AGE | {"profile": {"kind": kind}, "space_bytes": None}
        for kind in ("intermingled", "connections", "git_like", "database")
    ),
)

_NUMBERS: tuple[Json, ...] = (
    0, 1, -1, 2, 3, 7, 255, 256, 4095, 4097, 65535, 10**6, 2**31 - 1, 2**31, 2**32 - 1, 2**32,
    2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**40, -(2**63), 0.5, -0.0, 1e-300, 1e300, 1.0,
    float("nan"), float("inf"), float("-inf"),
)  # fmt: skip
_TEXTS = (
    "", ".", "..", "data", "data/f0", "none", "none/deeper", "a" * 300, "b/" * 3000,
    "c" * 100_000, "\0", "d\0e", "\n", "\u202e\u0301", "\ud83d\ude00", "%s%n", "kind", "null", "0",
)  # fmt: skip
_OTHERS: tuple[Json, ...] = (None, True, False, [], {}, [[]], [None], {"kind": None}, {"": ""})


def broken_input(number: int) -> bytes:
    """What the engine is given in example `number`."""
    source = random.Random(number)
    job = copy.deepcopy(source.choice(BASES))
    for _ in range(source.choice((0, 1, 1, 1, 2, 2, 3))):
        _change(job, source)
    text = json.dumps(job, ensure_ascii=source.random() < 0.5)
    written = text.encode("utf-8", "surrogatepass")
    return _damaged(written, source) if source.random() < 0.1 else written


def _places(value: Json) -> list[tuple[Json, Json]]:
    """Each container with each of its keys."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    found = [(value, key) for key in keys]
    for key in keys:
        if isinstance(value[key], dict | list):
            found += _places(value[key])
    return found


def _change(job: dict[str, Json], source: random.Random) -> None:
    if source.random() < 0.5:
        _change_within_schema(job, source)
    else:
        _change_anything(job, source)


def _change_within_schema(job: dict[str, Json], source: random.Random) -> None:
    """Sets one key, at any depth, to what the schema allows there."""
    shapes = [
        one for one in _SCHEMA["oneOf"] if one["properties"]["kind"]["const"] == job.get("kind")
    ]
    if not shapes:
        return
    container, shape = job, shapes[0]
    while True:
        key = source.choice(
            [key for key in shape["properties"] if key not in ("kind", "format")] or ["kind"]
        )
        below = _resolved(shape["properties"][key], container.get(key))
        if (
            not isinstance(container.get(key), dict)
            or "properties" not in below
            or source.random() < 0.3
        ):
            container[key] = _made(shape["properties"][key], source)
            return
        container, shape = container[key], below


def _resolved(shape: dict[str, Json], value: Json) -> dict[str, Json]:
    """The shape behind a reference, and of several the one that a value has."""
    if "$ref" in shape:
        return _resolved(_SCHEMA["$defs"][shape["$ref"].rpartition("/")[2]], value)
    for one in (*shape.get("oneOf", ()), *shape.get("anyOf", ())):
        found = _resolved(one, value)
        kind = found.get("properties", {}).get("kind", {}).get("const")
        if isinstance(value, dict) and (kind is None or kind == value.get("kind")):
            return found
    return shape


def _made(shape: dict[str, Json], source: random.Random) -> Json:
    """A value of a shape; numbers are those at which things go wrong, or small."""
    shape = _SCHEMA["$defs"][shape["$ref"].rpartition("/")[2]] if "$ref" in shape else shape
    if "oneOf" in shape or "anyOf" in shape:
        return _made(source.choice(shape.get("oneOf") or shape["anyOf"]), source)
    if "const" in shape or "enum" in shape:
        return shape["const"] if "const" in shape else source.choice(shape["enum"])
    kinds = shape.get("type")
    match source.choice(kinds) if isinstance(kinds, list) else kinds:
        case "integer":
            limit = 2**64 if shape.get("format") == "uint64" else 2**32
            fitting = [edge for edge in _NUMBERS if isinstance(edge, int) and 0 <= edge < limit]
            return source.choice(
                (source.choice(fitting), source.randrange(1 << source.randrange(1, 24)))
            )
        case "number":
            return source.choice((0.0, 1.0, 1e-9, 1e9, 1e300, -1.0, 80.0, 0.5))
        case "boolean":
            return source.random() < 0.5
        case "string":
            return source.choice(_TEXTS)
        case "array":
            return [_made(shape["items"], source) for _ in range(source.choice((0, 1, 2, 50)))]
        case "object":
            required = set(shape.get("required", ()))
            properties = shape.get("properties", {})
            kept = [key for key in properties if key in required or source.random() < 0.5]
            return {key: _made(properties[key], source) for key in kept}
        case _:
            return None


def _change_anything(job: dict[str, Json], source: random.Random) -> None:
    places = _places(job)
    if not places:
        return
    container, key = source.choice(places)
    match source.randrange(12):
        case 0:
            del container[key]
        case 1:
            container[key] = source.choice(_OTHERS)
        case 2:
            container[key] = source.choice(_TEXTS)
        case 3 if isinstance(container, dict):
            container[source.choice((*_TEXTS, "jobs", "Kind", "format "))] = source.choice(_NUMBERS)
        case 4:
            other, there = source.choice(places)
            container[key] = copy.deepcopy(other.get(there) if isinstance(other, dict) else None)
        case 5 if isinstance(container, list):
            container.extend(container * source.choice((1, 100)))
        case _ if isinstance(container[key], str):
            container[key] = source.choice(_TEXTS)
        case _:
            container[key] = source.choice(_NUMBERS)


def _damaged(text: bytes, source: random.Random) -> bytes:
    """The document itself: cut, not UTF-8, keys twice, too deep, more behind it."""
    match source.randrange(7):
        case 0:
            return text[: source.randrange(len(text) + 1)]
        case 1:
            at = source.randrange(len(text))
            return text[:at] + bytes([source.randrange(256)]) + text[at + 1 :]
        case 2:
            return b'{"format":1,"format":1,' + text[1:]
        case 3:
            depth = source.choice((100, 100_000, 3_000_000))
            return text[:-1] + b',"deep":' + b"[" * depth + b"]" * source.choice((depth, 0)) + b"}"
        case 4:
            return text + source.choice((b"\n", b" {}", text, b"\0", b"\xff"))
        case 5:
            return text.replace(
                b"7", source.choice((b"7e999", b"-7", b"07", b"7" * 10_000, b"0x7")), 1
            )
        case _:
            return text.decode("utf-8", "replace").encode(source.choice(("utf-16", "utf-8-sig")))
