"""The answer of a study of many clients: how systems compare, as everywhere; the extents that a
test left; operations that failed."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.engine.wire import ClientErrorKind, ClientOperation
from fsgauge.record.records import Cell, Turn
from tests.synthetic_connections import BASELINE, OTHER, extents, gain, make_connections

SMALL: dict[str, Any] = {"clients": 20, "blocks": 6, "noise": 0.01}
FOUR = {BASELINE: "ext4", OTHER: "ext4", "xfs": "xfs", "btrfs": "btrfs"}


def failing_writes(turn: Turn, cell: Cell) -> list[tuple[ClientOperation, ClientErrorKind, int]]:
    """Three in each run of one block."""
    return [("write", "io", 3)] if turn.block == 1 else []


def said(**changes: Any) -> str:
    answer = make_connections(**{**SMALL, **changes}).results().answer
    assert answer.endswith(".") and "  " not in answer
    return answer


def test_a_test_is_named_by_what_clients_do_and_its_extents_follow() -> None:
    answer = said()
    assert answer.startswith(f"{OTHER} does 1.3")
    assert f" times {BASELINE}'s writes by 20 clients (" in answer
    assert f" Reads of the backup: {OTHER} 1.4" in answer
    assert answer.endswith(" After writes by 20 clients, 1.00 extents per file instead of 20.0.")


def test_a_slower_system_is_said_to_be_so() -> None:
    answer = said(gain=lambda system, cell: 1.0 if system == BASELINE else 0.5)
    assert answer.startswith(f"{OTHER} does 50")
    assert f"% of {BASELINE}'s writes by 20 clients (" in answer


def test_extents_that_do_not_differ_are_said_to_be_the_same() -> None:
    answer = said(gain=lambda system, cell: 1.0, noise=0.1, seed=4, extents=lambda s, c: 1.0)
    assert answer.endswith(" After writes by 20 clients, extents per file are the same, 1.00.")


def test_extents_of_several_systems_are_a_range() -> None:
    speed = {"xfs": 1.2, "btrfs": 0.5}
    pieces = {"xfs": 1.0, "btrfs": 1.3}
    answer = said(
        systems=FOUR,
        gain=lambda s, c: speed.get(s, gain(s, c)),
        extents=lambda s, c: pieces.get(s, extents(s, c)),
    )
    assert " 1.00 to 1.30 extents per file instead of 20.0." in answer


@pytest.mark.parametrize("blocks", [1, 2])
def test_too_few_blocks_decide_nothing(blocks: int) -> None:
    answer = said(blocks=blocks)
    assert answer.startswith("Undecided: ") and "cannot tell an effect from noise" in answer
    assert "In writes " in answer and "extents" not in answer


def test_before_the_first_block_there_is_no_answer() -> None:
    assert said(made_runs=2).startswith("No answer")


def test_a_backup_in_another_order_is_named() -> None:
    answer = said(tests=("backup",), backup_orders=("physical", "directory"))
    assert f"{BASELINE}'s reads of the backup in physical order (" in answer


def alone(**changes: Any) -> str:
    return said(**{"systems": {BASELINE: "ext4"}, "gain": lambda *_: 1.0, **changes})


def test_a_system_alone_says_how_many_operations_failed() -> None:
    answer = alone(errors=failing_writes)
    assert answer.startswith(
        f"{BASELINE} does 3.37 and 2.03 MiB/s in writes and reads by 20 clients."
    )
    assert "There is only one system" in answer and " operations failed: look at" in answer
    assert " failed" not in alone()


def test_a_comparison_says_how_many_operations_failed() -> None:
    assert said(errors=failing_writes).endswith(" operations failed: look at the errors first.")
    assert " failed" not in said()


def test_two_blocks_give_no_range_of_how_still_the_rig_is() -> None:
    answer = alone(blocks=2, noise=0.5)
    assert "(range not known from 2 blocks)." in answer and "%)" not in answer
