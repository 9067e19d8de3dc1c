"""The answer of a sweep tells each test of the aged tree, as shares of the first year's rate."""

from __future__ import annotations

import math

import pytest

from fsgauge.sweep.answer import WORDS_LIMIT, aged_tests, share_interval, sweep_answer
from fsgauge.sweep.folder import YearLine, YearPanel, YearPoint

MIB = float(1 << 20)
CELLS = [
    {"name": f"{side}, {wear}", "factors": {"side": side, "wear": wear, "fill_percent": 80}}
    for wear in ("aged", "fresh")
    for side in ("read", "write")
]


def point(years: float, rate: float, factor: float = 1.05, lives: int = 5) -> YearPoint:
    value = rate * MIB
    return YearPoint(
        years=years, value=value, low=value / factor, high=value * factor, lives=lives, results=""
    )


def panel(
    cell: str, profile: str, *rates: tuple[str, float, float], factor: float = 1.05
) -> YearPanel:
    lines = [
        YearLine(system=system, points=[point(0, first, factor), point(2, last, factor)])
        for system, first, last in rates
    ]
    return YearPanel(cell=cell, profile=profile, metric="bandwidth", unit="B/s", lines=lines)


READ, WRITE = (("ext4", 200.0, 160.0), ("xfs", 180.0, 180.0)), (("ext4", 100, 18), ("xfs", 100, 66))


def of(*profiles: str) -> list[YearPanel]:
    return [
        each
        for profile in profiles
        for each in (
            panel("read, aged", profile, *READ),
            panel("write, aged", profile, *WRITE),
            panel("read, fresh", profile, ("ext4", 999, 999), ("xfs", 999, 999)),
        )
    ]


def test_writes_are_told_too_and_fresh_copies_are_not() -> None:
    """The answer told the first cell alone: that writes keep a fifth stood in no sentence."""
    said = sweep_answer(of("as it is"), aged_tests(CELLS))
    assert said == (
        "After 2 years, reads of the aged tree have 160 MiB/s on ext4, 80 % of year 0's rate"
        " (75 to 86) and 180 MiB/s on xfs, 100 % (93 to 107); writes 18 % (17 to 19) and 66 %"
        " (62 to 71)."
    )


def test_two_profiles_are_told_in_one_order_and_more_are_counted() -> None:
    profiles = [f"median_size={size} KiB" for size in (16, 64, 256)]
    said = sweep_answer(of(*profiles), aged_tests(CELLS))
    assert len(said.split()) <= WORDS_LIMIT
    assert "After 2 years with median_size=16 KiB, reads of the aged tree have 80 %" in said
    assert " With median_size=64 KiB, reads have 80 % on ext4 and 100 % on xfs;" in said
    assert "256" not in said and said.endswith("1 more profile is below.")
    two = sweep_answer(of(*profiles[:2]), aged_tests(CELLS))
    assert two.count("80 % on ext4 (75 to 86)") == 1 and "more" not in two


def test_the_share_s_interval_is_of_both_rates() -> None:
    """MOVER of two rates that are each known within 5 %: sqrt(2) of it in logs."""
    line = YearLine(system="ext4", points=[point(0, 200), point(2, 160)])
    low, high = share_interval(line) or (0.0, 0.0)
    reach = math.sqrt(2) * math.log(1.05)
    assert (low, high) == pytest.approx((0.8 * math.exp(-reach), 0.8 * math.exp(reach)))
    few = YearLine(system="ext4", points=[point(0, 200, lives=2), point(2, 160)])
    assert share_interval(few) is None


def test_of_a_single_year_rates_are_told() -> None:
    alone = [
        each.model_copy(
            update={
                "lines": [
                    line.model_copy(update={"points": line.points[-1:]}) for line in each.lines
                ]
            }
        )
        for each in of("as it is")
    ]
    said = sweep_answer(alone, aged_tests(CELLS))
    assert said.startswith("After 2 years, reads of the aged tree have 160 MiB/s (152 to 168")
    assert "of year" not in said


def test_levels_are_named_where_there_are_several() -> None:
    fuller = [{**each, "factors": {**each["factors"], "fill_percent": 95}} for each in CELLS[:1]]
    cells = [*CELLS[1:2], {**fuller[0], "name": "read, 95"}]
    assert aged_tests(cells) == {
        "write, aged": "writes at 80 % full",
        "read, 95": "reads at 95 % full",
    }


def test_nothing_is_said_without_points() -> None:
    assert sweep_answer([], {}) == ""


def test_a_loss_that_is_known_does_not_read_as_none() -> None:
    """ "100 % of year 0's rate (99.5 to 99.6)"."""
    found = panel("read, aged", "as it is", ("ext4", 200.0, 199.2), factor=1.0005)
    assert "99.6 % of year 0's rate (99.5 to 99.7)" in sweep_answer([found], aged_tests(CELLS))
