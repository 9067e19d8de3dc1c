"""Pages of studies of many clients, whole and broken: written, self-contained, complete."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from fsgauge.kinds.connections.page import connections_parts
from fsgauge.report import write_report
from fsgauge.report.tables import number_tables
from tests.long import long_but
from tests.synthetic_connections import BASELINE, OTHER, make_connections
from tests.whole_page import whole_page

FOUR = {BASELINE: "ext4", OTHER: "ext4", "xfs": "xfs", "btrfs": "btrfs"}
STUDIES: dict[str, dict[str, Any]] = {
    "typical": {},
    "three numbers of clients": {"clients": [3, 6, 12]},
    "four systems": {"systems": FOUR, "tests": ("write", "read", "stat", "mix", "backup")},
    "one system": {"systems": {BASELINE: "ext4"}},
    "before the first block": {"made_runs": 1},
    "without extents": {"without_extents": (BASELINE, OTHER), "primary_layout": False},
    "errors": {
        "errors": lambda turn, cell: [("create", "quota", 3)],
        "lost": lambda turn, cell: (9, 1),
        "bad": lambda turn, cell: int(cell.id == "read"),
    },
    "faults": {"faults": lambda turn, cell: turn.system == OTHER},
}


@pytest.mark.parametrize("name", long_but(("typical", "before the first block", "errors"), STUDIES))
def test_the_page_is_whole(tmp_path: Path, name: str) -> None:
    make_connections(**{"clients": 12, "blocks": 3, **STUDIES[name]}).write(tmp_path)
    write_report(tmp_path)
    page, results = whole_page(tmp_path)
    assert results.own is not None
    assert 'id="figure-overhead"' not in page and 'id="figure-depth"' not in page


@pytest.mark.usefixtures("blank_pictures")
def test_few_numbers_are_all_on_the_first_screen(tmp_path: Path) -> None:
    make_connections(clients=12, blocks=3).write(tmp_path)
    page = write_report(tmp_path).read_text(encoding="utf-8")
    first, _, rest = page.partition("</header>")
    assert 'id="figure-tests"' in first and 'id="figure-forest"' not in page
    assert "extents per file over ext4 nodelalloc" in first
    assert "published elsewhere, on other hardware" in rest and "records read back" in rest


@pytest.mark.usefixtures("blank_pictures")
def test_many_numbers_follow_the_throughput_of_all_systems(tmp_path: Path) -> None:
    make_connections(clients=12, blocks=3, systems=FOUR).write(tmp_path)
    page = write_report(tmp_path).read_text(encoding="utf-8")
    first, _, rest = page.partition("</header>")
    assert 'id="figure-forest"' in first and 'id="figure-tests"' in rest


@pytest.mark.usefixtures("blank_pictures")
def test_one_system_is_asked_what_it_gives_and_has_nothing_published_beside_it(
    tmp_path: Path,
) -> None:
    text = (files("fsgauge.kinds.connections") / "studies" / "connections.toml").read_text("utf-8")
    shipped = str(tomllib.loads(text)["question"])
    headings = []
    for systems in ({BASELINE: "ext4"}, {BASELINE: "ext4", OTHER: "ext4"}):
        made = make_connections(clients=12, blocks=3, systems=systems)
        definition = {**made.study.study, "question": shipped}
        directory = tmp_path / str(len(systems))
        directory.mkdir()
        study = made.study.model_copy(update={"study": definition})
        replace(made, study=study).write(directory)
        page = write_report(directory).read_text(encoding="utf-8")
        headings.append(page.partition("<h1>")[2].partition("</h1>")[0])
        assert ("published elsewhere, on other hardware" in page) == (len(systems) > 1)
    assert headings == [f"What do 12 clients get from {BASELINE}?", shipped]


@pytest.mark.usefixtures("blank_pictures")
def test_without_a_whole_block_the_tests_say_why_they_are_empty(tmp_path: Path) -> None:
    for made_runs, empty in ((1, True), (None, False)):
        directory = tmp_path / str(made_runs)
        directory.mkdir()
        make_connections(clients=12, blocks=1, made_runs=made_runs).write(directory)
        page = write_report(directory).read_text(encoding="utf-8")
        assert ("No numbers yet" in page) == empty


def test_what_two_blocks_cannot_say_stands_above_each_table() -> None:
    parts = connections_parts(make_connections(clients=12, blocks=2).results())
    tables = [*parts["published"], *parts["clients"], *parts["latency"], *parts["extents"]]
    assert tables
    for table in tables:
        assert not any("not known" in cell.below for row in table.rows for cell in row), table.name
        assert table.note.count("known from 2 blocks") <= 1
    assert all("No interval is known from 2 blocks" in table.note for table in parts["published"])
    found = number_tables(make_connections(clients=12, blocks=2).results())
    assert found and not any(line.interval for table in found for line in table.lines)
    found = number_tables(make_connections(clients=12, blocks=3).results())
    assert any(line.interval for table in found for line in table.lines)


@pytest.mark.usefixtures("blank_pictures")
def test_bad_records_are_said_where_all_was_read_back(tmp_path: Path) -> None:
    make_connections(clients=12, blocks=1, bad=lambda t, c: int(c.id == "read")).write(tmp_path)
    page = write_report(tmp_path).read_text(encoding="utf-8")
    assert "were not what had been written" in page and "Not valid" in page


def test_a_sweep_of_clients_has_its_picture_and_its_table(tmp_path: Path) -> None:
    make_connections(clients=[3, 12], blocks=3).write(tmp_path)
    page = write_report(tmp_path).read_text(encoding="utf-8")
    section = page[page.index('<section id="by-clients">') :]
    section = section[: section.index("</section>")]
    assert 'id="figure-by_clients"' in section
    assert "gain, over that with 3" in section and "backup, directory order" in section
    assert "write with 12 clients" in page and "Backup, directory order with 3 clients" in page
