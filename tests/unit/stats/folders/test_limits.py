"""Limits on values: what is understood, in which unit, and where a mistake is shown."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.stats.folders.condition import parse_limit
from fsgauge.stats.folders.limits import is_met


@pytest.mark.parametrize(
    ("text", "metric", "limit", "selectors"),
    [
        ("p99(write) < 5 ms", "write.p99", 5e6, 0),
        ("p99.9(read, randread 4 KiB) <= 20ms", "read.p999", 2e7, 2),
        ("write.mean() < 300 us", "write.mean", 3e5, 0),
        ("iops(randread, 4 KiB, depth 32) > 10 k IOPS", "iops", 1e4, 3),
        ('bandwidth("a < b") >= 1 MiB/s', "bandwidth", 2**20, 1),
        ("files() > 500 files/s", "files", 500, 0),
        ("complete(590 clients) < 3 min", "complete", 180e9, 1),
    ],
)
def test_metric_unit_and_selectors(text: str, metric: str, limit: float, selectors: int) -> None:
    found = parse_limit(text)
    assert (found.metric, found.limit, len(found.selectors)) == (metric, limit, selectors)


@pytest.mark.parametrize(
    ("text", "said", "place"),
    [
        ("p98(write) < 5 ms", 'no metric "p98"', "p98"),
        ("p99(randwrite) < 5 ms", "p99 of which operation?", "randwrite"),
        ("p99(write) < 5", "has no unit", "5"),
        ("p99(write) < 5 MiB", "is not a unit of a duration", "5 MiB"),
        ("iops(randread) > 5 ms", "is not a unit of a pace", "5 ms"),
        ("p99(write) < 0 ms", "above 0", "0 ms"),
        ("p99(write)", "a comparison is missing", ""),
        ("p99(write) 5 ms", "a comparison is missing", "5"),
        ("1 ms < p99(write) < 5 ms", "there is no metric", "1"),
        ("ratio(iops) < 0.95", 'no metric "ratio"', "ratio"),
        ("", "a metric is missing", ""),
    ],
)
def test_a_mistake_is_shown_where_it_is(text: str, said: str, place: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_limit(text)
    assert said in str(caught.value)
    location = caught.value.location
    assert location is not None and location.path == "--limit"
    assert text[location.column - 1 :].startswith(place)
    assert caught.value.next


@pytest.mark.parametrize(
    ("low", "high", "met"),
    [
        (1e6, 4e6, True),
        (6e6, 9e6, False),
        (4e6, 6e6, None),
        (float("nan"), float("nan"), None),
        (1e6, float("nan"), None),
    ],
)
def test_an_interval_meets_a_limit_whole_or_not_at_all(
    low: float, high: float, met: bool | None
) -> None:
    assert is_met(parse_limit("p99(write) < 5 ms"), low, high) is met
