"""A scan that was kept reads back as it was; anything else is named for what it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.scan import document_of, is_kept_scan, read_scan
from fsgauge.scan.numbers import numbers_of
from tests.scan_example import example


def test_it_comes_back_whole_and_its_numbers_are_flat(tmp_path: Path) -> None:
    scan, file = example(), tmp_path / "kept.json"
    file.write_text(document_of(scan))
    assert is_kept_scan(file)
    assert read_scan(file) == scan
    document = json.loads(file.read_text())
    assert {name: document[name] for name in numbers_of(scan)} == numbers_of(scan)
    assert document["complete"] is True and document["problems"] == 2


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "not complete JSON"),
        ('{"kind": "scan", "format": 1, "files": 1', "not complete JSON"),
        ("[" * 100_000, "not complete JSON"),
        ("[]", "other JSON"),
        ('{"kind": "plan"}', "other JSON"),
        ('{"kind": "scan", "format": 1, "result": {}}', "result.format"),
        ('{"kind": "scan", "format": 1}', "result"),
    ],
)
def test_what_is_no_scan_is_refused_in_words(tmp_path: Path, text: str, word: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        read_scan(file)
    assert word in caught.value.render()


def test_a_newer_format_says_so(tmp_path: Path) -> None:
    file = tmp_path / "newer.json"
    file.write_text('{"kind": "scan", "format": 2}')
    with pytest.raises(InputError, match="format 2"):
        read_scan(file)


def test_only_the_head_tells_a_kept_scan(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"kind": "scan"}')
    assert not is_kept_scan(tmp_path / "a.json")
    assert not is_kept_scan(tmp_path)
    assert not is_kept_scan(tmp_path / "nothing")


def test_one_that_is_cut_in_its_head_is_refused_as_a_saved_scan(tmp_path: Path) -> None:
    """Its own extents and its host's numbers would be the answer."""
    file = tmp_path / "cut.json"
    whole = document_of(example()).encode()
    for length in range(1, 40):
        file.write_bytes(whole[:length])
        assert is_kept_scan(file), length
        with pytest.raises(InputError, match="is not a saved scan"):
            read_scan(file)
    file.write_bytes(b"")
    assert not is_kept_scan(file), "the engine refuses what is empty"


def test_a_saved_scan_of_a_newer_version_is_known_as_one(tmp_path: Path) -> None:
    newer = tmp_path / "newer.json"
    newer.write_text('{"kind": "scan", "format": 2, "result": {}}')
    assert is_kept_scan(newer)
    with pytest.raises(InputError, match="is in format 2"):
        read_scan(newer)


def test_one_that_is_missing_is_not_said_to_be_of_a_study(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_scan(tmp_path / "missing.json")
    said = caught.value.render()
    assert "is missing" in said and "study" not in said and "--save OTHER.json" in said


def test_the_next_command_writes_over_nothing(tmp_path: Path) -> None:
    """It was `fsgauge scan PATH --json > disk.img`, of an image given to --against."""
    (tmp_path / "disk.img").write_bytes(bytes(4096))
    with pytest.raises(InputError) as caught:
        read_scan(tmp_path / "disk.img")
    assert ">" not in caught.value.next and "disk.img" not in caught.value.next


@pytest.mark.parametrize(
    ("place", "value", "word"),
    [
        (("map", "order"), 62, "map.order"),
        (("counts", "extents"), 10**400, "counts.extents"),
        (("map", "order"), 2, "map: its lists"),
        (("map", "data"), [], "map: its lists"),
        (("map", "free", 0), 2**31, "map: a share"),
        (("map", "owner", 0), 99, "map.owner"),
        (("top", 0, "extents"), 0, "top.0.extents"),
        (("extent_lengths", 0, "at_least_bytes"), 0, "extent_lengths"),
        (("free", "lengths", 0, "at_least_bytes"), 3, "free.lengths"),
    ],
)
def test_what_no_engine_writes_is_refused_before_it_is_shown(
    tmp_path: Path, place: tuple[str | int, ...], value: object, word: str
) -> None:
    file = tmp_path / "edited.json"
    document = json.loads(document_of(example()))
    at = document["result"]
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    file.write_text(json.dumps(document))
    with pytest.raises(InputError) as caught:
        read_scan(file)
    assert f"result.{word}" in caught.value.render()
