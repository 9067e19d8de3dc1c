"""A commit that reaches no flush is a finding; so is a call that promises nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from fsgauge.kinds.commits import analysis
from fsgauge.kinds.commits.analysis import ANALYSIS
from fsgauge.kinds.commits.factors import CommitsFactors
from fsgauge.record.parts import DeviceRun

COMMITS = 10


def run(
    system: str,
    flushes: int | None,
    sync: str = "fdatasync",
    *,
    direct: bool = False,
    fua: int | None = None,
    why: str = "",
) -> Any:
    cell = CommitsFactors(
        sync=sync, size_bytes=8192, committers=1, log="overwrite", together=1
    ).cell_named_by("sync", "size_bytes", "committers")
    device = DeviceRun(
        name="loop0",
        read_requests=0,
        read_bytes=0,
        write_requests=20,
        write_bytes=81920,
        discard_requests=0,
        discard_bytes=0,
        flush_requests=flushes,
        fua_requests=fua,
        fua_not_counted=why,
    )
    load = SimpleNamespace(direct=direct)
    return SimpleNamespace(
        system=system,
        cell=cell,
        device=device,
        result=SimpleNamespace(sync=None),
        load=load,
        block=0,
        again=False,
        over_path=False,
        turn=0,
    )


def codes(
    runs: list[Any], cache: str, monkeypatch: pytest.MonkeyPatch, fua: str | None = None
) -> dict[str, str]:
    monkeypatch.setattr(analysis, "is_complete", lambda _: True)
    monkeypatch.setattr(analysis, "operations_of", lambda _: COMMITS)
    links = [{"name": "loop0", "write_cache": cache, "fua": fua}, {"name": "vda", "fua": "1"}]
    storage = SimpleNamespace(device_chain=links if fua else links[:1])
    evidence = SimpleNamespace(runs=runs, before=SimpleNamespace(storage=storage))
    found = ANALYSIS.findings(evidence)  # type: ignore[arg-type]
    return {each.code: f"{each.sentence} {each.advice}" for each in found}


def test_no_flush_below_a_write_cache_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [run("ext4", 10), run("nobarrier", 0), run("nobarrier", 0)]
    found = codes(runs, "write back", monkeypatch)
    assert list(found) == ["commits.no_flush"]
    assert (
        "Commits on nobarrier reached no flush of the device in 1 cell" in found["commits.no_flush"]
    )


def test_a_sync_that_is_silent_is_told_beside_one_that_flushes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = codes([run("ext4", 10), run("ext4", 0, "open_datasync")], "write back", monkeypatch)
    assert "reached no flush of the device in 1 cell," in found["commits.no_flush"]


def test_a_direct_write_that_is_durable_itself_is_carried_by_fua(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No flush follows it, and it was told that a power failure may lose it."""
    by_fua = run("ext4", 0, "open_datasync", direct=True)
    assert codes([by_fua], "write back", monkeypatch, fua="1") == {}
    without = codes([by_fua], "write back", monkeypatch, fua="0")
    assert "takes no FUA (queue/fua is 0)" in without["commits.no_flush"]
    assert (
        "they are safe only if writes carry FUA"
        in codes([by_fua], "write back", monkeypatch)["commits.no_flush"]
    )
    cached = codes([run("ext4", 0, "open_datasync")], "write back", monkeypatch, fua="1")
    assert "these commits are carried by no FUA" in cached["commits.no_flush"]
    direct = codes([run("ext4", 0, direct=True)], "write back", monkeypatch, fua="1")
    assert "page cache" not in direct["commits.no_flush"], "fdatasync after a direct write"
    nobarrier = codes([run("nobarrier", 0)], "write back", monkeypatch, fua="1")
    assert "commits.no_flush" in nobarrier


def test_what_was_counted_decides_whether_commits_are_carried_by_fua(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was guessed from the way of syncing and from queue/fua."""
    assert codes([run("ext4", 0, fua=10)], "write back", monkeypatch, fua="1") == {}
    none = run("ext4", 0, "open_datasync", direct=True, fua=0)
    found = codes([none], "write back", monkeypatch, fua="1")
    assert "these commits are carried by no FUA" in found["commits.no_flush"]


def test_a_few_flushes_of_others_on_the_disk_are_none_of_commits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tests.unit.kinds.commits.test_analysis.COMMITS", 1000)
    assert "commits.no_flush" in codes([run("nobarrier", 3)], "write back", monkeypatch)
    assert codes([run("ext4", 900)], "write back", monkeypatch) == {}


def test_why_fua_is_not_counted_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    why = "tracefs is not mounted at /sys/kernel/tracing"
    runs = [run(each, 10, why=why) for each in ("ext4", "xfs", "ext4")]
    found = codes(runs, "write back", monkeypatch, fua="1")
    assert list(found) == ["commits.fua_not_counted"]
    assert found["commits.fua_not_counted"].startswith(f"FUA not counted: {why}.")


def test_without_a_cache_there_is_nothing_to_flush(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(codes([run("ext4", 0)], "write through", monkeypatch)) == [
        "commits.nothing_to_flush"
    ]


def test_what_was_not_counted_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert codes([run("ext4", None)], "write back", monkeypatch) == {}
    assert codes([run("ext4", 1)], "write back", monkeypatch) == {}


@pytest.mark.parametrize(
    ("calls", "level", "words"),
    [
        (0, "invalid", "no write became durable"),
        (1, "warning", "80 % of the writes became durable"),
        (2, "", ""),
    ],
)
def test_writes_that_no_sync_followed_are_told(
    calls: int, level: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A committer that shares a sync between 100,000 never came to it, and its rate was told."""
    made = run("ext4", 10)
    made.result.sync = SimpleNamespace(calls=calls)
    made.cell.factors["together"] = 8
    monkeypatch.setattr(analysis, "operations", lambda _: COMMITS)
    found = list(analysis._not_synced([made]))
    assert [each.level for each in found] == ([level] if level else [])
    assert all(words in each.sentence for each in found)


def test_sync_file_range_promises_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = codes([run("ext4", 0, "sync_file_range")], "write back", monkeypatch)
    assert list(found) == ["commits.no_promise"]


def test_requests_flushes_and_bytes_are_of_each_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "operations_of", lambda _: COMMITS)
    asked = analysis._asked(run("ext4", 10, fua=5))
    assert asked == {"requests": 2.0, "bytes": 8192.0, "flushes": 1.0, "fua": 0.5}
    assert asked.keys() - analysis._asked(run("ext4", None)).keys() == {"flushes", "fua"}
