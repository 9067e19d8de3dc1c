"""Side by side or one by one: what the study asks for, and what the rig can do."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.plan.in_words import _synced, partners
from fsgauge.plan.turns import make_plan
from fsgauge.rig.host.rig import HostRig
from fsgauge.rig.host.side_by_side import hindrance
from fsgauge.rig.rig import Design, Rig, design_of
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study
from tests.laboratory import NoDiskEngine, NoDiskRig

GIB = 1 << 30


class OneAtATime(NoDiskRig):
    """A rig that has never heard of it: the answer is that of every rig."""

    name = "constant"
    hindrance = Rig.hindrance


def study(asked: str, *overrides: str, kind: str = "overhead-full") -> Study:
    return load_study(kind, [f"plan.side_by_side={asked}", *overrides], seed=7)


def test_what_is_asked_for_where_it_can_be() -> None:
    rig = NoDiskRig(NoDiskEngine(0))
    assert design_of(rig, study("true")) == design_of(rig, study("auto")) == Design(True)
    assert design_of(rig, study("false")) == Design(False)


def test_auto_says_why_it_is_one_by_one_and_true_is_an_error() -> None:
    rig = OneAtATime(NoDiskEngine(0))
    found = design_of(rig, study("auto"))
    assert not found.side_by_side and "one system at a time" in found.because
    with pytest.raises(InputError) as refused:
        design_of(rig, study("true"))
    assert "plan.side_by_side=false" in refused.value.render()


def test_true_and_false_of_toml_are_words_too(tmp_path: Path) -> None:
    text = (
        'format = 1\nquestion = "?"\n[storage]\nkind = "loop"\nsize = "1 GiB"\n'
        '[[system]]\nname = "ext4"\n[workload]\nkind = "overhead"\n[plan]\nside_by_side = '
    )
    for value in ("true", "false"):
        file = tmp_path / f"{value}.toml"
        file.write_text(f"{text}{value}\n")
        assert load_study(str(file)).plan.side_by_side == value


@pytest.mark.parametrize(
    ("kind", "overrides", "because"),
    [
        ("overhead-full", ["storage.size=100000GiB"], "more than is free in /var/tmp"),
        ("churn", [], "on a newly made system"),
        ("connections", ["access.server=samba"], "a server alongside others"),
        ("overhead-full", ["system.ext4.mkfs=-U random"], "UUID"),
    ],
)
def test_what_stands_in_its_way(kind: str, overrides: list[str], because: str) -> None:
    assert because in hindrance(study("auto", *overrides, kind=kind))


def test_room_in_memory_and_on_a_device() -> None:
    memory = load_study("overhead", storage="ram:100000GiB", seed=7)
    assert "available of memory" in hindrance(memory)
    device = load_study("overhead", storage="device:/dev/null", seed=7)
    assert "one system at a time" in hindrance(device)


def test_folders_of_one_file_system_need_room_together(tmp_path: Path) -> None:
    def because(size: str) -> str:
        names = [f"{name}=mounted" for name in ("one", "two")]
        chosen = [f"storage.size={size}"]
        return hindrance(load_study("demo-user", chosen, names, f"path:{tmp_path}", 7))

    assert because("16MiB") == ""
    assert "more than is free there" in because("100000GiB")


def test_the_host_says_what_stands_in_its_way() -> None:
    assert HostRig().hindrance(study("auto", kind="churn")) != ""


def test_cells_of_one_length_are_counted_once() -> None:
    """It read "1 cell in 2 slices of 500 ms, 1 cell in 2 slices of 500 ms and a sync each"."""
    assert _synced(1, 2) == " and a sync each in 1 of them"
    assert _synced(2, 2) == " and a sync each" and _synced(0, 2) == ""


def test_a_plan_says_room_slices_and_the_wider_design() -> None:
    chosen = study("true")
    plan = make_plan(chosen, size_bytes=8 * GIB, side_by_side=True)
    room, slices = partners(plan, chosen, 8 * GIB, "")
    assert "5 x 8 GiB = 40 GiB" in room
    assert "12 cells in 10 slices of 500 ms" in slices
    assert "24 cells in 2 slices of 2.5 s and a sync each" in slices
    assert slices.count(" and a sync each") == 1
    plain = make_plan(chosen, size_bytes=8 * GIB)
    wider, apart = partners(plain, chosen, 8 * GIB, "the disk is full")
    assert wider == "systems run one after another: the disk is full"
    assert "compared runs are at least " in apart
    assert partners(plain, chosen, 8 * GIB, "") == []
