"""A served study's plan: one more turn of each system over its path, and nothing else changes."""

from __future__ import annotations

import pytest

from fsgauge.plan.estimate import block_seconds, turn_seconds, turns_of_block
from fsgauge.plan.turns import make_plan, with_seed
from fsgauge.record.records import Plan
from fsgauge.study.access import AccessKeys
from fsgauge.study.parse import load_study
from fsgauge.study.reached import accesses_of


def plan_of(*overrides: str, serve: str | None = None) -> Plan:
    study = with_seed(load_study("connections-full", list(overrides), serve=serve), 7)
    plan = make_plan(study, size_bytes=4 << 30)
    assert all(
        len([turn for turn in plan.turns if turn.block == block]) == turns_of_block(study)
        for block in range(8)
    )
    return plan


def test_each_block_has_every_system_over_its_path_once() -> None:
    plan = plan_of(serve="samba")
    for block in range(8):
        turns = [turn for turn in plan.turns if turn.block == block]
        assert [turn.turn for turn in turns] == list(range(5))
        paths = [turn for turn in turns if turn.over_path]
        assert sorted(turn.system for turn in paths) == sorted(plan.systems)
        assert not any(turn.again for turn in paths)
        assert sum(turn.again for turn in turns) == 1
    places = {turn.turn for turn in plan.turns if turn.over_path}
    assert len(places) > 2  # by lot


def test_the_order_of_all_others_is_that_without_a_server() -> None:
    alone = [(turn.block, turn.system, turn.again) for turn in plan_of().turns]
    served = plan_of(serve="samba").turns
    assert [(t.block, t.system, t.again) for t in served if not t.over_path] == alone


def test_they_can_be_left_out() -> None:
    plan = plan_of("access.beside_path=false", serve="ganesha")
    assert not any(turn.over_path for turn in plan.turns)
    assert plan.expected_seconds < plan_of(serve="ganesha").expected_seconds


def test_a_server_takes_time_and_the_turns_beside_it_do_not() -> None:
    """A plan said 8 minutes of a study that takes 40, as it knew of storage alone."""
    study, size_bytes = load_study("connections", [], serve="samba"), 4 << 30
    served, path = (
        turn_seconds(study, size_bytes, access) for access in (accesses_of(study)[0], AccessKeys())
    )
    assert served > 5 * path
    assert block_seconds(study, size_bytes) == pytest.approx(3 * served + 2 * path)
    alone = load_study("connections", ["access.beside_path=false"], serve="samba")
    assert block_seconds(alone, size_bytes) == pytest.approx(3 * served)
