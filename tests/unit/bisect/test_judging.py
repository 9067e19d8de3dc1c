"""A kernel is judged by the intervals of the study in which it stood next to the good one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fsgauge.bisect.judging import (
    Outcome,
    answer,
    bounds,
    is_found,
    judged,
    next_kernel,
    outcome_of,
)
from fsgauge.bisect.log import Asked, Log, Step, read_log, steps, write_bisect
from fsgauge.errors import InputError
from fsgauge.stats.folders.condition import parse_condition
from fsgauge.stats.folders.limits import meant
from fsgauge.stats.results import Results
from tests.synthetic import make_study

KERNELS = [f"linux-image-6.1.0-{number}-amd64" for number in range(20, 36)]
ASKED_SEARCH = Asked(
    study="overhead",
    overrides=[],
    system="ext4",
    storage=None,
    seed=None,
    good=KERNELS[0],
    bad=KERNELS[-1],
    limits=["ratio(iops, randread) < 0.95"],
)
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


def searched(first_bad: int, undecided: dict[int, int] | None = None) -> Log:
    """A search where kernels from this one on are bad; some are undecided with fewer blocks."""
    slow = undecided or {}

    def measure(kernel: str, times: int) -> Step:
        at = KERNELS.index(kernel)
        outcome: Outcome = "bad" if at >= first_bad else "good"
        if times < slow.get(at, 1):
            outcome = "undecided"
        return Step(kernel=kernel, directory="d", blocks=5 * times, outcome=outcome, limits=[])

    log = Log(asked=ASKED_SEARCH, kernels=KERNELS)
    for reached in steps(log, measure):
        log = reached
        assert len(log.steps) < 30
    return log


@pytest.mark.parametrize("first_bad", range(1, len(KERNELS)))
def test_the_first_bad_kernel_is_found_in_few_steps(first_bad: int) -> None:
    log = searched(first_bad)
    assert is_found(log.kernels, log.tried)
    assert bounds(log.kernels, log.tried) == (first_bad - 1, first_bad)
    assert len(log.steps) <= 5
    assert log.steps[0].kernel == KERNELS[-1]
    said = answer(log.kernels, log.tried)
    assert said.startswith(f"{KERNELS[first_bad]} is the first kernel beyond a limit")


def test_a_kernel_that_is_undecided_gets_more_blocks() -> None:
    log = searched(8, {8: 4})
    assert is_found(log.kernels, log.tried)
    again = [step.blocks for step in log.steps if step.kernel == KERNELS[8]]
    assert again == [5, 10, 20]


def test_one_that_stays_undecided_is_passed_over_and_named() -> None:
    log = searched(8, {7: 9, 8: 9})
    assert not is_found(log.kernels, log.tried)
    assert bounds(log.kernels, log.tried) == (6, 9)
    said = answer(log.kernels, log.tried)
    assert said == (
        f"The loss came after {KERNELS[6]}, and with {KERNELS[9]} at the latest; {KERNELS[7]} and"
        f" {KERNELS[8]} could not be decided."
    )


def test_a_bad_kernel_that_is_not_bad_ends_the_search_at_once() -> None:
    log = searched(99)
    assert [step.kernel for step in log.steps] == [KERNELS[-1]]
    assert answer(log.kernels, log.tried).endswith("there is nothing to look for.")
    log = searched(1, {len(KERNELS) - 1: 9})
    assert len(log.steps) == 3
    assert answer(log.kernels, log.tried).startswith("It cannot be decided whether")


def test_a_search_goes_on_where_it_was_interrupted() -> None:
    whole = searched(11)
    for done in range(len(whole.steps)):
        log = whole.model_copy(update={"steps": whole.steps[:done]})
        assert next_kernel(log.kernels, log.tried) == whole.steps[done].kernel
