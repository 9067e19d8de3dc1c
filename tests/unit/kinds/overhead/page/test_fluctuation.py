"""The table of fluctuation: on the page where runs are long enough, absent where they are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.report import write_report
from tests.synthetic import make_study

pytestmark = pytest.mark.usefixtures("blank_pictures")


@pytest.mark.parametrize(("duration_s", "there"), [(30, True), (8, False)])
def test_the_page_has_it_where_there_is_something_to_say(
    tmp_path: Path, duration_s: int, there: bool
) -> None:
    made = make_study(block_sizes=(4096,), queue_depths=(1,), blocks=3, duration_s=duration_s)
    page = write_report(made.write(tmp_path / "r")).read_text(encoding="utf-8")
    _, found, section = page.partition('<section id="fluctuation">')
    assert bool(found) == there
    if there:
        section = section[: section.index("</section>")]
        assert "29 intervals of 1 s behind the warm-up" in section
        assert "of itself" in section and "over raw&#39;s" in section
