"""Layouts of a study: planted numbers come out, over blocks, and what is missing is said."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import pytest

from fsgauge.engine.wire import EngineFault
from fsgauge.record.records import Plan, ScanRecord
from fsgauge.stats import read_study
from fsgauge.stats.layouts import read_layouts, seeks_of, with_numbers
from fsgauge.stats.results import Layouts
from fsgauge.stats.samples import Samples
from tests.scan_example import example
from tests.synthetic import SyntheticStudy, make_study

SMALL = {"patterns": ("randread",), "block_sizes": (4096,), "queue_depths": (1,)}
Extents = Callable[[str, int, bool, str], int]
"""(system, block, again, when) -> extents of 100 files."""


def study(**changes: object) -> SyntheticStudy:
    systems = {"ext4": "ext4", "xfs": "xfs"}
    return make_study(**({"systems": systems, "blocks": 4} | SMALL | changes))


def scans_of(plan: Plan, extents: Extents, without: tuple[str, ...] = ()) -> list[ScanRecord]:
    found = []
    whens: tuple[Literal["before", "after"], ...] = ("before", "after")
    for turn in plan.turns:
        for when in whens:
            if turn.system in without:
                continue
            count = extents(turn.system, turn.block, turn.again, when)
            scan = example(
                map_order=0, files=100, files_without_extents=0, extents=count, problems=[]
            )
            found.append(
                ScanRecord(
                    block=turn.block,
                    turn=turn.turn,
                    system=turn.system,
                    again=turn.again,
                    when=when,
                    result=scan,
                    fault=None,
                    started_unix_ns=0,
                )
            )
    return found


def layouts(plan: Plan, scans: list[ScanRecord]) -> Layouts:
    found = read_layouts(Samples(plan), scans, 3.0)
    assert found is not None
    return found


def test_a_study_without_scans_has_no_layouts() -> None:
    assert read_layouts(Samples(study().study.plan), [], 3.0) is None


def test_a_planted_ratio_comes_out_worse_with_its_interval() -> None:
    plan = study().study.plan

    def extents(system: str, block: int, again: bool, when: str) -> int:
        return (400 if system == "xfs" and when == "after" else 200) + block

    found = layouts(plan, scans_of(plan, extents))
    (ratio,) = found.ratios
    expected = math.prod((400 + block) / (200 + block) for block in range(4)) ** (1 / 4)
    assert ratio.system == "xfs" and ratio.ratio == pytest.approx(expected)
    assert ratio.low is not None and ratio.high is not None
    assert 1.9 < ratio.low < expected < ratio.high < 2.1
    assert (ratio.verdict, ratio.n) == ("worse", 4)
    numbers = {(each.system, each.name, each.when): each for each in found.numbers}
    before = numbers["xfs", "extents_per_file", "before"]
    assert 2.0 < before.value < 2.03 and before.n == 4
    assert numbers["ext4", "largest_free_bytes", "after"].value == 16 << 20


def test_the_baselines_two_turns_count_as_one_in_a_block() -> None:
    plan = study().study.plan

    def extents(system: str, block: int, again: bool, when: str) -> int:
        return 400 if again else 100

    found = layouts(plan, scans_of(plan, extents))
    numbers = {(each.system, each.name, each.when): each for each in found.numbers}
    baseline = numbers["ext4", "extents_per_file", "after"]
    assert baseline.value == pytest.approx(2.0) and baseline.n == 4
    assert found.ratios[0].ratio == pytest.approx(0.5)
    assert found.ratios[0].verdict == "better"


def test_a_bare_baseline_is_left_out_and_the_first_file_system_is_the_reference() -> None:
    systems = {"raw": "raw", "ext4": "ext4", "xfs": "xfs"}
    plan = study(systems=systems).study.plan
    found = layouts(plan, scans_of(plan, lambda *_: 200, without=("raw",)))
    assert (found.reference, found.without) == ("ext4", ["raw"])
    assert [each.system for each in found.ratios] == ["xfs"]
    assert found.ratios[0].verdict == "equivalent"


def test_a_scan_that_failed_or_was_cut_short_is_in_no_number() -> None:
    plan = study().study.plan
    scans = scans_of(plan, lambda *_: 200)
    fault = EngineFault(what="no", cause="so", next="ls", code="io.read")
    scans[0] = scans[0].model_copy(update={"result": None, "fault": fault})
    cut = scans[5].result
    assert cut is not None
    cut = cut.model_copy(update={"ended": "interrupted"})
    scans[5] = scans[5].model_copy(update={"result": cut})
    found = layouts(plan, scans)
    assert found.failed == 1
    first, sixth = scans[0], scans[5]
    for scan in (first, sixth):
        number = next(
            each
            for each in found.numbers
            if (each.system, each.when, each.name) == (scan.system, scan.when, "extents_per_file")
        )
        assert number.n < 4


def test_findings_say_what_is_not_whole() -> None:
    made = study()
    scans = scans_of(made.study.plan, lambda *_: 200)
    scans[0] = scans[0].model_copy(update={"result": example()})
    results = read_study(made.turns, made.runs, made.study, made.before, made.after, scans)
    assert results.layouts is not None and results.layouts.incomplete == 1
    assert "layout.incomplete" in {finding.code for finding in results.findings}
    without = made.results()
    assert without.layouts is None
    assert without.model_dump(exclude={"layouts", "findings"}) == results.model_dump(
        exclude={"layouts", "findings"}
    )


@pytest.mark.parametrize(
    ("link", "seeks"),
    [
        ({"path": "/dev/sda", "model": "ST3000NM0033", "rotational": "1"}, "yes"),
        ({"path": "/dev/vda", "rotational": "1"}, "unknown"),
        ({"path": "/dev/sda", "vendor": "QEMU", "rotational": "1"}, "unknown"),
        ({"path": "/dev/vda", "rotational": "0"}, "no"),
        ({"path": "/dev/sda"}, "unknown"),
    ],
)
def test_a_virtual_disk_does_not_say_whether_it_seeks(link: dict[str, str], seeks: str) -> None:
    """The kernel calls it rotational unless its hypervisor knows better."""
    storage = make_study(blocks=2).before.storage
    chain = {"kind": "device", "device_chain": [{"kind": "device", **link}]}
    assert seeks_of(storage.model_copy(update=chain)) == seeks


def test_what_is_none_has_no_log_and_counts_as_it_is() -> None:
    plan = study().study.plan
    scans = [(scan, "tree") for scan in scans_of(plan, lambda system, *_: 200 * (system == "xfs"))]
    logs = with_numbers(Samples(plan), scans, ["extents"])
    plain = with_numbers(Samples(plan), scans, ["extents"], float)
    found = logs.number("extents", "tree", "xfs")
    assert found is not None and found.value == pytest.approx(200)
    assert logs.number("extents", "tree", "ext4") is None
    nothing = plain.plain_mean("extents", "tree", "ext4")
    assert nothing is not None and nothing.value == 0
