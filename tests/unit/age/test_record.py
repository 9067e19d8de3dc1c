"""What lies beside an image: read back as it was, and refused when it is something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fsgauge.age.record import (
    NOT_ASKED,
    Checksum,
    MadeTarget,
    document_of_age,
    keep_age,
    keep_scans,
    read_age,
    record_files,
)
from fsgauge.errors import InputError, RefusedError
from fsgauge.scan import read_scan
from tests.age_example import worn

CHECKSUM = Checksum(sha256="ab", size_bytes=1 << 20, data_bytes=4096)


def test_what_is_kept_is_read_back(tmp_path: Path) -> None:
    image, files = tmp_path / "aged.img", record_files(tmp_path, "aged.img")
    files.require_new()
    done = worn(tmp_path)
    keep_scans(files, done)
    keep_age(files, document_of_age(MadeTarget(image, CHECKSUM), done, NOT_ASKED))
    kept = read_age(image)
    assert kept.checksum == CHECKSUM and kept.result == done.result
    assert read_scan(files.before) == done.before and read_scan(files.after) == done.after
    document = json.loads(files.age.read_text())
    assert (document["operations"], document["after"]["extents"]) == (5, 4)
    assert document["fidelity"] is None and document["fidelity_missing"] == NOT_ASKED


def test_records_are_never_replaced(tmp_path: Path) -> None:
    files = record_files(tmp_path, "aged.img")
    for path in (files.age, files.before, files.after):
        path.write_text("mine")
        with pytest.raises(RefusedError, match="left alone"):
            files.require_new()
        path.unlink()


def test_a_name_that_leaves_no_room_for_records_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="too long"):
        record_files(tmp_path, "n" * 245).require_new()


@pytest.mark.parametrize(
    "text", [None, "", "[]", "{}", '{"kind": "age"}', '{"kind": "age", "format": 1}']
)
def test_what_is_no_record_is_refused(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        record_files(tmp_path, "aged.img").age.write_text(text)
    with pytest.raises(InputError, match="record"):
        read_age(tmp_path / "aged.img")


def test_the_log_of_another_version_is_named_with_both_formats(tmp_path: Path) -> None:
    """It was "not the record of an aged image", as if it were damaged."""
    record_files(tmp_path, "aged.img").age.write_text('{"kind": "age", "format": 2}')
    with pytest.raises(
        InputError, match="has format 2, and this fsgauge reads format 1"
    ) as refused:
        read_age(tmp_path / "aged.img")
    assert "another version of fsgauge" in refused.value.cause
    assert refused.value.next


def test_the_record_of_a_folder_is_not_that_of_an_image(tmp_path: Path) -> None:
    files = record_files(tmp_path, "folder")
    keep_age(files, document_of_age(MadeTarget(tmp_path), worn(tmp_path), NOT_ASKED))
    with pytest.raises(InputError, match="not the record of an aged image"):
        read_age(tmp_path / "folder")
