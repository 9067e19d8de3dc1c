"""What may be said of systems that are not told apart."""

from __future__ import annotations

from typing import Any

from fsgauge.stats.between_systems import Told
from fsgauge.stats.results import Comparison
from tests.synthetic import make_study


def told(**systems: tuple[float, float]) -> Told:
    """Undecided, each with the upper end of its interval and the percent that would have shown."""
    results = make_study(systems={"raw": "raw", "ext4": "ext4"}).results()
    cell, first = results.cells[0], results.comparisons[0]

    def entry(system: str, high: float, shown: float) -> Comparison:
        of: dict[str, Any] = {"system": system, "verdict": "undecided", "low": 1 / high}
        return first.model_copy(update={**of, "high": high, "detectable_percent": shown})

    return Told(cell, [entry(name, *numbers) for name, numbers in systems.items()])


def names(entries: list[Comparison]) -> list[str]:
    return [each.system for each in entries]


def test_one_bound_is_no_finding_of_one_system_and_too_noisy_of_another() -> None:
    """ "noatime: no difference above 32 %; too noisy to tell xfs (only one of 28 % ...)"."""
    found = told(noatime=(1.32, 25.0), xfs=(1.6, 28.0))
    assert (names(found.near), names(found.noisy)) == ([], ["noatime", "xfs"])
    found = told(noatime=(1.32, 25.0), xfs=(1.6, 35.0))
    assert (names(found.near), names(found.noisy)) == (["noatime"], ["xfs"])
    found = told(noatime=(1.2, 19.0), xfs=(1.6, 28.0))
    assert (names(found.near), names(found.noisy)) == (["noatime"], ["xfs"])
