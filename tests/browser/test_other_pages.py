"""Pages of other commands, and of runs that were struck: nothing overlaps or is cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from fsgauge.bisect.log import Log, Step, write_bisect
from fsgauge.coherence.page import write_log as write_coherence
from fsgauge.failure.log import write_log as write_failure
from fsgauge.published.archive import LeftOut, names, publication_named
from fsgauge.published.standing import standing_of
from fsgauge.record.strikes import Strike, Struck
from fsgauge.report import write_report
from fsgauge.report.publication import write_publication
from fsgauge.stats.folders.condition import parse_condition
from fsgauge.sweep.answer import SweepResults
from fsgauge.sweep.folder import YearLine, YearPanel, YearPoint
from fsgauge.sweep.page import write_sweep
from tests.browser.geometry import FORMS, faults_of
from tests.browser.opened import Open
from tests.synthetic import make_study
from tests.synthetic_churn import make_churn
from tests.synthetic_sharing import make_sharing
from tests.unit.bisect.test_judging import ASKED, judged, results
from tests.unit.coherence.test_page import LOG as COHERENCE
from tests.unit.failure.test_log import LOG as FAILURE

pytestmark = [pytest.mark.browser, pytest.mark.long]

SECOND = 10**9
POLICIES = ["ext4-6.18", "block-at-a-time", "xfs-6.18", "best-fit", "buddy"]


def bisection(folder: Path) -> Path:
    kernels = [f"linux-image-6.1.0-{number}-amd64" for number in range(40, 48)]
    asked = ASKED.model_copy(update={"good": kernels[0], "bad": kernels[-1]})
    limits = judged([parse_condition(asked.limits[0])], results(6, 0.7), "tried")
    log = Log(asked=asked, kernels=kernels)
    for at in (7, 3, 5):
        step = Step(
            kernel=kernels[at], directory=str(folder), blocks=6, outcome="bad", limits=limits
        )
        log = log.with_step(step)
    return write_bisect(log, folder)


def sweep(folder: Path) -> Path:
    def points(place: int) -> list[YearPoint]:
        rates = [(years, 1.8e8 * 0.9 ** (years * (place + 0.2))) for years in (0, 1, 2, 3, 5)]
        return [
            YearPoint(
                years=years, value=rate, low=0.93 * rate, high=1.2 * rate, lives=5, results="1"
            )
            for years, rate in rates
        ]

    panels = [
        YearPanel(
            cell=f"{cell}, 80 % full",
            profile=profile,
            metric="bandwidth",
            unit="B/s",
            lines=[
                YearLine(system=system, points=points(place))
                for place, system in enumerate(POLICIES)
            ],
        )
        for profile in ("median_size=64 KiB", "median_size=256 KiB; size_sigma=1")
        for cell in ("reading the whole tree", "writing new files next to it")
    ]
    found = SweepResults(
        question="What is left of read rates after years of creating and deleting files?",
        answer="Simulated, not measured.",
        simulation=None,
        systems=POLICIES,
        baseline=POLICIES[0],
        panels=panels,
        missing=["5 years, median_size=1 MiB: not simulated yet"],
        storage="2 TiB in a model (disks-8+2-2012, window 16)",
        settings=dict.fromkeys(POLICIES, "no options"),
        load="8 processes; each reads the whole tree",
        repeat="fsgauge run results/study.toml --rig simulator",
    )
    return write_sweep(found, folder)


def struck(folder: Path) -> Path:
    """The last block's runs had a slow disk, and then a machine without power."""
    made = make_study(patterns=("randread",), block_sizes=(4096,), queue_depths=(1, 32), blocks=5)
    slow = Strike(
        kind="slow_disk", number=1, at_ns=3 * SECOND, for_ns=3 * SECOND, operations_per_second=50.0
    )
    off = Strike(
        kind="power_off", number=2, at_ns=7 * SECOND, for_ns=2 * SECOND, loses_unflushed=True
    )
    plan = made.study.plan
    last = plan.turns[-1].block
    own = [turn for turn in plan.turns if turn.block != last]
    of_faults = [
        turn.model_copy(update={"strikes": [slow, off]})
        for turn in plan.turns
        if turn.block == last
    ]
    plan = plan.model_copy(update={"turns": own, "struck": of_faults})
    was = [
        Struck(strike=slow, began_ns=3 * SECOND, ended_ns=6 * SECOND),
        Struck(
            strike=off,
            began_ns=7 * SECOND,
            ended_ns=9 * SECOND,
            back_ns=11 * SECOND,
            words=["disk0 lost 988 writes of 1,577"],
        ),
    ]
    runs = [
        run.model_copy(update={"struck": was}) if run.block == last else run for run in made.runs
    ]
    study = made.study.model_copy(update={"plan": plan, "rig": "vm"})
    return write_report(replace(made, study=study, runs=runs).write(folder))


def virtual_churn(folder: Path) -> Path:
    made = make_churn(blocks=4)
    study = made.study.model_copy(update={"rig": "vm"})
    return write_report(replace(made, study=study).write(folder))


def publication(name: str, folder: Path) -> Path:
    """By the runs that are kept, with a part that was not run."""
    at, ledger = publication_named(name)
    standings = [standing_of(at, claim) for claim in ledger.claim]
    helps = f"fsgauge published run {name} --storage /dev/disk/by-id/NAME --destroy SERIAL"
    left_out = [LeftOut(study="a-study-at-scale", why="it decides nothing here", next=helps)]
    folder.mkdir()
    return write_publication(folder / f"published-{name}.html", ledger, standings, left_out)


PAGES: dict[str, Callable[[Path], Path]] = {
    "bisection": bisection,
    "coherence": lambda folder: write_coherence(COHERENCE, folder),
    "failure": lambda folder: write_failure(FAILURE, folder),
    "sharing": lambda folder: write_report(make_sharing().write(folder)),
    "struck": struck,
    "sweep": sweep,
    "virtual-churn": virtual_churn,
    **{f"published-{name}": partial(publication, name) for name in names()},
}


@pytest.mark.parametrize("name", PAGES)
def test_no_text_overlaps_or_is_cut(
    opened: Open, artifacts: Path, tmp_path: Path, name: str
) -> None:
    page = PAGES[name](tmp_path / "results")
    for form, (width, height) in FORMS.items():
        found = opened(page, width, height)
        found.page.emulate_media(media="print" if form == "paper" else "screen")
        found.page.screenshot(path=artifacts / f"{name}-{form}.png", full_page=True)
        assert faults_of(found.page) == [], form
        assert found.complaints == []
