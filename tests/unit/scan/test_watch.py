"""A line a scan: appended whole, read in spite of cut ones, and forecast only where it may be."""

from __future__ import annotations

import json
import random
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from fsgauge.engine.wire import ScanResult
from fsgauge.errors import InputError
from fsgauge.plain_files.bounds import Bound
from fsgauge.scan import watch as watching
from fsgauge.scan.watch import (
    Forecast,
    Point,
    Watch,
    append,
    forecast,
    forecast_words,
    read_watch,
    require_watch,
    since_first,
)
from tests.patience import patience
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


def test_a_file_of_more_values_than_lines_have_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line of 180 MiB of empty lists took 5 GiB."""
    monkeypatch.setattr(watching, "WATCH", Bound(1 << 20, 1000))
    file = tmp_path / "srv.watch"
    append(file, example())
    assert len(read_watch(file).points) == 1
    line = file.read_bytes().rstrip()
    file.write_bytes(line[:-1] + b', "x": [' + b"[]," * 2000 + b"[]]}\n")
    with pytest.raises(InputError, match="1,000 are allowed"):
        read_watch(file)


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
        ([10.0 + each / 100 for each in range(60)], "than the growth of the last 59 reaches back"),
        (
            [30.0, *(30 + each / 2 + 3 * (each % 2) for each in range(1, 40))],
            "",
        ),
    ],
)
def test_elsewhere_it_says_why_there_is_none(used: list[float], words: str) -> None:
    found = forecast(daily(used))
    assert isinstance(found, str) and words in found


def test_growth_that_began_of_late_is_not_lost_in_the_years_before() -> None:
    """Three years, of which the last 95 days grow by half a point: it was said to take 519 days."""
    chance, used = random.Random(5), [30.0]
    for day in range(1095):
        used.append(used[-1] + (0.5 if day >= 1000 else 0.0) + chance.gauss(0, 0.05))
    found = forecast(daily(used))
    assert isinstance(found, Forecast)
    assert found.first <= (100 - used[-1]) / 0.5 <= found.last < 80


def test_what_was_emptied_at_the_same_height_before_is_not_said_to_fill() -> None:
    chance, used = random.Random(6), [30.0]
    for _ in range(2000):
        used.append(30.0 if used[-1] > 80 else used[-1] + 0.5 + chance.gauss(0, 0.1))
    assert used[-1] > 40
    found = forecast(daily(used))
    assert isinstance(found, str) and "does not surely fill" in found


def sized(points: tuple[Point, ...], size: int, available: float | None) -> tuple[Point, ...]:
    """Points of a size; `available` is the share of it that users may have of what is free."""

    def of(point: Point) -> Point:
        numbers = dict(point.numbers) | {"size_bytes": float(size)}
        used = numbers["used_percent"]
        assert used is not None
        if available is not None:
            numbers["available_bytes"] = size * (100 - used - 100 * available) / 100
        return replace(point, numbers=numbers)

    return tuple(map(of, points))


def test_another_size_is_no_growth() -> None:
    small = daily([10.0 + each / 2 + each % 2 / 10 for each in range(100)]).points
    large = daily([30.0 + each / 4 + each % 2 / 10 for each in range(200)]).points[100:]
    found = forecast(Watch(path="/", points=sized(small, 100, None) + sized(large, 200, None)))
    assert isinstance(found, Forecast) and found.days == pytest.approx(20.25 * 4, rel=0.05)


def test_full_is_where_ordinary_users_have_no_room() -> None:
    points = daily([50.0 + each * 0.3 + each % 2 / 10 for each in range(100)]).points
    by_used = forecast(Watch(path="/", points=sized(points, 1000, None)))
    kept = forecast(Watch(path="/", points=sized(points, 1000, 0.05)))
    assert isinstance(by_used, Forecast) and isinstance(kept, Forecast)
    assert by_used.days - kept.days == pytest.approx(5 / 0.3, rel=0.1)
    # Lines of before this was known are no jump.
    mixed = sized(points[:20], 1000, None) + sized(points[20:], 1000, 0.05)
    assert isinstance(forecast(Watch(path="/", points=mixed)), Forecast)
    full = sized(daily([95.0]).points, 1000, 0.05)
    assert forecast(Watch(path="/", points=full)) == "it was full at the last scan"


def test_what_changed_since_the_first_line_is_said_before_any_forecast() -> None:
    """Whether it is worse than it was, after two scans."""
    old = {"free_bytes": 3 << 30, "largest_free_bytes": 1 << 30, "extents_per_file": 1.0}
    new = {"free_bytes": 3 << 30, "largest_free_bytes": 1 << 20, "extents_per_file": 1.5}
    points = [
        Point(started_unix_ns=(day + 1) * DAY, numbers=numbers, worst=[], sentence="")
        for day, numbers in enumerate((old, old, new))
    ]
    assert since_first(Watch("/srv", tuple(points[:1]))) == ""
    assert (
        since_first(Watch("/srv", tuple(points[:2])))
        == "Since 1970-01-02 00:00 UTC: nothing changed"
    )
    assert since_first(Watch("/srv", tuple(points))) == (
        "Since 1970-01-02 00:00 UTC: the largest free piece from 1 GiB to 1 MiB;"
        " extents per file from 1.00 to 1.50"
    )
    undecided = replace(points[2], numbers=new | {"undecided_extents": 3})
    assert "per file" not in since_first(Watch("/srv", (*points[:2], undecided)))


def test_a_forecast_is_in_whole_days_that_hold_it() -> None:
    fast = daily([each * 8.0 + each % 2 / 10 for each in range(13)])
    assert (
        forecast_words(fast)
        == "full within a day of the last scan (1970-01-14), if it goes on filling as it did"
    )
    slow = daily([each * 8.0 + each % 2 / 10 for each in range(12)])
    assert re.fullmatch(
        r"full 1 day after the last scan \(1970-01-13\), with 95 % between 1 and 2, .*",
        forecast_words(slow),
    )


def test_a_scan_says_what_ordinary_users_may_have(tmp_path: Path) -> None:
    append(tmp_path / "w", example())
    assert read_watch(tmp_path / "w").points[0].numbers["available_bytes"] == 28 << 20


def test_one_that_is_cut_in_its_head_is_known_by_it(tmp_path: Path) -> None:
    file = tmp_path / "w"
    append(file, example())
    whole = file.read_bytes()
    for length, known in ((0, False), (10, False), (16, True), (30, True), (60, True)):
        file.write_bytes(whole[:length])
        assert watching.is_watch(file) is known, length


def test_two_scans_at_one_moment_are_no_change() -> None:
    same = daily([50.0] * 3)
    points = tuple(point for point in same.points for _ in range(20))
    assert isinstance(forecast(Watch(path="/", points=points)), str)


def at(second: int, **source: object) -> ScanResult:
    """A scan with other words in its source."""
    found = example(started_unix_ns=second * 10**9)
    return found.model_copy(update={"source": found.source.model_copy(update=source)})


def test_another_file_system_in_the_same_place_has_no_line(tmp_path: Path) -> None:
    """After a failed mount, the root file system was a night of it."""
    file = tmp_path / "w"
    append(file, at(1, uuid="one"))
    append(file, at(2, uuid="one", mount_point="/moved"))
    with pytest.raises(InputError, match=r"another file system \(UUID one, now two\)"):
        append(file, at(3, uuid="two"))
    assert len(read_watch(file).points) == 2


def test_lines_without_a_uuid_go_by_file_system_and_mount_point(tmp_path: Path) -> None:
    file = tmp_path / "w"
    append(file, example())
    old = json.loads(file.read_text())
    file.write_text(json.dumps({k: v for k, v in old.items() if k not in ("uuid", "mount_point")}))
    append(file, at(2, uuid="one"))
    file.unlink()
    append(file, at(1))
    for other in ({"file_system": "xfs"}, {"mount_point": "/"}):
        with pytest.raises(InputError, match="of another file system"):
            append(file, at(2, **other))


def test_lines_of_two_are_not_shown_as_one(tmp_path: Path) -> None:
    file = tmp_path / "w"
    for name in ("/a", "/b"):
        (tmp_path / "part").unlink(missing_ok=True)
        append(tmp_path / "part", at(1, path=name))
        with file.open("ab") as both:
            both.write((tmp_path / "part").read_bytes())
    with pytest.raises(InputError, match="has lines of two: path /a and /b") as caught:
        read_watch(file)
    command = caught.value.next.partition(" > ")[0]
    said = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, check=True, timeout=patience(20)
    )
    assert [json.loads(line)["path"] for line in said.stdout.splitlines()] == ["/b"]


def test_an_empty_file_and_one_whose_first_line_was_cut_are_added_to(tmp_path: Path) -> None:
    file = tmp_path / "w"
    append(file, example())
    whole = file.read_bytes()
    for length in (0, 10, 30, 100):
        file.write_bytes(whole[:length])
        require_watch(file, "/fake")
        append(file, example())
        require_watch(file, "/fake")
        assert watching.is_watch(file) and len(read_watch(file).points) == 1, length


def test_what_takes_no_line_is_refused_before_the_scan(tmp_path: Path) -> None:
    file = tmp_path / "w"
    append(file, example())
    (tmp_path / "link").symlink_to(file)
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    for name, words in (
        ("link", "is a link"),
        ("dangling", "is a link"),
        ("no/w", "there is no folder"),
    ):
        with pytest.raises(InputError, match=words):
            require_watch(tmp_path / name, "/fake")
    (tmp_path / "hard").hardlink_to(file)
    with pytest.raises(InputError, match="is a link"):
        require_watch(file, "/fake")
