"""A kernel is judged by the intervals of the study in which it stood next to the good one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fsgauge.bisect.judging import judged, outcome_of
from fsgauge.bisect.log import Asked, Log, Step, read_log
from fsgauge.bisect.page import write_bisect
from fsgauge.errors import InputError
from fsgauge.stats.folders.condition import parse_condition
from fsgauge.stats.folders.limits import meant
from fsgauge.stats.results import Results
from tests.synthetic import make_study

STUDY = {
    "patterns": ("randread", "randwrite"),
    "block_sizes": (4096,),
    "queue_depths": (1,),
    "systems": {"good": "ext4", "tried": "ext4"},
}
ASKED = Asked(
    study="overhead",
    overrides=[],
    system="ext4",
    storage="loop:512MiB",
    seed=7,
    good="linux-image-6.1.0-40-amd64",
    bad="linux-image-6.1.0-47-amd64",
    limits=["ratio(iops, randread) < 0.95"],
)


def results(blocks: int, factor: float) -> Results:
    return make_study(
        **STUDY,
        blocks=blocks,
        effect=lambda system, _: factor if system == "tried" else 1.0,
    ).results()


@pytest.mark.parametrize(
    ("blocks", "factor", "limit", "outcome"),
    [
        (6, 0.7, "ratio(iops, randread) < 0.95", "bad"),
        (6, 1.0, "ratio(iops, randread) < 0.8", "good"),
        (6, 1.0, "ratio(iops) < 0.8", "good"),
        (2, 0.7, "ratio(iops, randread) < 0.95", "undecided"),
        (6, 0.95, "ratio(iops, randread) < 0.95", "undecided"),
    ],
)
def test_a_whole_interval_decides(blocks: int, factor: float, limit: str, outcome: str) -> None:
    assert outcome_of(judged([parse_condition(limit)], results(blocks, factor), "tried")) == outcome


def test_one_crossed_limit_is_enough() -> None:
    texts = ["ratio(iops, randread) < 0.95", "ratio(iops, randwrite) < 0.1"]
    limits = judged([parse_condition(text) for text in texts], results(6, 0.7), "tried")
    assert [each.outcome for each in limits] == ["bad", "good"]
    assert outcome_of(limits) == "bad"


def test_a_limit_that_selects_nothing_is_refused_with_the_cells() -> None:
    with pytest.raises(InputError) as refused:
        judged([parse_condition("ratio(iops, read) < 0.9")], results(4, 1.0), "tried")
    assert refused.value.next == "it has: randread, randwrite"


def test_the_page_has_every_step_and_the_log_goes_on(tmp_path: Path) -> None:
    limits = judged([parse_condition(ASKED.limits[0])], results(6, 0.7), "tried")
    step = Step(
        kernel=ASKED.bad, directory=str(tmp_path / "r"), blocks=6, outcome="bad", limits=limits
    )
    log = Log(asked=ASKED, kernels=[ASKED.good, ASKED.bad]).with_step(step)
    page = write_bisect(log, tmp_path / "found").read_text(encoding="utf-8")
    assert f"{ASKED.bad} is the first kernel beyond a limit" in page
    assert re.search(r'href="\.\./r/report\.html"', page) and "0.7" in page
    assert read_log(tmp_path / "found", ASKED) == log
    assert read_log(tmp_path / "none", ASKED) is None


def test_a_folder_of_another_search_is_refused(tmp_path: Path) -> None:
    write_bisect(Log(asked=ASKED, kernels=[ASKED.good, ASKED.bad]), tmp_path)
    with pytest.raises(InputError, match="has another bisection"):
        read_log(tmp_path, ASKED.model_copy(update={"seed": 8}))
    (tmp_path / "bisect.json").write_text("{")
    with pytest.raises(InputError, match="cannot be read as the log of a bisection"):
        read_log(tmp_path, ASKED)


def test_a_limit_that_no_cell_is_meant_by_is_refused_before_anything_is_measured() -> None:
    cells = make_study(**STUDY, blocks=2).study.plan.cells
    assert len(meant(parse_condition("ratio(iops, randread) < 0.9"), cells, ["tried"])) == 1
    with pytest.raises(InputError, match='this study has no pattern "randrw"') as error:
        meant(parse_condition("ratio(iops, randrw) < 0.9"), cells, ["tried"])
    assert error.value.next == "it has: randread, randwrite"
