"""What limited a rate: the emulated processor, requests or bytes of one disk, or neither.

Ratios that the rig sets: shown with what set them, and in no sentence.

Runs whose rate is that of an emulated processor are named, and no others.
"""

from __future__ import annotations

import re
from pathlib import Path
from unittest.mock import Mock

import pytest

from fsgauge.engine.wire import MachineProcessorTime
from fsgauge.record.parts import DiskDone, Traffic
from fsgauge.record.records import RunRecord
from fsgauge.report import words
from fsgauge.report.charts.forest import forest
from fsgauge.report.tables import primary_lines
from fsgauge.stats.evidence import Evidence
from fsgauge.stats.machine_findings import disk_limits
from fsgauge.stats.ranking import ranking
from fsgauge.stats.read import read_study
from fsgauge.stats.results import Comparison, Finding, Results
from fsgauge.stats.rig_limits import (
    RigLimit,
    busiest,
    disk_shares,
    limited_sentence,
    limits_of,
)
from tests.synthetic import make_study
from tests.synthetic.setting import MACHINE, with_machine, with_result
from tests.synthetic_sharing import make_sharing
from tests.unit.stats.one_run import ONE_CELL, one_run, result_of


def test_the_busiest_emulated_node_counts() -> None:
    time = MachineProcessorTime(busy_ns=99, total_ns=100)
    run = with_result(one_run(), result_of(one_run()).model_copy(update={"machine_cpu": time}))
    assert busiest(run, {MACHINE}) == pytest.approx(0.99)
    assert busiest(run, set()) is None


def done(name: str, limit: int, **counts: float) -> Traffic:
    """By disk, what it did."""
    disks = {
        disk: DiskDone(count=round(count), limit_per_second=limit) for disk, count in counts.items()
    }
    parts = {"read": sum(each.count for each in disks.values())}
    return Traffic(name=name, title="", unit="", parts=parts, of_disks=disks)


def test_a_disk_s_share_is_of_its_own_limit_in_requests_and_in_bytes() -> None:
    """A page had "disk's limit 147 %": the server's disk and the cache's were added up and held
    against what one of them may do."""
    run = one_run()
    seconds = (result_of(run).warm_up_ns + result_of(run).elapsed_ns) / 1e9
    assert disk_shares(run, "disk_requests") == {}
    counted = [
        done("disk_requests", 300, server=240 * seconds, cache=201 * seconds),
        done("disk_bytes", 8 << 20, server=4 * seconds * 2**20),
        Traffic(name="nfs_operations", title="", unit="", parts={"READ": 1}),
    ]
    with_traffic = run.model_copy(update={"traffic": counted})
    assert disk_shares(with_traffic, "disk_requests") == {
        "server": pytest.approx(0.8, rel=0.01),
        "cache": pytest.approx(0.67, rel=0.01),
    }
    assert disk_shares(with_traffic, "disk_bytes") == {"server": pytest.approx(0.5, rel=0.01)}


@pytest.mark.parametrize(
    ("requests", "mib", "says"),
    [(290, 1, "IOPS"), (20, 7.9, "bandwidth"), (20, 1, "neither"), (None, None, "unknown")],
)
def test_requests_and_bytes_are_limits_of_their_own(
    requests: float | None, mib: float | None, says: str
) -> None:
    study = make_study(**ONE_CELL)
    runs = []
    for run in study.runs:
        seconds = (result_of(run).warm_up_ns + result_of(run).elapsed_ns) / 1e9
        traffic = []
        if requests is not None and mib is not None:
            traffic = [
                done("disk_requests", 300, disk0=requests * seconds),
                done("disk_bytes", 8 << 20, disk0=mib * 2**20 * seconds),
            ]
        runs.append(run.model_copy(update={"traffic": traffic}))
    found = limits_of(study.study.plan, runs, study.before)
    assert {each.limit for each in found.values()} == {says}


def test_places_where_a_disk_met_its_limit_are_named_with_the_disk() -> None:
    """Two nodes did 1.99 times the reads of one: each has half of the disk's limit for itself."""
    study = make_study(**ONE_CELL).study
    (cell,) = study.plan.cells
    one, two = study.plan.systems[:2]
    met = RigLimit("IOPS", 0.2, 0.99, 0.1, "node1 disk0")
    free = RigLimit("neither", 0.2, 0.5, 0.1, "node1 disk0")
    evidence = Mock(spec=Evidence, study=study, limits={(cell.id, one): met, (cell.id, two): free})
    (found,) = disk_limits(evidence)
    assert found.sentence.startswith("A disk did all that its limit allows in 1 of 2 places")
    assert found.where == [f"{one}, {cell.name}: a disk's IOPS limit (node1 disk0)"]
    evidence.limits = {(cell.id, two): free}
    assert list(disk_limits(evidence)) == []


