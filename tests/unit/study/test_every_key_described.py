"""What the reference page says of a key is accepted, and what a refusal suggests as well."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from fsgauge.quantities import WRITTEN, Quantity, UnitError, plain_decimal
from fsgauge.study.keys import SECTIONS
from fsgauge.study.reference import reference_page
from fsgauge.units import QUANTITIES
from tests.unit.study.drawn_values import TEXTS, adapter_of
from tests.unit.study.studies_with_a_key import KEYS, every_key, field_of, study_with, tries


def rows() -> dict[str, tuple[str, str]]:
    """By key, as KEYS has them: what the page says that it takes, and its default."""
    _, _, *pages = reference_page().split("\n## ")
    found = {}
    for section, page in zip(SECTIONS, pages, strict=True):
        variant = f" of {section.variant}" if section.variant else ""
        for line in page.splitlines():
            cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)]
            if line.startswith("| `"):
                found[f"{section.dotted(cells[1].strip('`'))}{variant}"] = (cells[2], cells[3])
    return found


ROWS = rows()
WRITTEN_AS: dict[str, list[Any]] = {
    **{quantity.name: [quantity.example] for quantity in QUANTITIES},
    "size": ["16 MiB", "4 KiB"],
    "whole number": [2, 1000],
    "whole numbers": [1],
    "number": [0.5, 1.5],
    "numbers": [1.5],
    "true or false": [True, False],
    "text": list(TEXTS),
    "list of text": [["ext4", "4"]],
}
"""What a reader of the page writes for each of its words; one of them suits every key."""


def accepts(name: str, raw: object) -> bool:
    try:
        adapter_of(field_of(name)).validate_python(raw, context=WRITTEN)
    except ValidationError:
        return False
    return True


@every_key
def test_what_the_reference_says_is_accepted(name: str) -> None:
    takes, _ = ROWS[name]
    entry = takes.removeprefix("list of ")
    a_list = entry != takes
    named = re.findall(r'"([^"]*)"', entry)
    if named:
        assert all(accepts(name, [each] if a_list else each) for each in named), takes
    words = entry.partition(", such as")[0]
    if words.endswith(", or a list of them") and not named:
        words = words.removesuffix(", or a list of them")
        assert any(accepts(name, [value]) for value in WRITTEN_AS[words]), takes
    if words.startswith("table of "):
        values = WRITTEN_AS[words.removeprefix("table of ")]
        assert any(accepts(name, {key: value}) for key in TEXTS for value in values), takes
    elif words in WRITTEN_AS:
        tried = [accepts(name, [value] if a_list else value) for value in WRITTEN_AS[words]]
        assert all(tried) if words == "true or false" else any(tried), takes
    else:
        assert named or words.isdecimal(), takes


@every_key
def test_the_default_of_the_reference_and_its_example_may_be_written(name: str) -> None:
    section, key = KEYS[name]
    field = field_of(name)
    takes, default = ROWS[name]
    a_list = takes.startswith("list of ")
    raws: list[Any] = re.findall(r', such as "([^"]*)"', takes)
    raws = [[raw] if a_list else raw for raw in raws]
    if not field.is_required() and field.get_default(call_default_factory=True) is not None:
        raws.append(tomllib.loads(f"key = {default}")["key"])
    else:
        assert not re.match(r"[\"\[{0-9]", default) or takes == default or " " in default
    for raw in raws:
        assert study_with(section, key, raw) is not None, raw


def test_every_unit_of_the_reference_is_read() -> None:
    page = reference_page()
    for quantity in QUANTITIES:
        row = f'| {quantity.name} | {", ".join(quantity.units)} | "{quantity.example}" |'
        assert row in page
        for unit in quantity.units:
            assert quantity.read(f"1 {unit}") == quantity.units[unit]


@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda quantity: quantity.name)
def test_whatever_a_refusal_suggests_is_accepted(quantity: Quantity) -> None:
    numbers = st.integers() | st.floats() | st.integers(0, 10**400)
    units = st.sampled_from(["", "x", "k", "mb", "m", "s", "pct", "iops", "gb/s", "Kib"])

    @tries(200)
    @given(numbers, units)
    def check(number: float, unit: str) -> None:
        error = quantity.refuse_bare(number)
        if unit and number == number and 0 <= number < 1e300:
            try:
                quantity.read(f"{plain_decimal(number)} {unit}")
            except UnitError as refusal:
                error = refusal
        suggested = re.findall(r'"([^"]*)"', error.hint)
        assert suggested, error.hint
        for text in suggested:
            quantity.read(text)

    check()
