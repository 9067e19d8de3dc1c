"""The table of failures, with made-up numbers; and how a pause is found."""

from __future__ import annotations

from pathlib import Path

from fsgauge.failure.carrying_out import longest_pause
from fsgauge.failure.log import Failed, Log, Survived, answer, back_words, rows, write_log

SECOND = 10**9


def survived(**changes: object) -> Survived:
    usual = {
        "name": "node2",
        "is_struck": False,
        "synced": 400,
        "longest_pause_ns": 31 * SECOND,
        "errors": {},
        "lost": {"node2": 0, "node3": 0},
        "torn": {"node2": 0, "node3": 0},
    }
    return Survived.model_validate(usual | changes)


LOG = Log(
    fsgauge="0",
    started_unix_ns=0,
    lasts_ns=20 * SECOND,
    loses_unflushed=True,
    failures=[
        Failed(
            system="nfs3",
            is_made_of="ext4, reached by NFS 3",
            struck="server",
            began_ns=5 * SECOND,
            ended_ns=25 * SECOND,
            back_ns=36 * SECOND,
            words=["own lost 3 writes of 90"],
            nodes=[survived(), survived(name="node3", lost={"node2": 2}, errors={"EIO": 3})],
        ),
        Failed(
            system="gfs2",
            struck="node",
            began_ns=5 * SECOND,
            nodes=[
                survived(longest_pause_ns=None, fault="its last step was never answered", lost={}),
                survived(name="node3", is_struck=True, longest_pause_ns=None),
            ],
        ),
        Failed(system="ocfs2", struck="node", fault="mount failed"),
    ],
)


def test_the_answer_says_what_was_lost_and_who_never_went_on() -> None:
    assert answer(LOG) == (
        "What had been synced was lost: nfs3, the server loses its power. The other node never went"
        " on: gfs2, a node loses its power."
    )
    safe = LOG.model_copy(update={"failures": [LOG.failures[1]]})
    assert answer(safe).startswith("Nothing that had been synced was lost")
    none = LOG.model_copy(update={"failures": [LOG.failures[2]]})
    assert answer(none) == "No failure could be carried out."


def test_a_line_for_each_node() -> None:
    first, second, other, struck, never = rows(LOG)
    assert (first.pause, first.errors, first.lost) == ("31 s", "none", "0 of 400")
    assert first.back == "after 31 s"
    assert (second.errors, second.lost, second.is_lost) == ("3 EIO", "2 of 400", True)
    assert other.pause == "never went on: its last step was never answered"
    assert other.lost == "not read, of 400"
    assert (struck.node, struck.back) == ("node3, struck", "not")
    assert back_words(LOG.failures[0].model_copy(update={"back_ns": None})) == "not"
    healed = LOG.failures[0].model_copy(update={"struck": "link"})
    assert back_words(healed) == "after 20 s"
    assert never.pause == "mount failed"


def test_a_failure_that_is_repeated_has_lines_of_its_own_and_one_place_in_the_answer() -> None:
    again = LOG.failures[0].model_copy(update={"number": 2})
    twice = LOG.model_copy(update={"failures": [LOG.failures[0], again]})
    assert answer(twice) == (
        "What had been synced was lost: nfs3, the server loses its power (2 times)."
    )
    assert [row.struck for row in rows(twice)][1:3] == [
        "the server loses its power",
        "the server loses its power, time 2",
    ]


def test_the_page_and_the_log_are_written(tmp_path: Path) -> None:
    text = write_log(LOG, tmp_path).read_text(encoding="utf-8")
    assert "2 of 400" in text and "own lost 3 writes of 90" in text
    assert Log.model_validate_json((tmp_path / "failure.json").read_text()) == LOG


def test_a_pause_is_between_two_records_and_ends_after_the_failure() -> None:
    synced = [(0, 0.0), (1, 3.0), (2, 5.0), (3, 6.0), (4, 16.0), (5, 16.1)]
    assert longest_pause(synced, 5.5) == 10.0
    assert longest_pause(synced, 16.0) == 16.1 - 16.0
    assert longest_pause(synced, 20.0) is None
