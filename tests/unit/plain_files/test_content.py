"""Values are counted and depth is measured in the text, before a parser makes anything of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.plain_files import PlainFolder, require_few_in_toml
from fsgauge.plain_files import folder as folder_module
from fsgauge.plain_files.bounds import ALL_RECORDS, MOST_DEPTH, STUDY, Bound, values_of_json

PATH = Path("x.json")
FEW = Bound(1 << 20, 100)


@pytest.mark.parametrize(
    "text", ["[]," * 101, "1," * 101, "{}\n" * 101, '{"a":1,"b":2,' * 60, '"[[[[",' * 101]
)
def test_too_many_values_are_refused_with_the_number_that_is_allowed(text: str) -> None:
    with pytest.raises(InputError, match="and 100 are allowed") as refused:
        values_of_json(text.encode(), PATH, FEW)
    assert "x.json has " in refused.value.what and refused.value.next


@pytest.mark.parametrize("text", ['"' + "[,{" * 999 + '"', r'{"a": "\"[[[[[,,,,,,\\"}'])
def test_what_is_in_strings_is_no_value(text: str) -> None:
    assert values_of_json(text.encode() * 10, PATH, FEW) <= 10


def test_a_string_that_was_cut_short_hides_nothing_of_the_next_line() -> None:
    """A journal's last line may be torn; after it, what is a string was none."""
    text = b'{"event": "sto\n' + b"[]," * 200
    with pytest.raises(InputError, match="are allowed"):
        values_of_json(text, PATH, FEW)


def test_strings_that_never_end_are_read_once() -> None:
    """Each of a million quotes was looked at to the end of the text, for hours."""
    assert values_of_json(b'"' + b'\\"' * 1_000_000, PATH, FEW) == 0


@pytest.mark.parametrize("pair", ["[]", "{}"])
def test_depth_is_bounded(pair: str) -> None:
    def nested(depth: int) -> bytes:
        return (pair[0] * depth + pair[1] * depth).encode()

    many = Bound(1 << 20, 10_000)
    assert values_of_json(nested(MOST_DEPTH), PATH, many) == MOST_DEPTH
    with pytest.raises(InputError, match=f"more than the {MOST_DEPTH}"):
        values_of_json(nested(MOST_DEPTH + 1), PATH, many)


def test_documents_of_a_folder_are_few_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module.bounds, "ALL_RECORDS", Bound(ALL_RECORDS.size_bytes, 150))
    (tmp_path / "a").write_text(json.dumps(list(range(99))))
    with PlainFolder.opened(tmp_path) as folder:
        folder.read_json("a", FEW)
        with pytest.raises(InputError, match="too large together: more than 150 values"):
            folder.read_json("a", FEW)


def test_files_of_a_folder_are_summed_up_to_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module.bounds, "MOST_BYTES_OF_FOLDER", 150)
    (tmp_path / "a").write_bytes(bytes(100))
    with PlainFolder.opened(tmp_path) as folder:
        folder.digest("a")
        with pytest.raises(InputError, match="too large together"):
            folder.digest("a")


@pytest.mark.parametrize("text", ["a=1\n" * 10_001, "x=[" + "1," * 10_001, "\n" * 10_001])
def test_a_toml_text_of_too_many_values_or_lines_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="10,000 are allowed"):
        require_few_in_toml(text, "s.toml", STUDY)
    require_few_in_toml(text[:9000], "s.toml", STUDY)
