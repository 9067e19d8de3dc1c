"""The study of a race is one that can be read, with a reason above the options."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.choosing.options import proposed
from fsgauge.choosing.race_study import (
    around_winner,
    is_sampled,
    load_text,
    on_host,
    race_text,
    varies,
)
from fsgauge.errors import InputError
from fsgauge.plan.turns import with_seed
from fsgauge.study.document import document_of
from fsgauge.study.dump import dump_study
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
    made = race_text(name, before, proposed(["ext4", "xfs"], ["commits"], safe=True))
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
    made = race_text("mine", own, ())
    assert document_of(made, "made").data["system"] == document_of(own, "own").data["system"]


def test_a_job_of_fio_is_a_load(tmp_path: Path) -> None:
    job = tmp_path / "db.fio"
    job.write_text("[db]\nrw=randwrite\nbs=4k\nsize=64m\nfsync=1\n")
    name, made = load_text(str(job))
    assert name == "db"
    assert "[[workload.group]]" in made
    with pytest.raises(InputError, match="no study"):
        load_text("neither")


def sampled(plan: str = "", more: str = "") -> tuple[str, Study]:
    """A text of 245 combinations, and the race of a sample of them."""
    found = text(MANY + more, plan=f'[plan]\nmode = "race"\n{plan}')
    return found, with_seed(parse_study(found, "mine.toml", "mine"), 7)


def test_a_second_race_is_around_the_winner_of_a_sample() -> None:
    before, first = sampled()
    assert is_sampled(before) and len(first.systems) < 200
    winner = first.systems[7]
    second = around_winner(first, before, winner.name)
    assert second is not None and second.name == "mine-second"
    assert second.systems[:2] == [first.systems[0], winner]
    assert len({each.name for each in second.systems}) == len(second.systems) == 61
    assert Study.model_validate(second.model_dump(mode="json", by_alias=True)) == second
    assert around_winner(first, text('"mount.noatime" = [false, true]'), winner.name) is None
    assert around_winner(first, before, "another") is None
    assert around_winner(first, before, "ext4") is None, "nothing of it varies"


def test_the_sample_of_any_seed_holds_its_winner() -> None:
    """--seed 5 samples others than 0 does, and the second race is around one of those. Of a study
    without a seed the sample is that of 0, and its race has a seed all the same."""
    for plan in ("seed = 5\n", ""):
        before, first = sampled(plan)
        for each in first.systems[1:]:
            second = around_winner(first, before, each.name)
            assert second is not None and each in second.systems


def test_a_second_race_has_what_weakens_durability_only_where_the_first_has() -> None:
    weak = ', "mount.nobarrier" = [false, true]'
    before, first = sampled(more=weak)

    def names(study: Study) -> list[str]:
        second = around_winner(study, before, winner)
        assert second is not None
        return [each.name for each in second.systems if "nobarrier" in each.mount]

    safe = [each for each in first.systems if "nobarrier" not in each.mount]
    winner = safe[3].name
    assert names(first)
    assert not names(first.model_copy(update={"systems": safe}))


def simulated(*systems: str) -> Study:
    return load_study("churn", [], list(systems), "simulated:64MiB", 1)


def finalists(study: Study) -> list[tuple[str, str]]:
    found = on_host(study, [each.name for each in study.systems])
    read = parse_study(dump_study(found), "x", "x").systems if found else []
    return [(each.name, each.kind) for each in read]


def test_a_model_and_what_it_stands_for_are_one_system() -> None:
    """They were measured against one another, as if they were two."""
    pair = simulated("model=ext4-6.18", "usual=ext4")
    first, usual = pair.systems[-2:]
    kinds = [first, usual.model_copy(update={"kind": "ext4"})]
    assert finalists(pair.model_copy(update={"systems": kinds})) == []
    other = usual.model_copy(update={"name": "lazy", "kind": "ext4", "mount": "noatime"})
    three = pair.model_copy(update={"systems": [*kinds, other]})
    assert finalists(three) == [("model", "ext4"), ("lazy", "ext4")]
