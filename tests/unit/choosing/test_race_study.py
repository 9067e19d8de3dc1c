"""The study of a race is one that can be read, with a reason above the options."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.choosing.options import proposed
from fsgauge.choosing.race_study import (
    is_sampled,
    load_text,
    on_host,
    race_text,
    reasons_of,
    second_tables,
    varies,
)
from fsgauge.errors import InputError
from fsgauge.study.document import document_of
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study, parse_study
from fsgauge.study.varying import vary_systems
from tests.unit.study.test_varying import text

MANY = (
    '"mount.logbufs" = [2, 3, 4, 5, 6, 7, 8], "mkfs.-d.agcount" = [1, 2, 3, 4, 5, 6, 7],'
    ' "mount.allocsize" = ["1m", "2m", "4m", "8m", "16m"]'
)


def test_the_load_stays_and_systems_and_plan_are_those_of_a_race() -> None:
    name, before = load_text("mix-mail")
    found = proposed(["ext4", "xfs"], ["commits"], safe=True)
    tables = [table for each in found for table in each.tables]
    made = race_text(name, before, tables, reasons_of(found))
    document = document_of(made, "made")
    assert document.data["workload"] == document_of(before, "before").data["workload"]
    assert document.data["plan"] == {"mode": "race"}
    assert document.data["name"] == "mix-mail-choose"
    assert "# -O fast_commit: a sync writes a small record" in made
    vary_systems(document, None)
    assert document.data["system"][0]["name"] == "ext4"
    assert len({each["name"] for each in document.data["system"]}) > 20


def test_systems_of_its_own_stay_as_they_are(tmp_path: Path) -> None:
    own = text('"mount.allocsize" = ["default", "1m"]')
    assert varies(own)
    assert not varies(load_text("mix-mail")[1])
    made = race_text("mine", own, None, {})
    assert document_of(made, "made").data["system"] == document_of(own, "own").data["system"]


def test_a_job_of_fio_is_a_load(tmp_path: Path) -> None:
    job = tmp_path / "db.fio"
    job.write_text("[db]\nrw=randwrite\nbs=4k\nsize=64m\nfsync=1\n")
    name, made = load_text(str(job))
    assert name == "db"
    assert "[[workload.group]]" in made
    with pytest.raises(InputError, match="no study"):
        load_text("neither")


def test_a_second_race_is_around_the_winner_of_a_sample() -> None:
    sampled = text(MANY, plan='[plan]\nmode = "race"\n')
    document = document_of(sampled, "mine")
    assert is_sampled(sampled)
    vary_systems(document, None)
    winner = document.data["system"][7]
    tables = second_tables(sampled, winner["name"])
    assert tables[0]["name"] == "ext4"
    assert tables[1] == winner
    assert len(tables) == 61
    assert len({str(each["name"]) for each in tables}) == 61


def test_the_sample_of_any_seed_holds_its_winner() -> None:
    """--seed 5 samples others than 0 does, and the second race is around one of those."""
    sampled = text(MANY, plan='[plan]\nmode = "race"\n')
    document = document_of(sampled.replace('"race"\n', '"race"\nseed = 5\n'), "mine")
    vary_systems(document, None)
    names = [each["name"] for each in document.data["system"]]
    for name in names:
        assert name in [each["name"] for each in second_tables(sampled, name, [5, 0])]
    assert any(len(second_tables(sampled, name)) == 1 for name in names)


def simulated(*systems: str) -> Study:
    return load_study("churn", [], list(systems), "simulated:64MiB", 1)


def finalists(study: Study) -> list[tuple[str, str]]:
    text = on_host(study, [each.name for each in study.systems])
    found = parse_study(text, "x", "x").systems if text else []
    return [(each.name, each.kind) for each in found]


def test_a_model_and_what_it_stands_for_are_one_system() -> None:
    """They were measured against one another, as if they were two."""
    pair = simulated("model=ext4-6.18", "usual=ext4")
    first, usual = pair.systems[-2:]
    kinds = [first, usual.model_copy(update={"kind": "ext4"})]
    assert finalists(pair.model_copy(update={"systems": kinds})) == []
    other = usual.model_copy(update={"name": "lazy", "kind": "ext4", "mount": "noatime"})
    three = pair.model_copy(update={"systems": [*kinds, other]})
    assert finalists(three) == [("model", "ext4"), ("lazy", "ext4")]
