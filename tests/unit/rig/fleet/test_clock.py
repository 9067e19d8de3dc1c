"""How far away a start is after some were missed."""

from __future__ import annotations

import pytest

from fsgauge.rig.fleet.clock import LeadTime


def test_a_start_that_was_missed_is_followed_by_one_further_away() -> None:
    lead = LeadTime(2.5)
    assert lead.seconds == 2.5
    lead.missed()
    assert lead.seconds == 5.0
    lead.missed()
    lead.missed()
    lead.missed()
    assert lead.seconds == 20.0


def test_starts_that_all_keep_bring_it_back_to_the_least() -> None:
    lead = LeadTime(2.0)
    lead.missed()
    lead.kept()
    assert lead.seconds == pytest.approx(3.6)
    for _ in range(20):
        lead.kept()
    assert lead.seconds == 2.0
