"""A log and its page in one folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.errors import RigError
from fsgauge.failure.log import Log
from fsgauge.report.logged import write_logged

LOG = Log(fsgauge="0", started_unix_ns=0, lasts_ns=10**9, loses_unflushed=True)
WORDS = {"rows": (), "answer": "Nothing was lost.", "titles": {}, "duration": str}


def test_the_page_and_what_it_was_made_from_lie_side_by_side(tmp_path: Path) -> None:
    page = write_logged("failure", LOG, tmp_path / "made", **WORDS)
    assert page == tmp_path / "made" / "failure.html"
    assert "Nothing was lost." in page.read_text(encoding="utf-8")
    assert Log.model_validate_json(page.with_suffix(".json").read_text()) == LOG


def test_a_folder_that_cannot_be_made_is_refused_with_the_next_command(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RigError, match="cannot write into") as caught:
        write_logged("failure", LOG, tmp_path / "file", **WORDS)
    assert caught.value.next.startswith("--output DIR")
