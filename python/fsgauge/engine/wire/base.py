"""The base of every type that crosses to the engine, and long lists of such types, by columns.

A scan of a large device lists groups and extents by the hundred thousand, and a study has hundreds
of scans. As models of their own they would take fifty times as much memory as `Packed`: eight bytes
for each number.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Generic, Self, TypeVar, get_args, get_type_hints, overload

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema


class Wire(BaseModel):
    """A type that crosses the border between the lab and the engine."""

    # Built when it is first used: a command uses few of some hundred types.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


Unsigned = Annotated[int, Field(ge=0, lt=1 << 64)]
"""The engine has no larger one. Made once: 379 fields that made their own took a fifth more time to
import."""

M = TypeVar("M", bound=BaseModel)
R = TypeVar("R")


class Packed(Sequence[M], Generic[M]):
    """A list that cannot change, of models whose fields are all whole numbers from 0 to 2^64 - 1.
    Each access makes the model anew. Equal to any sequence of equal models."""

    __slots__ = ("_columns", "_model")

    def __init__(self, model: type[M], columns: tuple[array[int], ...]) -> None:
        self._model = model
        self._columns = columns

    @classmethod
    def of(cls, model: type[M], rows: Sequence[M]) -> Self:
        """These models, packed; ValueError for a number out of range."""
        return cls._packed(model, rows, getattr)

    @classmethod
    def _packed(cls, model: type[M], rows: Sequence[R], number: Callable[[R, str], int]) -> Self:
        try:
            return cls(
                model,
                tuple(
                    array("Q", [number(row, name) for row in rows]) for name in model.model_fields
                ),
            )
        except OverflowError:
            raise ValueError("a number is below 0 or has more than 64 bits") from None

    def column(self, name: str) -> Sequence[int]:
        """One field of every element; raises KeyError for an unknown one."""
        fields = list(self._model.model_fields)
        if name not in fields:
            raise KeyError(name)
        return self._columns[fields.index(name)]

    def as_dicts(self) -> list[dict[str, int]]:
        """The rows as plain dicts, as a record stores them."""
        names = list(self._model.model_fields)
        return [dict(zip(names, row, strict=True)) for row in zip(*self._columns, strict=True)]

    def __len__(self) -> int:
        return len(self._columns[0])

    @overload
    def __getitem__(self, index: int) -> M: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> M | Self:
        if isinstance(index, slice):
            return type(self)(self._model, tuple(column[index] for column in self._columns))
        return self._row(tuple(column[index] for column in self._columns))

    def __iter__(self) -> Iterator[M]:
        return map(self._row, zip(*self._columns, strict=True))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Packed):
            return self._model is other._model and self._columns == other._columns
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash((self._model, tuple(column.tobytes() for column in self._columns)))

    def __repr__(self) -> str:
        return repr(list(self))

    def _row(self, values: tuple[int, ...]) -> M:
        # They were checked when they were packed.
        return self._model.model_construct(
            None, **dict(zip(self._model.model_fields, values, strict=True))
        )

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        (model,) = get_args(source)
        rows = handler.generate_schema(list[model])  # type: ignore[valid-type]
        # Of a record's text no models are made: that takes half the time.
        hints = get_type_hints(model, include_extras=True)
        fields = {
            name: core_schema.typed_dict_field(handler.generate_schema(hints[name]))
            for name in model.model_fields
        }
        plain = core_schema.list_schema(
            core_schema.typed_dict_schema(fields, extra_behavior="forbid")
        )
        packed = core_schema.json_or_python_schema(
            json_schema=core_schema.no_info_after_validator_function(
                lambda found: cls._packed(model, found, dict.__getitem__), plain
            ),
            python_schema=core_schema.no_info_after_validator_function(
                lambda found: cls.of(model, found), rows
            ),
        )
        as_rows = core_schema.plain_serializer_function_ser_schema(
            cls.as_dicts, return_schema=core_schema.list_schema(core_schema.dict_schema())
        )
        return core_schema.union_schema(
            [core_schema.is_instance_schema(cls), packed],
            serialization=as_rows,
            mode="left_to_right",
        )
