"""A number is read where it stands once; what is read wrongly is said and is no number."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.programs.printed import (
    MOST_OUTPUT_BYTES,
    Output,
    at_path,
    last_lines,
    read_numbers,
)


def number(**keys: object) -> dict[str, Any]:
    return {"name": "tps", "pattern": None, "json_path": None, **keys}


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("nothing of it", "matches nothing"),
        ("tps = 1\ntps = 2", "matches 2 times"),
        ("tps = ten", '"ten" is no number'),
        ("tps = 0", "a ratio needs a number above 0"),
        ("tps = inf", "a ratio needs a number above 0"),
        ("tps = 0,95", "a comma that parts no thousands"),
        ("tps = 12,34", "a comma that parts no thousands"),
        ("tps = 1.234,5", "a comma that parts no thousands"),
        ("tps = 0,123", "a comma that parts no thousands"),
        ("tps = 012,345,678", "a comma that parts no thousands"),
        ("tps = 1,234", "may be 1234 or 1.234"),
        ("tps = nan", "a ratio needs a number above 0"),
    ],
)
def test_a_pattern_that_finds_no_number(output: str, why: str) -> None:
    values, unread = read_numbers([number(pattern=r"^tps = (\S+)")], output, "")
    assert not values
    assert why in unread["tps"]


def test_a_pattern_finds_a_number_in_either_output() -> None:
    found = [number(pattern=r"^tps = ([\d.,]+)")]
    assert read_numbers(found, "tps = 1,234.5", "") == ({"tps": 1234.5}, {})
    assert read_numbers(found, "tps = 1,234,567", "") == ({"tps": 1234567.0}, {})
    assert read_numbers(found, "", "tps = 2") == ({"tps": 2.0}, {})


def test_a_pattern_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fsgauge.programs.printed._READING_SECONDS", 1)
    _, unread = read_numbers([number(pattern=r"(a+)+$")], "a" * 40 + "b", "")
    assert "takes longer" in unread["tps"]


def test_a_number_in_json() -> None:
    text = '{"results": [{"mean": 0.25, "name": "x"}], "ok": true}'
    assert read_numbers([number(json_path="results.0.mean")], text, "")[0] == {"tps": 0.25}
    for path in ("results.1.mean", "results.0.none", "ok", "results"):
        assert "tps" in read_numbers([number(json_path=path)], text, "")[1]
    deep = "[" * 100_000 + "]" * 100_000
    assert "too deep" in read_numbers([number(json_path="a")], deep, "")[1]["tps"]
    assert "no JSON" in read_numbers([number(json_path="a")], "text", "")[1]["tps"]
    assert at_path({"a": {"b": "3"}}, "a.b") == "3"


def test_of_json_that_is_too_long_the_end_is_no_json_and_that_is_why() -> None:
    whole = Output()
    whole.add(b'{"mean": 1, "samples": [' + b"1," * MOST_OUTPUT_BYTES + b"1]}")
    _, unread = read_numbers([number(json_path="mean")], whole.text, "")
    assert unread["tps"].endswith("; of its output the last MiB is kept")


def test_a_key_of_json_may_have_points() -> None:
    """fio's percentiles could not be named."""
    document = {"jobs": [{"percentile": {"99.000000": 7}, "a": {"b": 1}, "a.b": 2}]}
    assert at_path(document, "jobs.0.percentile.99.000000") == "7"
    assert at_path(document, "jobs.0.a.b") == "2", "the longest"
    with pytest.raises(ValueError, match='no "99"'):
        at_path(document, "jobs.0.percentile.99.9")


def test_lines_are_cut_and_few() -> None:
    found = last_lines("\n".join(["x" * 10_000, "", *map(str, range(30))]))
    assert found[-1] == "29"
    assert len(found) == 20
    assert len(last_lines("x" * 10_000)[0]) == 500


def test_output_without_end_is_kept_to_its_bound() -> None:
    kept = Output()
    for _ in range(5):
        kept.add(b"x" * MOST_OUTPUT_BYTES)
        assert len(kept.kept) <= 2 * MOST_OUTPUT_BYTES
