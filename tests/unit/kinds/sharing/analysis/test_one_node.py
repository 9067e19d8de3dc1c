"""Cluster file systems on one node: their locks stay there, and the page says so."""

from __future__ import annotations

import pytest

from fsgauge.kinds.sharing.analysis.one_node import one_node_finding, with_local_locks, words
from tests.synthetic_sharing import make_sharing
from tests.unit.kinds.sharing.analysis.test_memory import CLIENT, material


@pytest.mark.parametrize(
    ("options", "is_local"),
    [
        ("rw,relatime,localflocks,rgrplvb", True),
        ("rw,relatime,heartbeat=none,nointr", True),
        ("rw,relatime,heartbeat=local", False),
        ("rw,relatime", False),
    ],
)
def test_a_mount_s_options_in_force_say_whether_others_take_part(
    options: str, is_local: bool
) -> None:
    turns = [
        turn.model_copy(update={"facts": turn.facts.model_copy(update={"mount_options": options})})
        for turn in make_sharing(2).turns
        if turn.system == "ocfs2"
    ]
    found = material([CLIENT])
    assert with_local_locks(type(found)(**{**vars(found), "turns": turns})) == (
        ["ocfs2"] if is_local else []
    )


def test_the_words_send_to_the_study_that_has_two_nodes() -> None:
    assert words(["gfs2"]) == "gfs2 is mounted on one node only, so its locks never leave it"
    (found,) = one_node_finding(["gfs2", "ocfs2"])
    assert found.sentence.startswith(
        "gfs2 and ocfs2 are mounted on one node only, so their locks never leave it"
    )
    assert found.advice.startswith("fsgauge run two-nodes")
    assert list(one_node_finding([])) == []
