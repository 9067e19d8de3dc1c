"""What became of a trial, by what a node saw."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.coherence import log


@pytest.mark.parametrize(
    ("seen", "outcome"),
    [
        ({"bytes": 512, "versions": {"4": 1}}, "same"),
        ({"bytes": 512, "versions": {"3": 1}}, "old"),
        ({"bytes": 512, "versions": {"5": 1}}, "torn"),  # no one has written it yet
        ({"bytes": 1024, "versions": {"4": 2}}, "torn"),  # longer than it was made
        ({"bytes": 512, "versions": {"3": 1, "4": 1}}, "torn"),
        ({"bytes": 512, "versions": {"-1": 1}}, "torn"),
        ({"bytes": 0, "versions": {}}, "missing"),
        ({"error": "ENOENT"}, "missing"),
        ({"error": "ESTALE"}, "ESTALE"),
    ],
)
def test_what_a_reader_got(seen: dict[str, Any], outcome: str) -> None:
    assert log.read_outcome(seen, 4, 512) == outcome


def test_records_are_kept_lost_or_there_twice() -> None:
    sent = [(node, number) for node in (0, 1) for number in range(3)]
    found = [[0, 0], [0, 1], [1, 0], [1, 0], [1, 2]]
    assert log.append_outcomes(found, 0, sent) == {"kept": 3, "lost": 2, "twice": 1}
    assert log.append_outcomes(found, 2, sent)["torn"] == 2


def test_one_node_alone_creates_a_name_and_has_a_lock() -> None:
    assert [log.claim_outcome(each) for each in range(3)] == [
        "no winner",
        "one winner",
        "several winners",
    ]
    yes, no = {"granted": True}, {"granted": False}
    assert log.lock_outcome(yes, no, yes) == "held"
    assert log.lock_outcome(yes, yes, yes) == "granted twice"
    assert log.lock_outcome(yes, no, no) == "not given back"
    assert log.lock_outcome(no, no, yes) == "refused"
    assert log.lock_outcome({"error": "ENOLCK"}, no, yes) == "ENOLCK"


@pytest.mark.parametrize(
    ("nodes", "met"),
    [
        ([0, 0, 0, 1, 1, 1], 0),
        ([0, 1, 0, 1, 0, 1], 4),
        ([0, 0, 1, 0, 1, 1], 2),
        ([0, 0, 0], 0),
        ([], 0),
    ],
)
def test_records_that_met_lie_between_those_of_the_other_node(nodes: list[int], met: int) -> None:
    assert log.overlapped([(node, at) for at, node in enumerate(nodes)]) == met


def test_nodes_that_hardly_met_did_not_race() -> None:
    assert log.has_raced(10, 20) and not log.has_raced(9, 20)
