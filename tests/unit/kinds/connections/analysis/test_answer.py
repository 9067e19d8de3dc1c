"""The sentence of a study of many clients: what differs, how sure, and honest words where not."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from fsgauge.engine.wire import ClientErrorKind, ClientOperation
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record.records import Cell, Turn
from tests.synthetic_connections import BASELINE, OTHER, extents, gain, make_connections

SMALL: dict[str, Any] = {"clients": 20, "blocks": 6, "noise": 0.01}
FOUR = {BASELINE: "ext4", OTHER: "ext4", "xfs": "xfs", "btrfs": "btrfs"}


def failing_writes(turn: Turn, cell: Cell) -> list[tuple[ClientOperation, ClientErrorKind, int]]:
    """Three in each run of one block."""
    return [("write", "io", 3)] if turn.block == 1 else []


def said(**changes: Any) -> str:
    answer = make_connections(**{**SMALL, **changes}).results().answer
    assert len(answer.split()) < 100
    assert answer.endswith(".") and "  " not in answer
    return answer


def test_one_system_is_told_test_by_test_with_its_extents() -> None:
    answer = said()
    assert answer.startswith(f"{OTHER} writes 1.3")
    assert f"times as fast as {BASELINE} (" in answer
    assert " It reads 1.0" in answer and " and is backed up 1.4" in answer
    assert answer.endswith("; after writing, 1.00 extents per file instead of 20.0.")


def test_extents_are_said_of_the_test_that_wrote_them_and_ratios_have_three_digits() -> None:
    """ "is backed up 34.30 times as fast; 1.00 extents per file instead of 12.6": the 12.6 were not
    those of the backup, whose files had 20."""
    answer = said(gain=lambda system, cell: 1.0 if system == BASELINE else 34.3, noise=0.0)
    assert " is backed up 34.3 times as fast (" in answer
    assert "; after writing, 1.00 extents per file instead of 20.0." in answer


def test_a_slower_system_is_said_to_be_so() -> None:
    answer = said(gain=lambda system, cell: 1.0 if system == BASELINE else 0.5)
    assert answer.startswith(f"{OTHER} writes 0.50 times as fast as {BASELINE} (")


def test_nothing_seen_says_what_would_have_been() -> None:
    answer = said(gain=lambda system, cell: 1.0, noise=0.1, seed=4, extents=lambda s, c: 1.0)
    assert "Too noisy to tell" in answer and "would have shown" in answer
    assert answer.endswith("extents per file are the same, 1.00.")


def test_equal_is_said_with_its_margin() -> None:
    answer = said(gain=lambda system, cell: 1.0, noise=0.001)
    assert answer.startswith(f"{OTHER} equals {BASELINE} in writing, reading and backup within 3 %")


def test_an_undecided_test_is_marked_beside_decided_ones() -> None:
    answer = said(
        gain=lambda s, c: gain(s, c) if ConnectionsFactors.of(c).test == "write" else 1.0,
        noise=0.08,
        blocks=8,
    )
    assert "o difference above 15 % in reading" in answer


def test_several_systems_are_compared_in_the_first_test() -> None:
    speed = {"xfs": 1.2, "btrfs": 0.5}
    pieces = {"xfs": 1.0, "btrfs": 1.3}
    answer = said(
        systems=FOUR,
        gain=lambda s, c: speed.get(s, gain(s, c)),
        extents=lambda s, c: pieces.get(s, extents(s, c)),
    )
    assert answer.startswith(f"In writing, {OTHER} is 1.3")
    assert "xfs 1." in answer and "btrfs 0." in answer and " case of the other tests: " in answer
    assert "1.00 to 1.30 extents per file instead of 20" in answer


def test_of_several_systems_no_undecided_ratio_is_said_to_be_one() -> None:
    answer = said(systems=FOUR, gain=lambda s, c: 1.0, noise=0.3)
    assert answer.startswith(f"Too noisy to tell {OTHER}, xfs and btrfs from {BASELINE} in writing")
    assert "would have shown" in answer and "times as fast" not in answer


def test_the_systems_that_are_told_come_before_those_that_are_not() -> None:
    chance = random.Random(1)

    def uneven(system: str, cell: Cell) -> float:
        return math.exp(chance.gauss(0, 0.5)) if system == "xfs" else gain(system, cell)

    answer = said(systems=FOUR, gain=uneven)
    assert answer.startswith(f"In writing, {OTHER} is 1.3") and "oo noisy to tell xfs" in answer


def test_what_would_have_shown_at_a_few_percent_is_not_too_noisy() -> None:
    """ "Too noisy to tell xfs (only a difference of 5 % would have shown)"."""

    def slower(system: str, cell: Cell) -> float:
        return 0.5 if system == "btrfs" else 0.98 if system == "xfs" else 1.0

    answer = said(systems=FOUR, gain=slower, noise=0.03, seed=3)
    assert answer.startswith("In writing, btrfs is 0.")
    assert "; no difference above " in answer and "oo noisy" not in answer
    answer = said(systems=FOUR, gain=lambda s, c: 0.98 if s == "xfs" else 1.0, noise=0.03, seed=3)
    assert f": no difference from {BASELINE} above " in answer and "oo noisy" not in answer


@pytest.mark.parametrize("blocks", [1, 2])
def test_too_few_blocks_decide_nothing(blocks: int) -> None:
    answer = said(blocks=blocks)
    assert answer.startswith("Undecided: ") and "cannot tell an effect from noise" in answer


def test_too_few_blocks_of_many_systems_say_how_many_are_not_named() -> None:
    systems = {**FOUR, "xfs allocsize": "xfs", "ext3": "ext3"}
    answer = said(systems=systems, blocks=2)
    assert answer.startswith("Undecided: 2 complete blocks")
    named = answer.count(" writes ")
    assert 0 < named < 5
    assert answer.endswith(f" as fast ({5 - named} more in the report).")
    assert "more in" not in said(blocks=2)


def test_before_the_first_block_there_is_no_answer() -> None:
    assert said(made_runs=2).startswith("No answer yet")


def test_a_backup_in_another_order_is_named() -> None:
    answer = said(tests=("backup",), backup_orders=("physical", "directory"))
    assert "is backed up in physical order" in answer


def alone(**changes: Any) -> str:
    return said(**{"systems": {BASELINE: "ext4"}, "gain": lambda *_: 1.0, **changes})


def test_a_system_alone_says_how_many_operations_failed() -> None:
    answer = alone(errors=failing_writes)
    assert answer.startswith(
        f"{BASELINE} does 3.37 and 2.03 MiB/s in 4 KiB writes and reads by 20 clients."
    )
    assert "There is only one system" in answer and " operations failed: look at" in answer
    assert " failed" not in alone()


def test_a_comparison_says_how_many_operations_failed() -> None:
    assert said(errors=failing_writes).endswith(" operations failed: look at the errors first.")
    assert " failed" not in said()


def test_two_blocks_give_no_range_of_how_still_the_rig_is() -> None:
    answer = alone(blocks=2, noise=0.5)
    assert "(range not known from 2 blocks)." in answer and "%)" not in answer
