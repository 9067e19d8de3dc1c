"""The page of a race: places, why each left, what it took, what options do, the winner to copy."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pytest

from fsgauge.report.charts.race import survival
from fsgauge.report.race import effect_words, race_values, why
from fsgauge.report.write import Report, read_report
from fsgauge.stats.choosing.effects import effects_of
from fsgauge.stats.race.model import Place, Race
from fsgauge.stats.results import Results
from fsgauge.store import read_results
from fsgauge.study.varying import every_point, system_at
from tests.synthetic import make_study

VARY = {"mount.noatime": [False, True], "mkfs.-I": ["default", "128"]}
TABLES: list[dict[str, Any]] = [
    *(system_at({"name": "ext4"}, point) for point in every_point(VARY)),
    {"name": "ext4 (nobarrier)", "kind": "ext4", "mount": "nobarrier"},
    {"name": "xfs", "kind": "xfs"},
]
NAMES = [str(each["name"]) for each in TABLES]
BEST = "ext4 (noatime, -I 128)"


def place(system: str, state: Any, blocks: int, ratio: float | None, **more: Any) -> Place:
    ends = {} if ratio is None else {"low": ratio - 0.05, "high": ratio + 0.05}
    return Place(system=system, state=state, blocks=blocks, ratio=ratio, **ends, **more)


PLACES = [
    place(BEST, "leader", 6, 1.0),
    place("ext4 (nobarrier)", "in the race", 6, 1.4),
    place("ext4 (noatime)", "parked", 6, 0.99),
    place("ext4 (-I 128)", "slower", 4, 0.9, after_block=4, against=BEST),
    place("ext4", "slower", 3, 0.8, after_block=3, against=BEST),
    place("xfs", "failed", 3, None, after_block=3),
]
RACE = Race(
    systems=NAMES,
    baseline="ext4",
    weaker=["ext4 (nobarrier)"],
    metric="iops",
    label="operations per second",
    cell="randread-4KiB-depth1",
    decides="",
    margin_percent=2.0,
    blocks=6,
    leader=BEST,
    places=PLACES,
    others_at_most=1.015,
    ended="margin",
    proven=True,
    first_blocks={
        name: [value, value + 0.1, value - 0.1001]
        for name, value in zip(NAMES, (0.0, 0.1, 0.2, 0.3, 0.7), strict=False)
    },
    finalists=["ext4", BEST, "ext4 (noatime)"],
    confirmed=8,
    runs=34,
    seconds=100.0,
    bytes_written=1 << 30,
    full_runs=42,
    full_seconds=200.0,
    full_bytes_written=2 << 30,
    chosen=BEST,
    commands=["mkfs.ext4 -I 128 /dev/DEVICE"],
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("race")
    shown = dict.fromkeys(RACE.finalists, "ext4")
    made = make_study(
        systems=shown, patterns=("randread",), block_sizes=(4096,), queue_depths=(1,), blocks=8
    )
    made.write(folder)
    stored = read_results(folder)
    document = {**stored.study.study, "system": TABLES}
    study = stored.study.model_copy(update={"study": document})
    results = read_report(folder).results.model_copy(update={"race": RACE})
    return Report(dataclasses.replace(stored, study=study), results)


def test_why_each_left_or_stayed_is_said() -> None:
    said = [why(RACE, each) for each in PLACES]
    assert said[0] == "leads at the end"
    assert said[3] == "slower than the leader, after block 4"
    assert "two runs in a row, up to block 3" in said[5]
    other = PLACES[3].model_copy(update={"against": "xfs"})
    assert why(RACE, other) == "slower than xfs, after block 4"


def test_the_picture_has_a_row_a_system_also_of_those_that_were_not_confirmed(
    report: Report,
) -> None:
    drawn = survival(report.results)
    assert drawn is not None
    assert [(row["system"], row["ran"]) for row in drawn.rows][:2] == [(BEST, 6), (NAMES[4], 6)]
    assert len(drawn.rows) == len(NAMES)
    assert f">{NAMES[4]} †<" in drawn.wide
    assert f">{BEST}<" in drawn.wide
    assert ">noatime, -I" not in drawn.narrow and ">128)<" in drawn.narrow, "in two lines"
    assert "blocks" in drawn.wide and "ratio to the leader" in drawn.wide


def test_effects_are_of_the_first_blocks(report: Report) -> None:
    found = race_values(report.results, report.stored)
    (table,) = found["race_effects"]
    rows = [[cell.text for cell in row] for row in table.rows]
    assert rows[0][:4] == ["ext4", "nobarrier", "without it", "2.01"]
    assert {(row[1], row[3]) for row in rows[1:]} == {("noatime", "1.22"), ("-I 128", "1.11")}
    assert [race for _, race, _ in found["race_saved"]] == ["34", "100 s", "1 GiB"]


def test_the_page_has_all_of_it(report: Report) -> None:
    page = report.page()
    section = page[page.index('id="race"') :]
    for part in ("The best, to copy", "What it took", "What each option does", "All systems"):
        assert part in section
    assert "mkfs.ext4 -I 128 /dev/DEVICE" in section
    assert section.index('id="figure-race"') < section.index("What it took")
    (table,) = re.findall(r'<table id="table-places">(.*?)</table>', page, flags=re.DOTALL)
    assert table.count("<tr>") == len(NAMES) + 1


def test_an_interval_that_says_nothing_is_none(report: Report) -> None:
    """ "0.32 (0.000 to 278.383)" was printed."""
    wide = RACE.model_copy(update={"places": [Place(**{**PLACES[1].model_dump(), "low": 0.001})]})
    found = race_values(report.results.model_copy(update={"race": wide}), report.stored)
    (table,) = found["race_places"]
    assert [cell.below for cell in table.rows[0] if cell.below] == ["interval too wide"]
    assert table.rows[0][1].text == "ext4 (nobarrier) †", "also of one that was not confirmed"


def test_what_is_to_copy_is_called_the_best_only_where_that_is_proven(report: Report) -> None:
    open_end = report.results.model_copy(
        update={"race": RACE.model_copy(update={"proven": False, "ended": "budget"})}
    )
    assert "The leader, to copy" in dataclasses.replace(report, results=open_end).page()
    overtaken = RACE.model_copy(update={"proven": False, "chosen": "xfs"})
    results = report.results.model_copy(update={"race": overtaken})
    assert "<h3>xfs, to copy" in dataclasses.replace(report, results=results).page()


def test_a_race_without_a_leader_and_a_study_without_a_race_have_pages(report: Report) -> None:
    early = RACE.model_copy(
        update={
            "leader": "",
            "places": [Place(system=name, state="in the race", blocks=2) for name in NAMES],
            "first_blocks": {},
            "others_at_most": None,
            "ended": "running",
            "commands": [],
        }
    )
    begun = dataclasses.replace(report, results=report.results.model_copy(update={"race": early}))
    assert "to copy" not in begun.page()
    assert 'id="race"' in begun.page()
    none: Results = report.results.model_copy(update={"race": None})
    assert survival(none) is None
    assert 'id="race"' not in dataclasses.replace(report, results=none).page()


def test_what_changes_little_is_known_to_and_not_just_less_than_the_file_system(
    report: Report,
) -> None:
    """noatime did 10 % on ext4, and did not "matter" as btrfs was thirty times slower."""
    chance = np.random.default_rng(1)
    vary = {"mount.noatime": [False, True], "mount.lazytime": [False, True]}
    tables = [
        system_at({"name": kind}, point)
        for kind in ("ext4", "btrfs")
        for point in every_point(vary)
    ]
    for noise, little in ((0.005, ["lazytime (ext4)"]), (0.2, [])):
        logs = {
            str(each["name"]): list(
                chance.normal(0, noise, 3)
                - 3.5 * (each["kind"] == "btrfs")
                + 0.095 * ("noatime" in each.get("mount", "") and each["kind"] == "ext4")
            )
            for each in tables
        }
        found = effects_of(logs, {str(each["name"]): each for each in tables})
        said = " ".join(effect_words(found, 1.02))
        assert ("These change less than 2 % here" in said) == bool(little)
        assert "noatime (ext4)" not in said
        assert all(each in said for each in little)
