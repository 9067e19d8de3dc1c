"""Every key of every kind: what is written is read, and written the same again.

The keys come from the models, and so do their types and bounds: a new one is tried without a word
here.
"""

from __future__ import annotations

import tomllib
from typing import Any

import tomlkit
from hypothesis import assume, given

from fsgauge.quantities import WRITTEN
from fsgauge.study.dump import dump_study
from fsgauge.study.keys import LISTED, value_types
from fsgauge.study.parse import parse_study
from fsgauge.study.value_type import typed_value, value_type
from tests.unit.study import studies_with_a_key
from tests.unit.study.drawn_values import adapter_of, values_of


@studies_with_a_key.every_key
def test_a_value_is_read_back_as_it_was_written(name: str) -> None:
    field = studies_with_a_key.field_of(name)
    takes, adapter = value_type(field), adapter_of(field)

    @studies_with_a_key.tries(30)
    @given(values_of(field))
    def check(value: Any) -> None:
        text = takes.item(value).as_string()
        for read in (tomllib.loads(f"key = {text}")["key"], tomlkit.parse(f"key = {text}")["key"]):
            again = adapter.validate_python(tomlkit.item(read).unwrap(), context=WRITTEN)
            assert again == value and type(again) is type(value)
            assert takes.item(again).as_string() == text
        assert adapter.validate_python(typed_value(text, [takes]), context=WRITTEN) == value
        if takes.quantity is not None:
            bare = typed_value(takes.quantity.text(value), [takes])
            assert adapter.validate_python(bare, context=WRITTEN) == value

    check()


@studies_with_a_key.every_key
def test_a_study_with_it_is_written_read_and_written_the_same(name: str) -> None:
    section, key = studies_with_a_key.KEYS[name]
    takes = value_type(studies_with_a_key.field_of(name))

    @studies_with_a_key.tries(5)
    @given(values_of(studies_with_a_key.field_of(name)))
    def check(value: Any) -> None:
        study = studies_with_a_key.study_with(section, key, takes.item(value).unwrap())
        assume(study is not None)
        assert study is not None
        text = dump_study(study)
        assert key in studies_with_a_key.tables_of(tomllib.loads(text), section) or value == {}, (
            text
        )
        again = parse_study(text, "study.toml", "study")
        assert again == study
        assert dump_study(again) == text

    check()


@studies_with_a_key.every_key
def test_a_path_of_the_file_leads_to_the_type_of_its_key(name: str) -> None:
    section, key = studies_with_a_key.KEYS[name]
    takes = value_type(studies_with_a_key.field_of(name))
    path: tuple[str | int, ...] = tuple(section.name.split(".")) if section.name else ()
    path = (path[0], 3, *path[1:], key) if path and path[0] in LISTED else (*path, key)
    assert value_types(path, section.variant) == [takes]
    assert takes in value_types(path)
    if takes.entry is not None:
        assert value_types((*path, 0), section.variant) == [takes.entry]
