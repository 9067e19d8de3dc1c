"""A page marks each system that gives up durability wherever it names it, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fsgauge.durability import MARK
from fsgauge.report import write_report
from fsgauge.report.compared import cautions, read_sides
from fsgauge.stats.folders.compare import compare_sides
from tests.synthetic import make_study

STUDY = {
    "patterns": ("randwrite",),
    "block_sizes": (4096,),
    "queue_depths": (1, 32),
    "systems": {"ext4": "ext4", "fast & loose": "ext4", "xfs": "xfs"},
}


def page_of(folder: Path, options: str) -> str:
    study = make_study(**STUDY)
    for at, turn in enumerate(study.turns):
        if turn.system == "fast & loose":
            facts = turn.facts.model_copy(update={"mount_options": options})
            study.turns[at] = turn.model_copy(update={"facts": facts})
    study.write(folder)
    return write_report(folder).read_text(encoding="utf-8")


def test_the_mark_is_beside_the_name_in_legends_tables_and_pictures(tmp_path: Path) -> None:
    page = page_of(tmp_path, "rw,data=writeback")
    mark = r'(?:&nbsp;<sup class="weak" title="[^"]*">(.)</sup>)?'
    named = re.findall(rf"(?:<t[dh][^>]*>|</i> )fast &amp; loose{mark}", page)
    assert len(named) > 20 and set(named) == {MARK}
    for system in ("ext4", "xfs"):
        assert not re.search(rf">{system}&nbsp;<sup", page)
    texts = re.findall(r"<text[^>]*>(fast &amp; loose[^<]*)</text>", page)
    assert texts and all(text.startswith(f"fast &amp; loose {MARK}") for text in texts)
    alone = (tmp_path / "charts" / "forest.svg").read_text(encoding="utf-8")
    assert f"fast &amp; loose {MARK}" in alone


@pytest.mark.usefixtures("blank_pictures")
def test_the_first_screen_says_why_and_the_legend_what_the_mark_means(tmp_path: Path) -> None:
    page = page_of(tmp_path, "rw,data=writeback,nobarrier")
    first = page.partition("</header>")[0]
    assert "data=writeback: a crash may lose or expose old data" in first
    assert "nobarrier: without flushes" in first and "ext4.rst" in first
    assert f"{MARK} gives up durability" in page
    assert "fast &amp; loose runs with nobarrier and data=writeback" in first.replace("&#39;", "'")


@pytest.mark.usefixtures("blank_pictures")
def test_systems_that_give_up_the_same_share_a_line(tmp_path: Path) -> None:
    """Thirty folders of one mount made the first screen thirty lines longer."""
    systems = {f"s{number}": "ext4" for number in range(8)}
    study = make_study(**STUDY | {"systems": systems})
    for at, turn in enumerate(study.turns):
        options = "rw,nobarrier" if turn.system == "s7" else "rw,data=writeback"
        facts = turn.facts.model_copy(update={"mount_options": options})
        study.turns[at] = turn.model_copy(update={"facts": facts})
    study.write(tmp_path)
    page = write_report(tmp_path).read_text(encoding="utf-8")
    row = re.search(r'<dd id="durability">(.*?)</dd>', page)
    assert row is not None
    lines = [re.sub(r"<[^>]+>|&nbsp;|†", "", each) for each in row[1].split('class="line">')[1:]]
    assert len(lines) == 3
    assert re.match(r"s0, s1, .* and \d more: data=writeback: a crash may", lines[0])
    assert lines[1].startswith("s7: nobarrier: ")


def test_a_study_in_which_all_is_durable_has_no_mark(tmp_path: Path) -> None:
    page = page_of(tmp_path, "rw,nodelalloc")
    assert MARK not in page and "gives up durability" not in page
    assert "Nothing syncs what the load writes" in page.partition("</header>")[0]


def test_a_comparison_of_two_folders_says_on_which_side(tmp_path: Path) -> None:
    for name, options in (("a", "rw"), ("b", "rw,data=writeback")):
        (tmp_path / name).mkdir()
        page_of(tmp_path / name, options)
    between = compare_sides(*read_sides([tmp_path / "a", tmp_path / "b"]))
    assert "fast & loose runs with data=writeback in b: a crash may lose or expose old data" in (
        cautions(between)
    )
