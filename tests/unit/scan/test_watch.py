"""A line a scan: appended whole, read in spite of cut ones, and forecast only where it may be."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.scan import watch as watching
from fsgauge.scan.watch import Forecast, Point, Watch, append, forecast, read_watch, require_watch
from tests.scan_example import example

DAY = 86_400 * 10**9


def daily(used: list[float]) -> Watch:
    points = [
        Point(
            started_unix_ns=(day + 1) * DAY, numbers={"used_percent": each}, worst=[], sentence=""
        )
        for day, each in enumerate(used)
    ]
    return Watch(path="/srv", points=tuple(points))


def test_lines_are_appended_and_read_back(tmp_path: Path) -> None:
    file = tmp_path / "srv.watch"
    for second in (2, 1):
        append(file, example(started_unix_ns=second * 10**9))
    watch = read_watch(file)
    assert (watch.path, len(watch.points), watch.left_out) == ("/fake", 2, 0)
    assert [point.started_unix_ns for point in watch.points] == [10**9, 2 * 10**9]
    assert watch.points[0].numbers["extents_per_file"] == 2
    assert watching.is_watch(file) and watch.points[0].sentence


def test_a_line_that_was_cut_is_left_out_and_the_next_begins_anew(tmp_path: Path) -> None:
    file = tmp_path / "srv.watch"
    append(file, example())
    whole = file.read_bytes()
    file.write_bytes(whole + whole[:100])
    append(file, example())
    watch = read_watch(file)
    assert (len(watch.points), watch.left_out) == (2, 1)


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"kind": "scan-watch", "format": 1, "path": 5, "started_unix_ns": 1}',
        b'{"kind": "scan-watch", "format": 1, "path": "/", "started_unix_ns": 1e400}',
        b'{"kind": "scan-watch", "format": 1, "path": "/", "started_unix_ns": -1}',
        b'{"kind": "scan-watch", "format": 1, "path": "/", "started_unix_ns": 1, "worst": [5]}',
        b'{"kind": "scan-watch", "format": 2, "path": "/", "started_unix_ns": 1}',
    ],
)
def test_lines_of_others_are_counted_and_none_alone_is_refused(tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "srv.watch"
    file.write_bytes(line + b"\n")
    with pytest.raises(InputError, match="no line that can be read"):
        read_watch(file)
    append(file, example())
    assert read_watch(file).left_out == 1


def test_only_a_file_of_the_same_place_is_added_to(tmp_path: Path) -> None:
    file = tmp_path / "srv.watch"
    require_watch(file, "/fake")
    append(file, example())
    require_watch(file, "/fake")
    with pytest.raises(InputError, match="has the lines of /fake, not of /home"):
        require_watch(file, "/home")
    (tmp_path / "notes").write_text(json.dumps({"kind": "notes"}))
    with pytest.raises(InputError, match="left alone"):
        require_watch(tmp_path / "notes", "/fake")
    with pytest.raises(InputError, match="stopped early"):
        append(file, example(ended="interrupted"))


def test_a_steady_growth_has_a_forecast_whose_interval_holds_the_truth() -> None:
    chance = random.Random(7)
    used, inside = [], 0
    for _ in range(200):
        used = [30.0]
        for _ in range(90):
            used.append(used[-1] + 0.5 + chance.gauss(0, 0.3))
        found = forecast(daily(used))
        if isinstance(found, Forecast):
            assert found.first < found.days < found.last
            inside += found.first <= (100 - used[-1]) / 0.5 <= found.last
    assert 180 <= inside <= 200


@pytest.mark.parametrize(
    ("used", "words"),
    [
        ([10.0 + each for each in range(10)], "no forecast yet: 1 line more"),
        ([50.0 + each % 2 for each in range(60)], "does not surely fill"),
        ([50.0 - each / 10 for each in range(60)], "does not surely fill"),
        ([10.0 + each / 100 for each in range(60)], "further ahead than the lines reach back"),
        (
            [30.0, *(30 + each / 2 + 3 * (each % 2) for each in range(1, 40))],
            "",
        ),
    ],
)
def test_elsewhere_it_says_why_there_is_none(used: list[float], words: str) -> None:
    found = forecast(daily(used))
    assert isinstance(found, str) and words in found


def test_two_scans_at_one_moment_are_no_change() -> None:
    same = daily([50.0] * 3)
    points = tuple(point for point in same.points for _ in range(20))
    assert isinstance(forecast(Watch(path="/", points=points)), str)
