"""What claims of shared file systems are held against."""

from __future__ import annotations

import pytest

from fsgauge.kinds.sharing.analysis.model import Sharing, SystemFaults
from fsgauge.published.ledger import ledger_of
from fsgauge.published.observe import observe
from fsgauge.published.verdict import judged
from fsgauge.stats.results import Results
from tests.synthetic import make_study


def results_with(sound: float) -> Results:
    made = make_study(blocks=3)
    found = made.results()
    faults = [
        SystemFaults(system=name, planned=27, reached=25, counts={}, first="", sound=sound)
        for name in ("nfs", "cachefs")
    ]
    return found.model_copy(update={"kind": "sharing", "own": Sharing(faults=faults, limits=[])})


@pytest.mark.parametrize(
    ("sound", "of_nfs", "of_cachefs"),
    [(1.0, "confirmed", "refuted"), (25 / 27, "refuted", "confirmed")],
)
def test_runs_that_came_to_their_end_are_counted(
    sound: float, of_nfs: str, of_cachefs: str
) -> None:
    """C-17: only NFS and GFS ran without problems, CacheFS was the worst. Two of 27 runs that the
    rig failed say nothing of either."""
    claim = ledger_of("sharing").of("C-17")
    trials = {each.system: each for each in claim.trials}
    assert set(trials) == {"nfs", "gfs2", "cachefs", "unionfs", "ocfs2"}
    for system, word in (("nfs", of_nfs), ("cachefs", of_cachefs)):
        seen = observe(trials[system], results_with(sound))
        assert [each.n for each in seen] == [27]
        outcome = judged(trials[system], claim.published_ratio(trials[system]), seen)
        assert outcome.word == word and "(counted)" in outcome.words
