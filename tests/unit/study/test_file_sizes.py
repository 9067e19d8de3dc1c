"""Sizes of files: what the engine draws, their mean and the largest, by all that keys may say."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic_core import PydanticCustomError

from fsgauge.study.file_sizes import OF_LOG_NORMAL, FileSizes

KIB = 1 << 10
LOG_NORMAL = {"size_distribution": "log-normal", "median_size": 32 * KIB, "size_sigma": 1.0}


def sizes(**keys: Any) -> FileSizes:
    usual = FileSizes("listed", [4 * KIB, 12 * KIB], [], 8 * KIB, 2.0, KIB, 1 << 20)
    return usual._replace(**keys)


@pytest.mark.parametrize(
    ("keys", "law", "mean_bytes", "largest_bytes"),
    [
        ({}, {"kind": "cycle", "sizes_bytes": [4 * KIB, 12 * KIB]}, 8 * KIB, 12 * KIB),
        ({"size_weights": [3, 1]}, {"kind": "weighted"}, 6 * KIB, 12 * KIB),
        (LOG_NORMAL, {"kind": "lognormal", "sigma": 1.0}, 32 * KIB * 1.6487, 1 << 20),
        ({**LOG_NORMAL, "size_sigma": 9.0}, {"kind": "lognormal"}, 1 << 20, 1 << 20),
    ],
)
def test_what_is_drawn(
    keys: dict[str, Any], law: dict[str, Any], mean_bytes: float, largest_bytes: int
) -> None:
    found = sizes(**keys)
    assert found.law.model_dump().items() >= law.items()
    assert found.mean_bytes == pytest.approx(mean_bytes, rel=1e-4)
    assert found.largest_bytes == largest_bytes


def test_keys_of_the_other_way_to_say_sizes_have_no_effect() -> None:
    assert tuple(sizes().without_effect()) == OF_LOG_NORMAL
    assert set(sizes(**LOG_NORMAL).without_effect()) == {"file_sizes", "size_weights"}


def test_a_median_that_is_cut_off_is_refused_where_it_is_drawn() -> None:
    sizes(median_size=1).require_order()
    sizes(**{**LOG_NORMAL, "median_size": KIB}).require_order()
    with pytest.raises(PydanticCustomError):
        sizes(**{**LOG_NORMAL, "median_size": KIB - 1}).require_order()
