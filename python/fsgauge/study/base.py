"""What every part of a study file shares: strict, frozen, no unknown keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationInfo,
)
from pydantic_core import PydanticCustomError

Entry = TypeVar("Entry")


class StudyModel(BaseModel):
    """A table of a study file. Nothing is converted silently: 1 is not true, "4" is not 4."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


def _distinct(entries: list[Entry]) -> list[Entry]:
    for index, entry in enumerate(entries):
        if entry in entries[:index]:
            context = {"index": index}
            raise PydanticCustomError("twice", "the same value is given twice", context)
    return entries


Distinct = Annotated[list[Entry], Field(min_length=1, max_length=100), AfterValidator(_distinct)]
"""A sweep: a list with at least one value and none twice."""


def _in_list(value: object) -> object:
    """A value alone is a list of one, and is refused as what its entries are."""
    return value if isinstance(value, list) else [value]


def _alone(entries: list[Entry]) -> Entry | list[Entry]:
    return entries[0] if len(entries) == 1 else entries


ALONE = PlainSerializer(_alone)
"""Marks the type of a list whose only entry may stand without brackets."""
OneOrSwept = Annotated[Distinct[Entry], BeforeValidator(_in_list), ALONE]
"""A value, or a sweep of them; one alone is written without brackets, in files and records."""


def one_line(text: str) -> str:
    """Refuse text that would break a table or a file name."""
    if not text.strip():
        raise PydanticCustomError("empty_text", "it is empty")
    return printable(text)


def printable(text: str) -> str:
    """Refuse text that holds what cannot be printed, line ends included."""
    if not text.isprintable():
        raise PydanticCustomError("unprintable", "it holds a character that cannot be printed")
    return text


OneLine = Annotated[str, AfterValidator(one_line), Field(max_length=300)]
"""Text of one printable line."""
Options = Annotated[str, AfterValidator(printable), Field(max_length=1000)]
"""Options of a command; may be empty."""


def written(model: BaseModel, info: ValidationInfo, keys: Sequence[str]) -> list[str]:
    """Which of the keys a person wrote; empty when the model is made by code. A key that was
    written but cannot have an effect is an error; the same key in a model that is read back from a
    record carries its default and is none."""
    return [key for key in keys if key in model.model_fields_set] if is_written(info) else []


def is_written(info: ValidationInfo) -> bool:
    """Whether a person wrote what is checked."""
    return bool(info.context and info.context.get("written"))


def conflict(
    what: str, keys: Sequence[str | int | tuple[str | int, ...]], *, hint: str = "", next: str = ""
) -> PydanticCustomError:
    """The error to raise in a validator. `keys` are names (or paths) below the model that is being
    checked, the one to blame first; `hint` stands beside its underline; `next` is the command or
    the edit that helps."""
    paths = [key if isinstance(key, tuple) else (key,) for key in keys]
    return PydanticCustomError(
        "conflict", "{what}", {"what": what, "keys": paths, "hint": hint, "next": next}
    )
