"""One kind of quantity: read from text with a unit, written exactly, and the refusals of both.

A unit is never guessed: "10m" is refused with what was probably meant ("10 min" or "10 ms"). What
every storage tool means alike ("4k") is read before, with a note (study/understanding.py). A
quantity is part of the type of a key, where its unit can be looked up.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fsgauge.errors import InputError, did_you_mean, nearest

if TYPE_CHECKING:  # whoever only formats a size need not wait for pydantic
    from pydantic import GetCoreSchemaHandler, ValidationInfo
    from pydantic_core import CoreSchema

WRITTEN = {"written": True}
"""Validation context of what a person wrote: there a bare number is an error."""
LARGEST = 2**63 - 1

_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*((?:[^\W\d_]|[%/])[^0-9.,]*)?")
_UNIT = r"\s*([^\W\d_][^0-9.,]*|%)?"
_EXPONENT = re.compile(rf"([0-9]{{1,9}}(?:\.[0-9]{{1,9}})?[eE]\+?[0-9]{{1,2}}){_UNIT}")
_GROUPED = re.compile(rf"([0-9]{{1,3}}(?:,[0-9]{{3}}){{1,5}}){_UNIT}")
_BITS = re.compile("[KMGTP]b")
"""Mb are megabits to some, and megabytes to others."""
_LONGEST_TEXT = 400
"""The smallest fraction that a float holds has some 330 digits, and is written with all of them."""
_LONGEST_SHOWN = 64


class UnitError(InputError):
    """A quantity that cannot be read; `hint` says what was probably meant."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what, next=hint)
        self.hint = hint


@dataclass(frozen=True, eq=False)
class Quantity:
    """Its units, what people write when they mean one of them, and how it is written exactly.

    `name` goes into sentences ("a size"), `usual` are the units that a bare number may have meant,
    `whole` says that a value is a whole number of the first unit, `example` is one as it is
    written. Stands in the type of a key: Annotated[int, SIZE].
    """

    name: str
    units: Mapping[str, int]
    meant: Mapping[str, tuple[str, ...]]
    usual: tuple[str, ...]
    whole: bool
    write: Callable[[Any], str]
    example: str

    @property
    def noun(self) -> str:
        """ "a size"."""
        return f"a {self.name}"

    def read(self, text: str) -> int | float:
        """The value in the first unit; raises UnitError."""
        value = self._read(text)
        return int(value) if self.whole else float(value)

    def text(self, value: float) -> str:
        """What `read` reads back to the same value."""
        return self.write(int(value) if self.whole else value)

    def refuse_bare(self, number: int | float) -> UnitError:
        is_decimal = isinstance(number, int) or math.isfinite(number)
        text = plain_decimal(number) if is_decimal else str(number)
        return UnitError(f"{_shown(text)} has no unit", self._did_you_mean(text, self.usual))

    def forms(self, text: str) -> list[str]:
        """What a text may have meant: itself, or its number with each unit that is likely."""
        if self._reads(text):
            return [text]
        match = _QUANTITY.fullmatch(text.strip()) if len(text) <= _LONGEST_TEXT else None
        number, unit = (match[1], match[2]) if match else (text, None)
        units = self._near(unit) if unit else self.usual
        return [form for each in units if self._reads(form := f"{number} {each}")]

    def in_our_unit(self, text: str) -> str | None:
        """A text whose unit is written otherwise, and can only mean one of ours: "512 bytes" is
        "512 B"; None for every other one."""
        match = _QUANTITY.fullmatch(text.strip()) if len(text) <= _LONGEST_TEXT else None
        unit = " ".join((match[2] or "").split()) if match else ""
        meant = self.meant.get(unit.casefold(), ())
        if match is None or unit in self.units or len(meant) != 1 or _BITS.search(unit):
            return None
        return form if self._reads(form := f"{match[1]} {meant[0]}") else None

    def _read(self, text: str) -> Fraction:
        match = _QUANTITY.fullmatch(text.strip()) if len(text) <= _LONGEST_TEXT else None
        if match is None:
            raise UnitError(f"{_quoted(text)} is not {self.noun}", self._help_with(text))
        number, unit = match[1], " ".join((match[2] or "").split())
        if not unit:
            hint = self._did_you_mean(number, self.usual)
            raise UnitError(f"{_quoted(text)} has no unit", hint)
        if unit not in self.units:
            what = f"{_quoted(unit)} is not a unit of {self.noun}"
            raise UnitError(what, self._did_you_mean(number, self._near(unit)))
        value = Fraction(number) * self.units[unit]
        if value > LARGEST:
            raise UnitError(f"{_quoted(text)} is too large", self._help())
        if self.whole and value.denominator != 1:
            base = next(iter(self.units))
            raise UnitError(f"{_quoted(text)} is not a whole number of {base}", self._whole_help())
        return value

    def _reads(self, text: str) -> bool:
        try:
            self._read(text)
        except UnitError:
            return False
        return True

    def _near(self, unit: str) -> tuple[str, ...]:
        candidates = self.meant.get(unit.casefold(), ())
        return candidates or tuple(nearest(unit, self.units, most=2))

    def _did_you_mean(self, number: str, units: tuple[str, ...]) -> str:
        """Only what would be accepted is suggested."""
        readable = [form for unit in units if self._reads(form := f"{number} {unit}")]
        if not readable:
            return self._help()
        return did_you_mean(readable)

    def _help_with(self, text: str) -> str:
        """Of a number with an exponent or with commas, the number as it is written here."""
        match = _GROUPED.fullmatch(text.strip()) or _EXPONENT.fullmatch(text.strip())
        if match is None:
            return self._help()
        number = plain_decimal(float(match[1].replace(",", "")))
        unit = " ".join((match[2] or "").split())
        near = (unit,) if unit in self.units else self._near(unit) if unit else self.usual
        return self._did_you_mean(number, near)

    def _help(self) -> str:
        return f'write a number and a unit: "{self.example}"'

    def _whole_help(self) -> str:
        """Of a text that has a number and a unit: what it is to be is in the name, if anywhere."""
        is_named = self.name.startswith("whole ")
        return f'write {self.noun}: "{self.example}"' if is_named else self._help()

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        from pydantic_core import core_schema

        inner = handler(source)
        return core_schema.with_info_before_validator_function(self._validated, inner)

    def _validated(self, value: object, info: ValidationInfo) -> object:
        try:
            if isinstance(value, str):
                return self.read(value)
            written = info.context and info.context.get("written")
            if written and isinstance(value, int | float) and not isinstance(value, bool):
                raise self.refuse_bare(value)
        except UnitError as error:
            from pydantic_core import PydanticCustomError

            context = {"what": error.what, "hint": error.hint}
            raise PydanticCustomError("unit", "{what}", context) from None
        return value


def plain_decimal(number: float) -> str:
    """The shortest decimal text of a finite number, without an exponent."""
    if isinstance(number, int) or float(number).is_integer():
        return str(int(number))
    return format(Decimal(repr(float(number))), "f")


def _shown(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:20]}..."


def _quoted(text: str) -> str:
    shown = _shown(text)
    return f'"{shown}"' if shown.isprintable() else repr(shown)
