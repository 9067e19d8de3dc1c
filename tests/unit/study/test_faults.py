"""Faults of a study file: what cannot be is refused with its place, before anything starts."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.rig.registry import rig_named
from fsgauge.study.dump import dump_study
from fsgauge.study.parse import load_study, parse_study

STUDY = """format = 1
question = "?"
[storage]
kind = "loop"
[[system]]
name = "ext4"
[rig]
nodes = 2
[workload]
kind = "overhead"
[[fault]]
kind = "slow_disk"
cell = "randread 4 KiB, depth 1"
node = 2
"""


def test_a_fault_is_read_and_written_the_same() -> None:
    study = parse_study(STUDY, "study.toml", "study")
    assert [(each.kind, each.node, each.at, each.lasts) for each in study.faults] == [
        ("slow_disk", 2, 10**9, 2 * 10**9)
    ]
    assert parse_study(dump_study(study), "study.toml", "study") == study


@pytest.mark.parametrize(
    ("before", "after", "what", "line"),
    [
        ("node = 2", "node = 3", "strikes node 3, and the study has 2 nodes", 14),
        ('"slow_disk"', '"earthquake"', "earthquake", 12),
        ("randread 4 KiB, depth 1", "randread 5 KiB", "is not a cell of this study", 13),
        ("node = 2", "node = 2\nat = 3", "at", 15),
        ("node = 2", 'node = 2\nlasts = "0 s"', "lasts", 15),
        ("node = 2", 'node = 2\nloses = "unflushed"', "loses would be ignored", 15),
        ('kind = "slow_disk"', 'kind = "link_cut"\niops = "5 IOPS"', "iops would be ignored", 13),
        ("nodes = 2\n[workload]", "nodes = 1\n[workload]", "the study has one node", 14),
    ],
)
def test_what_cannot_be_is_shown_where_it_stands(
    before: str, after: str, what: str, line: int
) -> None:
    assert before in STUDY
    with pytest.raises(InputError) as error:
        parse_study(STUDY.replace(before, after), "study.toml", "study")
    assert what in error.value.what
    assert error.value.location is not None
    assert (error.value.location.path, error.value.location.line) == ("study.toml", line)


def test_a_node_alone_has_no_link() -> None:
    alone = STUDY.replace("nodes = 2", "nodes = 1").replace("node = 2", "node = 1")
    with pytest.raises(InputError, match="no link"):
        parse_study(alone.replace("slow_disk", "link_cut"), "study.toml", "study")


def test_one_key_of_a_fault_is_not_set_on_the_command_line() -> None:
    with pytest.raises(InputError, match="not set one key at a time"):
        load_study("overhead", ["fault.node=2"])


@pytest.mark.parametrize("name", ["host", "fleet", "simulator"])
def test_a_rig_that_strikes_nothing_says_so(name: str) -> None:
    study = parse_study(STUDY, "study.toml", "study")
    with pytest.raises(InputError, match="cannot strike") as error:
        rig_named(name).strikes(study)
    assert "--rig vm" in error.value.next


def test_the_virtual_rig_carries_them_out() -> None:
    (strike,) = rig_named("vm").strikes(parse_study(STUDY, "study.toml", "study"))
    assert strike.title == "node2, slow disk" and strike.for_ns == 2 * 10**9
