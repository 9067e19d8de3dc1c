"""Known answers: load curves of commits and of clients' files, in the unit of who asks."""

from __future__ import annotations

import re
from typing import Any

import pytest

from fsgauge.kinds.commits.keys import CommitsWorkload
from fsgauge.kinds.metadata.keys import MetadataWorkload
from fsgauge.stats import Results
from fsgauge.stats.curve.model import Capacity, CurveResults
from fsgauge.workload.folders import ClientFolders
from tests.synthetic_curve import Queue, make_curve
from tests.synthetic_paced import committed, done_by_clients

QUEUES = {"ext4": Queue(5_000.0), "xfs": Queue(5_500.0)}
FOLDERS = ClientFolders(directory="/mnt/x", files_per_client=0, backup_files_per_client=0)


def of_commits(queues: dict[str, Queue] = QUEUES, **keys: Any) -> Results:
    workload = CommitsWorkload(committers=[4], duration=2_000_000_000, warm_up=0)
    return make_curve(queues, workload=workload, serve=committed, **keys).results()


def of_creates(queues: dict[str, Queue] = QUEUES) -> Results:
    workload = MetadataWorkload(operations=["create"], clients=[4], folders=["shared"])
    made = make_curve(queues, workload=workload, serve=done_by_clients, place=FOLDERS)
    return made.results()


def capacities(results: Results) -> dict[str, Capacity]:
    found = CurveResults.of(results)
    assert found is not None
    return {each.system: each for each in found.capacities}


@pytest.mark.parametrize(("made", "unit"), [(of_commits, "commits"), (of_creates, "creates")])
def test_rates_at_the_limit_are_those_of_the_queues_in_their_own_unit(made: Any, unit: str) -> None:
    results = made()
    for system, each in capacities(results).items():
        assert each.number is not None and each.state == "measured"
        assert each.number.value == pytest.approx(QUEUES[system].limit(), rel=0.05)
        assert each.knee is not None
    rate = rf"[\d.]+ k {unit}/s"
    said = rf"ext4 serves {rate} with p99 below 5 ms, xfs {rate} \(1\.\d+ times, "
    assert re.match(said, results.answer), results.answer
    assert "IOPS" not in results.answer


def test_a_commit_waits_for_its_sync_and_not_for_its_write_alone() -> None:
    """Its call is longer than the limit at any rate, and the write before it is not."""
    slow = {"ext4": Queue(5_000.0), "xfs": Queue(4_000.0, base_ms=6.0, service_ms=9.0)}
    results = of_commits(slow)
    found = capacities(results)["xfs"]
    assert (found.state, found.number, found.limited_by) == ("less than", None, "service")
    assert "commits/s have a p99 of " in results.answer
    (over,) = [each for each in results.findings if each.code == "curve.first_over"]
    assert "commits/s" in over.sentence
    assert over.advice == "A higher limit: --set 'plan.latency_limit=20 ms'."


def test_of_files_more_blocks_offer_lower_rates() -> None:
    """A file is done once at any rate, and each block looks lower than the one before."""
    slow = {"ext4": Queue(5_000.0), "xfs": Queue(4_000.0, base_ms=6.0)}
    (over,) = [e for e in of_creates(slow).findings if e.code == "curve.first_over"]
    assert re.fullmatch(r"Lower rates: --set plan.blocks=\d+\.", over.advice)


def test_what_stands_in_the_way_is_named_by_its_places() -> None:
    for results, places in ((of_commits(), 1), (of_creates(), 1)):
        words = {each.limited_words for each in capacities(results).values()}
        assert words == {"the queue: one operation at a time"}, places
