"""A table that varies stands for all its combinations, and a mistake in it is shown in its line."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from fsgauge.errors import InputError
from fsgauge.study.document import document_of
from fsgauge.study.dump import dump_study
from fsgauge.study.parse import parse_study
from fsgauge.study.varying import (
    around,
    combinations,
    every_point,
    hypercube,
    system_at,
    vary_systems,
)
from fsgauge.system.options import known_options

STUDY = """\
format = 1
question = "Which?"

[storage]
kind = "loop"

[[system]]
name = "ext4"

[[system]]
name = "{name}"
kind = "xfs"
mount = "lazytime"
vary = {{ {vary} }}

[workload]
patterns = ["randwrite"]
{plan}"""


def text(vary: str, name: str = "xfs", plan: str = "") -> str:
    return STUDY.format(vary=vary, name=name, plan=plan)


def made(vary: str, name: str = "xfs") -> list[tuple[str, str, str]]:
    study = parse_study(text(vary, name), "mine.toml", "mine")
    return [(each.name, each.mkfs, each.mount) for each in study.systems[1:]]


def refusal(vary: str, name: str = "xfs", plan: str = "") -> str:
    document = document_of(text(vary, name, plan), "mine.toml")
    with pytest.raises(InputError) as error:
        vary_systems(document, known_options)
    return error.value.render()


def test_every_combination_is_a_system_named_by_what_differs_from_the_first() -> None:
    assert made('"mount.allocsize" = ["default", "1m"], "mkfs.-m.reflink" = [1, 0]') == [
        ("xfs", "-m reflink=1", "lazytime"),
        ("xfs (reflink=0)", "-m reflink=0", "lazytime"),
        ("xfs (allocsize=1m)", "-m reflink=1", "lazytime,allocsize=1m"),
        ("xfs (allocsize=1m, reflink=0)", "-m reflink=0", "lazytime,allocsize=1m"),
    ]


def test_options_of_one_switch_are_joined_and_false_leaves_an_option_out() -> None:
    found = made('"mkfs.-m.reflink" = [0], "mkfs.-m.rmapbt" = [0], "mount.noatime" = [false, true]')
    assert [each[1:] for each in found] == [
        ("-m reflink=0,rmapbt=0", "lazytime"),
        ("-m reflink=0,rmapbt=0", "lazytime,noatime"),
    ]


def test_the_name_has_the_values_in_its_places_and_the_others_behind() -> None:
    found = made('"mount.allocsize" = ["1m", "64m"], "mkfs.-K" = [false, true]', "xfs {allocsize}")
    assert [each[0] for each in found] == ["xfs 1m", "xfs 1m (-K)", "xfs 64m", "xfs 64m (-K)"]
    found = made('"mkfs.-m.reflink" = [0, 1], "mount.allocsize" = ["1m"]')
    assert [each[0] for each in found] == ["xfs (allocsize=1m)", "xfs (reflink=1, allocsize=1m)"]


def test_sizes_of_several_switches_have_names_that_differ() -> None:
    found = made('"mkfs.-l.size" = ["64m"], "mkfs.-i.size" = [512]')
    assert found == [("xfs (l.size=64m, i.size=512)", "-l size=64m -i size=512", "lazytime")]


def test_kinds_and_tunables_vary_as_well() -> None:
    vary = '"kind" = ["xfs", "ext4"], "tunables.queue/scheduler" = ["none", "default"]'
    systems = parse_study(text(vary), "mine.toml", "mine").systems[1:]
    assert [each.name for each in systems[:2]] == ["xfs", "xfs (scheduler=default)"]
    assert [(each.kind, each.tunables) for each in systems] == [
        ("xfs", {"queue/scheduler": "none"}),
        ("xfs", {}),
        ("ext4", {"queue/scheduler": "none"}),
        ("ext4", {}),
    ]


def test_the_effective_study_has_all_systems_and_reads_back_the_same() -> None:
    study = parse_study(text('"mount.allocsize" = ["default", "1m"]'), "mine.toml", "mine")
    assert parse_study(dump_study(study), "study.toml", "mine") == study


@pytest.mark.parametrize(
    ("vary", "name", "key", "hint"),
    [
        ('"mount.allocsiz" = ["1m"]', "xfs", '"mount.allocsiz"', "mount.allocsize"),
        ('"mkfs.-m.refink" = [0]', "xfs", '"mkfs.-m.refink"', "mkfs.-m.reflink"),
        ('"moun.allocsize" = ["1m"]', "xfs", '"moun.allocsize"', "mount.allocsize"),
        ('"mount.allocsize" = ["1m"]', "xfs {alocsize}", "name", "allocsize"),
    ],
)
def test_an_unknown_key_is_shown_in_its_line_with_the_nearest(
    vary: str, name: str, key: str, hint: str
) -> None:
    said = refusal(vary, name)
    place, shown = said.splitlines()[1:3]
    assert place.startswith("  mine.toml:1")
    column = shown.index("^") - shown.index("|") - 2
    assert place.partition("| ")[2][column : column + len(key)] == key
    assert f'did you mean "{hint}"?' in shown


def test_more_combinations_than_are_raced_are_refused_unless_it_is_a_race() -> None:
    many = ", ".join(
        f'"{key}" = {list(range(1, 8))}' for key in ("mount.logbufs", "mkfs.-d.agcount")
    )
    many += ', "mount.allocsize" = ["1m", "2m", "4m", "8m", "16m"]'
    assert "these are 246 systems, and 200 are allowed" in refusal(many)
    document = document_of(text(many, plan='[plan]\nmode = "race"\n'), "mine.toml")
    said: list[str] = []
    vary_systems(document, known_options, said.append)
    systems = document.data["system"]
    assert said == [
        f"{len(systems)} of 246 combinations are raced: a Latin hypercube, each value alike"
    ]
    assert 45 <= len(systems) <= 62
    assert systems[1]["mount"] == "lazytime,logbufs=1,allocsize=1m"


def test_a_hypercube_has_each_value_alike_often_and_no_point_twice() -> None:
    vary = {"a": list("12345"), "b": list("123"), "c": ["1", "2"]}
    points = hypercube(vary, 20, random.Random(1))
    assert points[0] == {"a": "1", "b": "1", "c": "1"}
    assert all(points.count(each) == 1 for each in points)
    wide = {"a": list(range(20)), "b": list(range(20))}
    column = Counter(point["a"] for point in hypercube(wide, 20, random.Random(1))[1:])
    assert set(column.values()) == {1}


def test_neighbours_differ_in_one_value_and_then_in_two() -> None:
    vary = {"a": [1, 2, 3], "b": [1, 2], "c": [1, 2]}
    point = {"a": 2, "b": 1, "c": 1}
    found = around(vary, point)
    changed = [sum(each[key] != point[key] for key in vary) for each in found]
    assert changed == sorted(changed)
    assert Counter(changed) == {0: 1, 1: 4, 2: 5}
    assert len(around(vary, point, most=3)) == 3
    assert combinations(vary) == len(every_point(vary)) == 12


def test_too_many_tables_are_refused_before_they_are_called_a_sample() -> None:
    """ "240 of 240 combinations are raced: a Latin hypercube", and then "at most 200"."""
    one = '[[system]]\nname = "s{}"\nkind = "ext4"\nvary = {{ "mount.noatime" = [false, true] }}\n'
    many = "".join(map(one.format, range(120)))
    document = document_of(f'{many}[plan]\nmode = "race"\n', "mine.toml")
    said: list[str] = []
    with pytest.raises(InputError, match="240 systems in 120 tables"):
        vary_systems(document, known_options, said.append)
    assert said == []


def test_a_vary_of_the_wrong_type_is_refused_where_another_table_varies_too() -> None:
    """ "'int' object has no attribute 'values'", in a traceback."""
    made_of_two = text('"mount.noatime" = [false, true]').replace('"ext4"\n', '"ext4"\nvary = 5\n')
    with pytest.raises(InputError) as caught:
        parse_study(made_of_two, "mine.toml", "mine")
    assert "vary must be" in caught.value.render()


def test_keys_with_one_short_name_are_both_in_the_name() -> None:
    """One that was as usual hid the other, and two systems had one name."""
    table = {"vary": {"mkfs.-d.agcount": ["default", "4"], "settings.agcount": ["default", "8"]}}
    names = [str(system_at(table, each)["name"]) for each in every_point(table["vary"])]
    assert len(set(names)) == 4, names


def test_a_value_that_is_none_is_shown_without_types_of_the_model() -> None:
    """ "function-after[functools.partial(...) must be text, not a date or time"."""
    with pytest.raises(InputError) as caught:
        parse_study(text('"mount" = ["noatime", 5.5]'), "mine.toml", "mine")
    assert "each of mount must be text, not 5.5" in caught.value.render()
    assert "more mistake" not in caught.value.render()
