"""The types in Python say the same as the schemas that they are made from.

scripts/wire changes the schemas before the generator reads them; this looks at what came out. Both
sides are JSON schemas (schemars, pydantic) that spell the same thing differently, so each is
reduced to its shape: for an object, what each key may hold.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from fsgauge.engine.wire import Event, Job, Order, Result

SCHEMA = Path(__file__).parents[2] / "schema"
MIRROR = {"job": Job, "order": Order, "event": Event, "result": Result}


def resolve(node: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """The node with its reference merged in; schemars puts keys beside a $ref."""
    if "$ref" not in node:
        return node
    name = node["$ref"].rsplit("/", 1)[1]
    target = resolve(root["$defs"][name], root)
    own = {key: value for key, value in node.items() if key != "$ref"}
    properties = {**target.get("properties", {}), **own.get("properties", {})}
    required = [*target.get("required", []), *own.get("required", [])]
    merged = {**target, **own}
    if properties:
        merged |= {"properties": properties, "required": required}
    return merged


def shape(node: dict[str, Any], root: dict[str, Any]) -> Any:
    """Kinds of values only: no descriptions, defaults or number formats."""
    node = resolve(node, root)
    if "const" in node:
        return ("one of", frozenset([node["const"]]))
    if "enum" in node:
        return ("one of", frozenset(node["enum"]))
    for choice in ("oneOf", "anyOf"):
        if choice in node:
            return union([shape(each, root) for each in node[choice]])
    kinds = node["type"] if isinstance(node["type"], list) else [node["type"]]
    return union([of_kind(kind, node, root) for kind in kinds])


def of_kind(kind: str, node: dict[str, Any], root: dict[str, Any]) -> Any:
    if kind == "object":
        keys = {key: shape(value, root) for key, value in node.get("properties", {}).items()}
        return ("object", frozenset(keys.items()))
    if kind == "array":
        if "prefixItems" in node:
            return ("tuple", tuple(shape(each, root) for each in node["prefixItems"]))
        return ("list", shape(node["items"], root))
    return kind


def union(members: list[Any]) -> Any:
    """Choices in one set; constants of one choice become one set of words."""
    words = frozenset().union(
        *(each[1] for each in members if isinstance(each, tuple) and each[0] == "one of")
    )
    others = {each for each in members if not (isinstance(each, tuple) and each[0] == "one of")}
    if words:
        others.add(("one of", words))
    return next(iter(others)) if len(others) == 1 else ("any of", frozenset(others))


def differences(ours: Any, theirs: Any, where: str) -> list[str]:
    """Readable places where two shapes differ."""
    if ours == theirs:
        return []
    both_objects = all(isinstance(each, tuple) and each[0] == "object" for each in (ours, theirs))
    if both_objects:
        mine, other = dict(ours[1]), dict(theirs[1])
        found = [f"{where}.{key} is missing in Python" for key in other.keys() - mine.keys()]
        found += [f"{where}.{key} is not in the crate" for key in mine.keys() - other.keys()]
        for key in mine.keys() & other.keys():
            found += differences(mine[key], other[key], f"{where}.{key}")
        return found
    if all(isinstance(each, tuple) and each[0] == "any of" for each in (ours, theirs)):
        return members_differ(ours[1], theirs[1], where)
    if all(isinstance(each, tuple) and each[0] == "list" for each in (ours, theirs)):
        return differences(ours[1], theirs[1], f"{where}[]")
    return [f"{where}: Python {ours}, crate {theirs}"]


def members_differ(ours: frozenset[Any], theirs: frozenset[Any], where: str) -> list[str]:
    """Match choices by the constant that tells them apart."""

    def name(member: Any) -> str:
        if isinstance(member, tuple) and member[0] == "object":
            keys = dict(member[1])
            tag = keys.get("event", keys.get("kind", "object"))
            return str(sorted(tag[1])) if isinstance(tag, tuple) else "object"
        return str(member)

    mine, other = {name(each): each for each in ours}, {name(each): each for each in theirs}
    found = [f"{where}: only one side has {key}" for key in mine.keys() ^ other.keys()]
    for key in mine.keys() & other.keys():
        found += differences(mine[key], other[key], f"{where}<{key}>")
    return found


@pytest.mark.parametrize("name", MIRROR)
def test_the_mirror_has_the_shape_of_the_crate(name: str) -> None:
    crate = json.loads((SCHEMA / f"{name}.json").read_text())
    mirror = TypeAdapter(MIRROR[name]).json_schema()
    assert differences(shape(mirror, mirror), shape(crate, crate), name) == []


@pytest.mark.parametrize("name", ["event", "result"])
def test_python_requires_nothing_that_the_crate_may_leave_out(name: str) -> None:
    crate = json.loads((SCHEMA / f"{name}.json").read_text())
    mirror = TypeAdapter(MIRROR[name]).json_schema()
    always = {key: set(node.get("required", [])) for key, node in crate["$defs"].items()}
    for key, node in mirror["$defs"].items():
        if key in always:
            assert set(node.get("required", [])) <= always[key] | {"kind", "event"}, key


def test_a_planted_difference_is_found() -> None:
    crate = json.loads((SCHEMA / "result.json").read_text())
    crate["$defs"]["Histogram"]["properties"]["median_ns"] = {"type": "integer"}
    mirror = TypeAdapter(Result).json_schema()
    found = differences(shape(mirror, mirror), shape(crate, crate), "result")
    assert any("median_ns is missing in Python" in each for each in found)
