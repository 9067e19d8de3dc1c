"""Pages of studies of aged file systems, whole and broken: written, self-contained, complete."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from fsgauge.errors import InputError
from fsgauge.kinds.aging.disk import DiskModel
from fsgauge.report import write_report
from fsgauge.stats.results import Results
from tests.long import long_but
from tests.synthetic_aging import BASELINE, SYSTEMS, make_aging
from tests.synthetic_connections import make_connections
from tests.whole_page import whole_page

TWO = {name: SYSTEMS[name] for name in ("ext4 1 MiB", "ext4 8 MiB")}
STUDIES: dict[str, dict[str, Any]] = {
    "two systems": {"systems": TWO},
    "one system, its own allocator": {"systems": {"xfs": None}},
    "before the first block": {"made_runs": 1},
    "before ageing": {"made_runs": 2},
    "without layouts": {"systems": TWO, "without_layout": tuple(TWO)},
    "without maps": {"systems": TWO, "maps": False},
    "faults": {"systems": TWO, "faults": lambda turn, cell: turn.system == BASELINE},
    "failed scans": {"systems": TWO, "scan_faults": lambda turn, cell: True},
}


@pytest.mark.parametrize(
    "name", long_but(("two systems", "before the first block", "failed scans"), STUDIES)
)
def test_the_page_is_whole(tmp_path: Path, name: str) -> None:
    make_aging(**{"levels": (5, 50, 100), "blocks": 3, **STUDIES[name]}).write(tmp_path)
    write_report(tmp_path)
    page, results = whole_page(tmp_path)
    assert results.own is not None
    assert 'id="figure-overhead"' not in page and 'id="figure-depth"' not in page


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("aging")
    make_aging(levels=(5, 50, 100), blocks=3).write(folder)
    return write_report(folder).read_text(encoding="utf-8")


def test_the_first_screen_shows_what_is_kept_and_what_that_says(page: str) -> None:
    first, _, rest = page.partition("</header>")
    assert 'id="figure-kept"' in first and 'id="figure-predicted"' in rest
    assert "rates show only that requests are split" in first
    assert 'href="#predicted"' in first


def test_measured_and_predicted_share_no_picture_and_no_table(page: str) -> None:
    measured, _, after = page.partition('<section id="predicted">')
    predicted, _, _ = after.partition("</section>")
    assert "A model, not a measurement" in predicted
    assert 'id="figure-rates"' not in predicted and 'id="table-predicted"' not in measured
    assert "predicted," not in re.findall(r'id="data-rates">(.*?)</script>', page)[0]


def test_published_claims_stand_beside_and_are_marked(page: str) -> None:
    _, _, claims = page.partition('<section id="claims">')
    assert "published elsewhere, on other hardware" in claims
    assert "at least 89 %" in claims and "both rates fall dramatically" in claims
    assert "Sonexion" in claims


def test_every_system_has_its_maps(page: str) -> None:
    assert page.count("the device as a Hilbert curve") == len(SYSTEMS) * 4
    assert page.count('<div class="small-maps">') == len(SYSTEMS)


def test_free_space_is_shown_by_the_kernels_group_numbers(page: str) -> None:
    """The publication's first two figures: a bitmap of a target by group, before and after."""
    found = re.findall(r"free space by group, groups 0 to ([0-9]+), each of ([^;]+);", page)
    assert len(found) == len(SYSTEMS) * 2


@pytest.mark.usefixtures("blank_pictures")
def test_another_disk_is_named_where_its_numbers_stand(tmp_path: Path) -> None:
    make_aging(levels=(5,), blocks=3, systems=TWO).write(tmp_path)
    write_report(tmp_path, ["window=16"])
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "with 1 number changed" in page and "changed; else 64" in page
    results = Results.model_validate_json((tmp_path / "report.json").read_text())
    assert results.own is not None
    assert {each.value for each in results.own.disk if not each.is_default} == {16}


def test_a_disk_for_a_study_that_predicts_nothing_is_refused(tmp_path: Path) -> None:
    make_connections(clients=4, blocks=1).write(tmp_path)
    with pytest.raises(InputError) as refusal:
        write_report(tmp_path, lambda recorded: DiskModel())
    assert "predicts no disk's rates" in refusal.value.what
    assert not (tmp_path / "report.html").exists()