EMULATOR, IOPS = "the emulated processor", "a disk's IOPS limit"


def results() -> Results:
    return make_sharing(5).results()


def of_ocfs2(found: Results) -> list[Comparison]:
    return [each for each in found.comparisons if each.system == "ocfs2" and each.primary]


def test_a_ratio_of_two_at_one_limit_is_marked_and_the_other_is_not() -> None:
    """The headline was "cachefs reread 13 % of ext3", where the page itself said further down that
    the rig was the limit."""
    found = results()
    of_processors = {"cpu", "machine_cpu"}
    marked = {each.metric: each.limited_by for each in of_ocfs2(found)}
    assert {by for metric, by in marked.items() if metric not in of_processors} == {IOPS}
    assert not any(marked.get(metric) for metric in of_processors), "no disk's limit sets those"
    assert not any(each.limited_by for each in found.comparisons if each.system == "nfs")
    (rate, *_) = [each for each in of_ocfs2(found) if each.limited_by]
    assert not rate.is_claimed and words.verdict(rate) == f"none: {IOPS}"


def test_the_answer_gives_no_ratio_that_the_rig_set() -> None:
    found = results()
    before, limited = found.answer.split("2 of 4 ratios are not claimed")
    assert not re.search(r"ocfs2 [\d.]", before) and "limited by the rig: ocfs2 in" in before
    assert limited.startswith(f": {IOPS} set 2.")


def test_the_ranking_the_table_and_the_picture_have_no_verdict_of_it() -> None:
    found = results()
    assert "ocfs2" not in [each.system for each in ranking(found, found.primary_cells[0])]
    lines = [line for line in primary_lines(found) if line.system == "ocfs2"]
    assert {(line.glyph, line.verdict) for line in lines} == {("", f"none: {IOPS}")}
    drawing = forest(found)
    assert drawing is not None
    said = re.findall(r">[\d.]+\s+([^<]*)</text>", drawing.wide)
    assert said.count("limit") == len(found.primary_cells) == 2


def test_where_the_rig_sets_all_ratios_none_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    def limited(limits: object, baseline: str) -> dict[tuple[str, str], str]:
        cells = make_sharing(2).study.plan.cells
        return {(cell.id, system): EMULATOR for cell in cells for system in ("nfs", "ocfs2")}

    monkeypatch.setattr("fsgauge.stats.read.ratios_limited", limited)
    said = results().answer
    assert said.startswith(f"No ratio of rates is claimed, of 4: {EMULATOR} set 4.")
    assert said.count("No ratio") == 1 and " % of ext3" not in said


def test_a_sentence_of_limits_names_the_most_frequent_first() -> None:
    one, *_ = of_ocfs2(results())
    by = [one.model_copy(update={"limited_by": each}) for each in (IOPS, EMULATOR, EMULATOR)]
    assert limited_sentence(by, 2) == (
        f"3 of 5 ratios are not claimed: {EMULATOR} set 2 and {IOPS} set 1."
    )
    assert limited_sentence(by[:1], 1) == f"1 of 2 ratios is not claimed: {IOPS} set 1."
    assert limited_sentence([], 4) == ""


def test_report_json_has_it_and_reads_it_back(tmp_path: Path) -> None:
    found = results()
    text = found.model_dump_json()
    assert f'"limited_by":"{IOPS}"' in text
    assert Results.model_validate_json(text).comparisons == found.comparisons


def findings(machine: str | None, busy_share: float) -> list[Finding]:
    study = make_study(patterns=("randread",), block_sizes=(4096,), queue_depths=(32,))
    before = with_machine(study.before, virtual_machine=machine)
    runs = [busy(run, busy_share if run.system == "ext4" else 0.1) for run in study.runs]
    found = read_study(study.turns, runs, study.study, before, before).findings
    return [each for each in found if each.code == "emulator.limit"]


def busy(run: RunRecord, share: float) -> RunRecord:
    """The same run, in which the processor worked for that share of the time."""
    result = run.parts[0].slices[0].result
    time = MachineProcessorTime(busy_ns=int(share * 10**9), total_ns=10**9)
    return with_result(run, result.model_copy(update={"machine_cpu": time}))


def test_an_emulated_processor_that_never_rested_is_named_with_its_runs() -> None:
    (finding,) = findings("QEMU, emulated without KVM", 0.99)
    assert finding.level == "warning"
    assert all("ext4" in place for place in finding.where)
    assert "storage.iops" in finding.advice


def test_a_disk_that_is_the_limit_leaves_it_idle() -> None:
    assert findings("QEMU, emulated without KVM", 0.5) == []


def test_a_real_processor_and_one_of_kvm_are_not_emulated() -> None:
    assert findings("QEMU with KVM", 0.99) == []
    assert findings(None, 0.99) == []
