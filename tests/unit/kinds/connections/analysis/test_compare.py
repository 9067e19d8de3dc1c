"""Two folders of many clients: compared test by test, and asked about by name."""

from __future__ import annotations

import pytest

from fsgauge.stats.folders.condition import parse_condition
from fsgauge.stats.folders.limits import check
from fsgauge.stats.folders.same_conditions import Side
from tests.sittings import compare_quiet
from tests.synthetic_connections import OTHER, gain, make_connections


def side(label: str, slower: float, seed: int) -> Side:
    """A folder in which one system, not the baseline, is slower."""

    def planted(system: str, cell: str) -> float:
        return (slower if system == OTHER else 1.0) * gain(system, cell)

    made = make_connections(clients=20, blocks=6, seed=seed, gain=planted)
    return Side(label, made.study, made.turns, made.runs, made.before, made.after)


@pytest.mark.parametrize(
    "text",
    [
        "ratio(bandwidth, write) < 0.95",
        "ratio(complete, backup, directory order) > 1.05",
        "ratio(create.mean, backup fill) > 1.05",
        "ratio(per_client, read, 20 clients) < 0.95",
    ],
)
def test_a_slower_folder_crosses_the_limit_and_an_equal_one_does_not(text: str) -> None:
    before, slow, same = side("a", 1.0, 1), side("b", 0.8, 2), side("c", 1.0, 3)
    conditions = [parse_condition(text)]
    tests = check(conditions, compare_quiet(before, slow).ratios())
    assert {t.outcome for t in tests if t.system == OTHER} == {"crossed"}
    assert {t.outcome for t in tests if t.system != OTHER} <= {"held", "undecided"}
    tests = check(conditions, compare_quiet(before, same).ratios())
    assert "crossed" not in {t.outcome for t in tests}


def test_each_metric_of_clients_is_compared() -> None:
    between = compare_quiet(side("a", 1.0, 1), side("b", 0.8, 2))
    for metric in ("complete", "create.mean", "per_client", "files"):
        entry = between.entry("write", OTHER, metric, between.decides)
        assert entry is not None and abs(entry.ratio - 1) > 0.15
