"""Values of a study's keys, drawn from the type and the bounds of each; no key is named here."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from fsgauge.study.server_options import OPTIONS
from fsgauge.study.settings import AS_IT_IS, LAYOUT

MOST_ENTRIES = 4
LETTERS = st.characters(categories=["L", "M", "N", "P", "S"], include_characters=" ")
TEXTS = (
    *("a b", "/mnt/a", "ext4", "xfs", "0", "4", "true", "3.0", "[1]", "2024-01-01", '"', "a = b"),
    *("smb://user@host/share", "nfs://host:2050/export/one", LAYOUT, "randread-4k-d1-j1"),
    *("queue/scheduler", "/sys/block/{device}/queue/nr_requests", "/proc/sys/vm/swappiness"),
    *list(OPTIONS["samba"])[:3],
    *list(OPTIONS["ganesha"])[:3],
    *("stat", "create", "delete", "randread 4 KiB, depth 1", "operations of a"),
    *(AS_IT_IS, "median_size=64 KiB", "median_size=4 KiB; size_sigma=1"),
)
"""Some that mean something to one key or another, and some that look like another type."""


def adapter_of(field: FieldInfo) -> TypeAdapter[Any]:
    """What reads the key alone, as its model does."""
    annotation: Any = field.annotation
    for mark in field.metadata:
        annotation = Annotated[annotation, mark]
    return TypeAdapter(annotation, config=ConfigDict(strict=True))


def is_section(field: FieldInfo) -> bool:
    """Whether the key is a table, or a list of tables, of keys of their own."""
    return any(
        isinstance(each, type) and issubclass(each, BaseModel) for each in _leaves(field.annotation)
    )


def _leaves(annotation: Any) -> list[Any]:
    inner = [each for part in get_args(annotation) for each in _leaves(part)]
    return inner or [annotation]


def values_of(field: FieldInfo) -> st.SearchStrategy[Any]:
    """Values that the key takes where nothing else contradicts them."""
    adapter = adapter_of(field)
    return _drawn(field.annotation, field.metadata).filter(lambda value: _takes(adapter, value))


def _takes(adapter: TypeAdapter[Any], value: object) -> bool:
    try:
        return bool(adapter.validate_python(value) == value)
    except ValidationError:
        return False


def _drawn(annotation: Any, metadata: Sequence[Any] = ()) -> st.SearchStrategy[Any]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _drawn(arguments[0], (*arguments[1:], *metadata))
    if origin in (Union, types.UnionType):
        return _drawn(next(each for each in arguments if each is not type(None)), metadata)
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is list:
        least = _bound(metadata, "min_length") or 0
        return st.lists(
            _drawn(arguments[0]), min_size=least, max_size=max(least, MOST_ENTRIES), unique=True
        )
    if origin is dict:
        return st.dictionaries(_drawn(arguments[0]), _drawn(arguments[1]), max_size=2)
    if annotation is bool:
        return st.booleans()
    if annotation is int:
        return _whole_numbers(metadata)
    if annotation is float:
        return _numbers(metadata)
    assert annotation is str, annotation
    words = st.text(LETTERS, max_size=30)
    return st.sampled_from(TEXTS) | words | words.map("/".__add__)


def _whole_numbers(metadata: Sequence[Any]) -> st.SearchStrategy[int]:
    least, most = int(limit(metadata, least=True)), int(limit(metadata, least=False))
    powers = [1 << power for power in range(64) if least <= 1 << power <= most]
    numbers = st.integers(least, most)
    return st.sampled_from(powers) | numbers if powers else numbers


def _numbers(metadata: Sequence[Any]) -> st.SearchStrategy[float]:
    least, most = limit(metadata, least=True), limit(metadata, least=False)
    numbers = st.floats(least, most, exclude_min=_bound(metadata, "gt") == least)
    return numbers | st.integers(int(least) + 1, int(most)).map(float)


def limit(metadata: Sequence[Any], *, least: bool) -> float:
    """The narrowest of the bounds in one direction; a key without any fails here."""
    names = ("ge", "gt") if least else ("le", "lt")
    found = [bound for name in names for bound in _bounds(metadata, name)]
    return max(found) if least else min(found)


def _bound(metadata: Sequence[Any], name: str) -> Any:
    return max(_bounds(metadata, name), default=None)


def _bounds(metadata: Sequence[Any], name: str) -> list[Any]:
    """Of pydantic's marks and of the fields that hold such."""
    found = []
    for mark in metadata:
        if isinstance(mark, FieldInfo):
            found += _bounds(mark.metadata, name)
        elif getattr(mark, name, None) is not None:
            found.append(getattr(mark, name))
    return found
