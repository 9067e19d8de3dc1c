"""Every key of every kind, and for each of its values a study in which a person may write it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from fsgauge.quantities import WRITTEN
from fsgauge.study.keys import SECTIONS, Section
from fsgauge.study.model import Study
from fsgauge.study.value_type import value_type
from tests.unit.study.drawn_values import is_section

COMMAND = {"kind": "command", "program": ["x"]}
NUMBER = {"name": "n", "better": "higher"}
NAMES_ANOTHER = ("command", "primary")
"""Its value is the name of one of the study's own numbers."""
READ_BEFORE = "vary"
"""No study that is read has it: the systems that it stands for take its place (varying.py)."""
KEYS = {
    f"{section.dotted(key)}{f' of {section.variant}' if section.variant else ''}": (section, key)
    for section in SECTIONS
    for key, field in section.fields.items()
    if not is_section(field) and key != READ_BEFORE and (section.variant, key) != NAMES_ANOTHER
}
HEAD = {"format": 1, "name": "n", "question": "?", "plan": {}}
LOOP, RAM, DEVICE = {"kind": "loop"}, {"kind": "ram"}, {"kind": "device", "device": "x"}
EXT4 = {"name": "ext4"}
A, XFS = {"name": "a"}, {"name": "xfs", "duration": "1 s"}
BASES: list[dict[str, Any]] = [
    {"storage": LOOP, "system": [EXT4], "workload": {"kind": "overhead"}},
    {"storage": RAM, "system": [EXT4], "workload": {"kind": "overhead", "scan": True}},
    {"storage": LOOP | {"size": "1 GiB"}, "system": [EXT4], "workload": {"kind": "overhead"}},
    {
        "storage": DEVICE,
        "system": [EXT4],
        "workload": {"kind": "overhead"},
    },
    {
        "storage": {"kind": "path", "path": "/mnt"},
        "system": [{"name": "m", "kind": "mounted"}],
        "workload": {"kind": "overhead"},
    },
    *(
        {"storage": LOOP, "system": [EXT4], "workload": {"kind": "writers"} | more}
        for more in ({}, {"interface": "io_uring", "queue_depth": 2}, {"duration": "1 s"})
    ),
    *(
        {"storage": LOOP, "system": [EXT4], "workload": {"kind": "connections"} | more}
        for more in ({}, {"tests": ["write", "mix"]})
    ),
    *(
        {"storage": LOOP, "system": [EXT4], "workload": {"kind": "connections"}} | access
        for server in ("samba", "ganesha")
        for access in (
            {"access": {"server": server}},
            {"system": [EXT4 | {"access": {"server": server}}]},
        )
    ),
    *(
        {
            "storage": {"kind": "share"},
            "system": [{"name": "s", "kind": "share"}],
            "workload": {"kind": "connections", "tests": ["write", "read"]},
        }
        | access
        for share in ("smb://user@host/share", "nfs://host/export")
        for access in (
            {"access": {"share": share}},
            {"system": [{"name": "s", "kind": "share", "access": {"share": share}}]},
        )
    ),
    {"storage": LOOP, "system": [EXT4], "workload": {"kind": "aging"}},
    {"storage": LOOP, "system": [{"name": "xfs"}], "workload": {"kind": "aging"}},
    {"storage": {"kind": "simulated"}, "system": [EXT4], "workload": {"kind": "aging"}},
    {
        "storage": {"kind": "simulated", "model": "ssd-sata", "times": "longest"},
        "system": [EXT4],
        "workload": {"kind": "churn"},
    },
    {
        "storage": {"kind": "simulated", "devices": 4},
        "system": [EXT4],
        "workload": {"kind": "aging"},
    },
    {"storage": LOOP, "system": [EXT4], "workload": {"kind": "churn"}},
    {"storage": LOOP, "system": [EXT4], "workload": {"kind": "commits"}},
    *(
        {"storage": LOOP, "system": [EXT4], "workload": {"kind": "metadata"} | more}
        for more in ({}, {"operations": ["create", "read"], "file_sizes": ["4 KiB"]})
    ),
    *(
        {"storage": LOOP, "system": [EXT4], "workload": COMMAND | {"number": [NUMBER | way]}}
        for way in ({"pattern": "(x)"}, {"json_path": "$.n"})
    ),
    {
        "storage": LOOP,
        "system": [EXT4, {"name": "xfs"}],
        "workload": {"kind": "overhead"},
        "plan": {"mode": "race"},
    },
    {
        "storage": LOOP,
        "system": [EXT4],
        "workload": {"kind": "overhead"},
        "plan": {"mode": "curve", "latency_limit": "5 ms"},
    },
    *(
        {"storage": LOOP, "system": [EXT4], "workload": {"kind": "sharing"} | more}
        for more in (
            {},
            {"tests": ["seeks", "create_random"]},
            {"file_sizes": ["1 GiB"]},
            {"record_sizes": ["4 KiB"]},
        )
    ),
    *(
        {
            "storage": LOOP,
            "system": [EXT4],
            "rig": {"nodes": 32},
            "fault": [{"kind": kind, "cell": "randread 4 KiB, depth 1"}],
            "workload": {"kind": "overhead"},
        }
        for kind in ("slow_disk", "power_off")
    ),
    {
        "storage": {"kind": "simulated"},
        "system": [EXT4],
        "workload": {"kind": "churn"},
        "sweep": {},
    },
    {"storage": LOOP, "system": [EXT4], "workload": {"kind": "overhead", "duration": "10 min"}},
    {
        "storage": LOOP,
        "system": [EXT4],
        "workload": {"kind": "overhead"},
        "plan": {"mode": "curve", "latency_limit": "5 ms"},
    },
    {"storage": LOOP, "system": [EXT4], "workload": {"kind": "writers", "block_sizes": ["2 MiB"]}},
    {
        "storage": LOOP,
        "system": [EXT4],
        "workload": {"kind": "mix", "group": [A], "warm_up": "100 s"},
    },
    *(
        {"storage": LOOP, "system": [EXT4], "workload": {"kind": "mix", "group": [A | own, XFS]}}
        for own in (
            {},
            {"order": "strided"},
            {"order": "sequential", "operations": {"read": 1, "write": 1}},
            *({"distribution": each} for each in ("zipf", "pareto", "normal")),
            {"distribution": "zones", "zone_sizes": ["50 %", "50 %"], "zone_weights": [1, 2]},
            {"block_sizes": ["4 KiB", "8 KiB"]},
            {"write_block_sizes": ["4 KiB", "8 KiB"], "operations": {"read": 1, "write": 1}},
            {"rate": "100 IOPS"},
            {"think": "1 ms"},
            {"queue_depth": 8},
            {"jobs": 2, "files": 2},
            {"duration": "1 s"},
            {"operations": {"write": 1}},
            {"operations": {"write": 1}, "sync": "fsync"},
            {"operations": {"stat": 1}, "files": 4, "file_sizes": ["0 B", "4 KiB"]},
            {"operations": {"stat": 1}, "files": 100, "size_distribution": "log-normal"},
        )
    ),
]
"""A study of each kind; together they have a place for each key."""

