"""The disk model on layouts of the published shape, and on shapes whose cost is known."""

from __future__ import annotations

import math

import pytest

from fsgauge.engine.wire import PassedFile
from fsgauge.errors import RigError
from fsgauge.kinds.aging import predicting
from fsgauge.kinds.aging.disk import DiskModel
from fsgauge.kinds.aging.predicting import predict_rates

MEBIBYTE = 1 << 20
PUBLISHED = DiskModel()
FILES = 20
"""As published: one of twenty intermingled files was deleted, so every twentieth chunk is free."""


def stream(places: list[int], lengths: list[int]) -> PassedFile:
    return PassedFile(physical_bytes=places, length_bytes=lengths)


def interleaved(chunk: int, *, apart: int, total: int = 4096 * MEBIBYTE) -> list[PassedFile]:
    """Four streams that take chunks in turn; `apart` chunks from one free place to the next."""
    places = [index * chunk * apart for index in range(total // chunk)]
    return [stream(places[of::4], [chunk] * len(places[of::4])) for of in range(4)]


def rate(files: list[PassedFile], disk: DiskModel = PUBLISHED) -> float:
    (found,) = predict_rates([files], disk)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("window", "mebibytes", "published"),
    [(64, 1, 0.29), (64, 2, 0.50), (64, 4, 0.74), (64, 8, 0.90), (16, 1, 0.29), (16, 8, 0.87)],
)
def test_one_file_of_twenty_deleted_costs_what_was_published(
    window: int, mebibytes: int, published: float
) -> None:
    disk = DiskModel().model_copy(update={"window": window})
    chunk = mebibytes * MEBIBYTE
    aged = rate(interleaved(chunk, apart=FILES), disk)
    clean = rate(interleaved(chunk, apart=1), disk)
    assert aged / clean == pytest.approx(published, abs=0.02)


def test_clean_rates_are_those_of_the_rig_and_large_chunks_cost_a_short_queue() -> None:
    """Published: above 4 and near 5 GB/s from eight targets; larger chunks lower it somewhat."""
    short = DiskModel().model_copy(update={"window": 16})
    assert rate(interleaved(MEBIBYTE, apart=1)) == pytest.approx(614e6, rel=0.01)
    assert rate(interleaved(8 * MEBIBYTE, apart=1), short) == pytest.approx(523e6, rel=0.01)


def test_one_contiguous_file_moves_at_the_rate_of_the_platters() -> None:
    disk = DiskModel().model_copy(update={"path_rate": 1e15})
    middle = math.sqrt(175e6**2 - 0.35 * (175e6**2 - 83e6**2))
    found = rate([stream([0], [1 << 30])], disk)
    assert found == pytest.approx(8 * middle, rel=1e-6)


def test_one_far_jump_costs_a_seek_and_half_a_turn() -> None:
    disk = DiskModel().model_copy(update={"path_rate": 1e15, "data_disks": 1, "window": 1})
    far = disk.cylinder_size * disk.cylinders // 3 + MEBIBYTE
    whole = rate([stream([0], [2 * MEBIBYTE])], disk)
    broken = rate([stream([0, far], [MEBIBYTE, MEBIBYTE])], disk)
    jump_s = 2 * MEBIBYTE / broken - 2 * MEBIBYTE / whole
    assert jump_s == pytest.approx(8.5e-3 + 60 / 7200 / 2, rel=1e-6)


def test_a_small_gap_ahead_is_read_through_and_one_behind_is_not() -> None:
    disk = DiskModel().model_copy(update={"path_rate": 1e15, "window": 1})
    ahead = rate([stream([0, MEBIBYTE + 4096], [MEBIBYTE, MEBIBYTE])], disk)
    behind = rate([stream([MEBIBYTE + 4096, 0], [MEBIBYTE, MEBIBYTE])], disk)
    assert ahead > 2 * behind


@pytest.mark.parametrize("apart", [1, 20])
def test_where_pieces_are_cut_changes_nothing(apart: int) -> None:
    """An extent listed in two parts that touch is the same extent."""
    whole = interleaved(2 * MEBIBYTE, apart=apart)
    halves = [
        stream(
            [place + half for place in file.physical_bytes for half in (0, MEBIBYTE)],
            [MEBIBYTE] * 2 * len(file.length_bytes),
        )
        for file in whole
    ]
    assert rate(halves) == pytest.approx(rate(whole), rel=1e-12)


def test_streams_of_unequal_length_are_moved_to_their_ends() -> None:
    files = [stream([0], [MEBIBYTE]), stream([1 << 30], [64 * MEBIBYTE]), stream([], [])]
    moved = 65 * MEBIBYTE / rate(files, DiskModel().model_copy(update={"path_rate": 1e15}))
    assert moved > 65 * MEBIBYTE / (8 * 175e6)


def test_nothing_to_move_has_no_rate() -> None:
    assert predict_rates([[], [stream([], [])]], DiskModel()) == [None, None]
    assert predict_rates([], DiskModel()) == []


def test_many_passes_are_several_jobs_and_keep_their_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passes = [[stream([0], [size * MEBIBYTE])] for size in (1, 200, 3)]
    passes[1] = interleaved(MEBIBYTE, apart=FILES, total=200 * MEBIBYTE)
    at_once = predict_rates(passes, DiskModel())
    monkeypatch.setattr(predicting, "_MOST_EXTENTS", 1)
    assert predict_rates(passes, DiskModel()) == at_once
    assert len(set(at_once)) == 3


def test_without_an_engine_it_says_which_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FSGAUGE_ENGINE", "/nowhere/fsgauge-engine")
    with pytest.raises(RigError):
        predict_rates([[stream([0], [4096])]], DiskModel())
