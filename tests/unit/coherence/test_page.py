"""The table of a test, with made-up counts."""

from __future__ import annotations

from pathlib import Path

from fsgauge.coherence.log import Counted, Examined, Log
from fsgauge.coherence.page import answer, entry, write_log

CASES = ["close_to_open", "kept_open", "append_by_turns", "flock"]


def counted(system: str, case: str, counts: dict[str, int], **more: object) -> Counted:
    return Counted.model_validate(
        {
            "system": system,
            "case": case,
            "counts": counts,
            "trials": 100,
            "elapsed_ns": 10**9,
            **more,
        }
    )


LOG = Log(
    fsgauge="0",
    started_unix_ns=0,
    place="",
    nodes=["node1", "node2"],
    trials=100,
    cases=CASES,
    systems=[
        Examined(name="gfs2", words="gfs2 on one disk of all nodes"),
        Examined(name="nfs3", words="ext4, NFS 3", parameters={"exported with": "rw,sync"}),
        Examined(name="ocfs2", words="ocfs2", fault="mount failed; no such device"),
    ],
    counted=[
        counted("gfs2", "close_to_open", {"same": 100}),
        counted("gfs2", "kept_open", {"same": 100}),
        counted("gfs2", "append_by_turns", {"kept": 200}),
        counted("nfs3", "close_to_open", {"same": 100}),
        counted("nfs3", "kept_open", {"old": 97, "same": 3}, behind_ns=3_100_000_000),
        counted("nfs3", "flock", {"held": 4}, fault="did not answer", is_hang=True),
    ],
)


def test_the_answer_names_who_does_as_one_machine_and_who_does_not() -> None:
    assert answer(LOG) == (
        "As on one machine in every case: gfs2. Not as on one machine: nfs3 in 2 of 3 cases."
        " Not tested: ocfs2."
    )
    losing = LOG.with_one(counted("gfs2", "append_at_once", {"kept": 199, "lost": 1}))
    assert "gfs2 in 1 of 4 cases" in answer(losing) and "was lost: gfs2." in answer(losing)
    assert answer(LOG.model_copy(update={"systems": []})) == "Nothing has been tested yet."


def test_a_place_of_the_table_has_what_is_right_first() -> None:
    found = entry(LOG.of("nfs3", "kept_open"), "kept_open")
    assert (found.words, found.is_right) == ("3 same, 97 old", False)
    assert found.note == "the last one seen after 3.1 s"
    assert entry(LOG.of("gfs2", "kept_open"), "kept_open").is_right
    assert entry(LOG.of("nfs3", "flock"), "flock").note == "hang: did not answer"
    assert entry(None, "flock").words == "not tested"


def test_the_page_and_the_log_are_written(tmp_path: Path) -> None:
    page = write_log(LOG, tmp_path)
    text = page.read_text(encoding="utf-8")
    assert "3 same, 97 old" in text and "mount failed; no such device" in text
    assert "exported with: rw,sync" in text
    assert Log.model_validate_json((tmp_path / "coherence.json").read_text()) == LOG


def test_a_system_that_is_told_again_is_replaced() -> None:
    again = LOG.with_one(Examined(name="gfs2", words="", fault="it ended"))
    assert [each.name for each in again.systems] == ["nfs3", "ocfs2", "gfs2"]
    assert again.systems[-1].fault == "it ended"


def test_nodes_that_hardly_met_get_no_check_mark() -> None:
    """Over NFS 4 appending at once got "✓ 20 kept": one node had ended before the other began."""
    apart = counted("gfs2", "append_at_once", {"kept": 200}, raced=6)
    found = entry(apart, "append_at_once")
    assert (found.words, found.is_right) == ("200 kept", None)
    assert found.note == "did not race: 6 of 200 met"
    said = answer(LOG.with_one(apart))
    assert "in every case" not in said
    assert "As on one machine where the nodes raced: gfs2." in said
    assert "The nodes did not race: gfs2, appended at once." in said
    met = counted("gfs2", "append_at_once", {"kept": 200}, raced=180)
    assert entry(met, "append_at_once").is_right
    losing = counted("gfs2", "append_at_once", {"kept": 190, "lost": 10}, raced=0)
    assert entry(losing, "append_at_once").is_right is False