every_key = pytest.mark.parametrize("name", KEYS)


def tries(number: int) -> settings:
    return settings(
        max_examples=number,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


def field_of(name: str) -> FieldInfo:
    section, key = KEYS[name]
    return section.fields[key]


def tables_of(document: dict[str, Any], section: Section) -> dict[str, Any]:
    """The table of a section in a study's raw values."""
    table = document
    for part in section.name.split(".") if section.name else ():
        inside = table.setdefault(part, {})
        table = inside[0] if isinstance(inside, list) else inside
    return table


def bases_of(section: Section) -> Iterator[dict[str, Any]]:
    """The studies in which a section of that kind may stand, each its own."""
    for base in BASES:
        document = copy.deepcopy(HEAD | base)
        kind = document.get(section.name, {}).get("kind") if section.variant else ""
        nested = section.name != "workload.disk" or document["workload"]["kind"] == "aging"
        there = section.name != "fault" or "fault" in document
        there = there and (section.name != "workload.group" or "group" in document["workload"])
        if kind == section.variant and nested and there:
            yield document


def study_with(section: Section, key: str, raw: object) -> Study | None:
    """The first study in which a person may write that there, and in which it has an effect."""
    for document in bases_of(section):
        tables_of(document, section)[key] = raw
        try:
            if section.name == "workload":
                give_an_effect(document, key)
            return Study.model_validate(document, context=WRITTEN)
        except ValidationError:
            continue
    return None


def give_an_effect(document: dict[str, Any], key: str) -> None:
    """Change the keys that keep this one from having an effect, as far as another value helps."""
    for _ in range(3):
        workload = Study.model_validate(document).workload
        without = workload.inapplicable()
        if key not in without:
            return
        because = without[key][1]
        takes = value_type(type(workload).model_fields[because])
        choices = takes.entry.choices if takes.entry is not None else takes.choices
        others: list[Any] = [[each] if takes.entry is not None else each for each in choices]
        if takes.quantity is not None:
            others = [takes.quantity.example]
        for other in others or [True, 2, "smb://user@host/share"]:
            trial = document | {"workload": document["workload"] | {because: other}}
            try:
                found = Study.model_validate(trial).workload.inapplicable()
            except ValidationError:
                continue
            if found.get(key, ("", ""))[1] != because:
                document["workload"][because] = other
                break
