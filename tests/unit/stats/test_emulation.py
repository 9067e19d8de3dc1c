"""Runs whose rate is that of an emulated processor are named, and no others."""

from __future__ import annotations

from fsgauge.engine.wire import MachineProcessorTime
from fsgauge.record.records import RunRecord
from fsgauge.stats import read_study
from fsgauge.stats.results import Finding
from tests.synthetic import make_study
from tests.synthetic.setting import with_machine, with_result


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
