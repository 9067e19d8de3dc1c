"""Seeks grow with their distance, and a gap never costs more than a seek and a wait."""

from __future__ import annotations

import numpy as np
import pytest

from fsgauge.kinds.aging.disk.parameters import PUBLISHED, disk_of, parameters_of
from fsgauge.kinds.aging.disk.positioning import positioning_ns, seek_ns, transfer_rate


def test_the_seek_curve_goes_through_the_numbers_of_its_disk() -> None:
    tracks = np.array([0.0, PUBLISHED.cylinders / 3, PUBLISHED.cylinders])
    assert seek_ns(PUBLISHED, tracks) == pytest.approx([0.7e6, 8.5e6, 16e6])


def test_seeks_grow_with_their_distance() -> None:
    assert np.all(np.diff(seek_ns(PUBLISHED, np.arange(0.0, PUBLISHED.cylinders, 97.0))) > 0)


def test_gaps_behind_cost_what_a_seek_costs_and_none_costs_nothing() -> None:
    gaps = np.array([0, 4096, -4096, 1 << 34])
    none, near, behind, far = positioning_ns(PUBLISHED, gaps)
    assert none == 0 and near < 1e5 and far > behind > 0.7e6 + 4.1e6


def test_the_rate_falls_from_the_outer_edge_to_the_inner() -> None:
    outer, inner = (disk_of({"position": at}) for at in (0.0, 100.0))
    assert transfer_rate(outer) == pytest.approx(175e6)
    assert transfer_rate(inner) == pytest.approx(83e6)


def test_what_a_record_does_not_have_is_published_and_what_is_unknown_is_left() -> None:
    disk = disk_of({"window": 8, "of_a_later_version": 1})
    changed = [each.name for each in parameters_of(disk) if not each.is_default]
    assert changed == ["window"]
    assert all(each.what and each.source for each in parameters_of(disk))
