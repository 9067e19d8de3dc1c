"""Whole studies in the simulator, by the real engine: their records, their pages, what is refused.

Each study is small; together they take some seconds of the engine, which is what is tested.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from fsgauge import kinds
from fsgauge.engine.client import Engine, OnEvent, Start
from fsgauge.engine.wire import EngineFault, SimulateJob, SimulateResult
from fsgauge.errors import FsgaugeError, InputError
from fsgauge.progress import Progress
from fsgauge.report import write_report
from fsgauge.report.compared import cautions, read_sides, summary
from fsgauge.rig.registry import rig_named, study_on
from fsgauge.rig.simulator.rig import SimulatorRig
from fsgauge.run import Outcome, resume_study, run_study
from fsgauge.stats.folders.compare import compare_sides
from fsgauge.stats.read import read_stored
from fsgauge.store import StoredStudy, read_results
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study

pytestmark = pytest.mark.usefixtures("blank_pictures")


def run(results: Path, study: Study, engine: Engine | None = None) -> Outcome:
    return run_study(
        study,
        rig=SimulatorRig(engine or Engine()),
        results=results,
        destroy=None,
        command=["fsgauge"],
        progress=Progress(),
    )


def stored(results: Path, study: Study) -> StoredStudy:
    outcome = run(results, study)
    assert outcome.ended_by is None, outcome.ended_by
    return read_results(outcome.directory)


def aging(*overrides: str, systems: tuple[str, ...] = (), storage: str = "loop:2GiB") -> Study:
    settings = ["plan.blocks=2", *overrides]
    return load_study("aging", settings, list(systems), storage, 3)


def rates(found: StoredStudy, system: str, cell: str) -> list[float]:
    runs = [run for run in found.runs if (run.system, run.cell.id) == (system, cell)]
    results = [run.result for run in runs if run.result is not None]
    sides = [(each.write or each.read, each.elapsed_ns) for each in results]
    return [side.size_bytes * 1e9 / elapsed for side, elapsed in sides if side is not None]


@pytest.fixture(scope="module")
def aged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study of ageing; sixteen requests are in flight in it."""
    outcome = run(tmp_path_factory.mktemp("aged"), aging("workload.disk.window=16"))
    assert outcome.ended_by is None, outcome.ended_by
    return outcome.directory


def test_ageing_costs_small_pieces_more_and_is_recorded_as_on_a_host(aged: Path) -> None:
    found = read_results(aged)
    assert found.study.rig == "simulator"
    assert len(found.runs) == sum(len(turn.cells) for turn in found.study.plan.turns)
    kept = {
        system: [
            aged / clean
            for aged, clean in zip(
                rates(found, system, "free-05-write"),
                rates(found, system, "clean-write"),
                strict=True,
            )
        ]
        for system in ("1 MiB", "8 MiB")
    }
    assert max(kept["1 MiB"]) < 0.5 < 0.8 < min(kept["8 MiB"])
    assert len(set(kept["8 MiB"])) == 2, "blocks have seeds of their own"
    assert len(kept["1 MiB"]) == 4, "the baseline is twice in each"
    left = [scan for scan in found.scans if scan.when == "aged" and scan.system == "8 MiB"]
    assert {scan.result.counts.files for scan in left if scan.result} == {20}
    simulation = found.before.load.simulation
    assert simulation is not None
    assert "83 of 83 checkpoints" in simulation.proofs["8 MiB"]
    assert {number.origin for number in simulation.numbers} == {"printed", "assumed", "fitted"}


def test_what_is_predicted_from_scans_is_what_the_runs_were_timed_with(aged: Path) -> None:
    """Extents go from the model into a record and back into a prediction, and lose nothing."""
    found = read_stored(read_results(aged)).own
    assert isinstance(found, kinds.part("aging", "analysis").ANALYSIS.own)
    for line in found.lines:
        for point in line.points:
            layout = found.layout(line.system, point.free_percent)
            assert layout is not None and layout.predicted is not None
            assert point.rate.value == pytest.approx(layout.predicted.value, rel=1e-6)


def test_the_page_says_it_first(aged: Path) -> None:
    results = read_stored(read_results(aged))
    assert results.answer.startswith("Simulated, not measured. ")
    write_report(aged)
    page = (aged / "report.html").read_text(encoding="utf-8")
    body = page.partition('<header id="first-screen">')[2].strip()
    first = '<p class="simulated" id="simulated"><b>Simulated, not measured, by model 3'
    assert body.startswith(first)
    assert "agrees with Linux 6.18 in 83 of 83 checkpoints" in body
    assert "fitted to a published result, which it cannot prove" in body


def test_a_study_that_is_finished_has_nothing_to_resume(aged: Path) -> None:
    assert resume_study(aged, rig=rig_named, destroy=None, progress=Progress()) is None


def test_a_simulation_beside_a_measurement_says_which_is_which(aged: Path, tmp_path: Path) -> None:
    """The same folder, as if somebody had measured it."""
    measured = tmp_path / "measured"
    shutil.copytree(aged, measured)
    path = measured / "environment-before.json"
    environment = json.loads(path.read_text(encoding="utf-8"))
    environment["machines"][0].pop("simulation")
    environment["machines"][0]["storage"]["kind"] = "device"
    path.write_text(json.dumps(environment), encoding="utf-8")
    first, second = read_sides([aged, measured], accept_changed=True)
    second = replace(second, study=second.study.model_copy(update={"rig": "host"}))
    between = compare_sides(first, second)
    assert between.a.label.endswith("(simulated)")
    assert not between.b.label.endswith("(simulated)")
    assert "was simulated and" in " ".join(cautions(between))
    assert between.decides == "to baseline"


def test_clients_are_braided_without_delayed_allocation(tmp_path: Path) -> None:
    chosen = load_study("connections", ["plan.blocks=2"], [], "simulated:1GiB", 1)
    found = stored(tmp_path, chosen)
    backup = {
        system: rates(found, system, "backup-directory")[0]
        for system in ("ext4 nodelalloc", "ext4 delalloc")
    }
    assert backup["ext4 delalloc"] > 3 * backup["ext4 nodelalloc"]
    extents = {
        scan.system: scan.result.counts.extents / scan.result.counts.files
        for scan in found.scans
        if scan.result is not None and scan.cell == "backup-fill"
    }
    assert extents == {"ext4 nodelalloc": 20.0, "ext4 delalloc": 1.0}
    [folder] = [path.parent for path in tmp_path.rglob("study.json")]
    page = write_report(folder).read_text(encoding="utf-8")
    assert re.findall(r"<h2>[^<]*</h2>\s*</section>", page) == [], "a heading above nothing"


def test_churn_has_a_study_of_its_own_here(tmp_path: Path) -> None:
    assert study_on("simulator", "churn") == "churn-simulated"
    assert study_on("host", "churn") == "churn"
    assert study_on("simulator", "aging") == "aging"
    assert study_on("vm", "aging") == "aging-virtual"
    assert study_on("vm", "sharing") == "sharing"
    found = stored(
        tmp_path, load_study("churn-simulated", ["plan.blocks=2"], [], "simulated:1GiB", 1)
    )
    aged, fresh = (rates(found, "ext4-6.18", f"{wear}-80-read")[0] for wear in ("aged", "fresh"))
    assert aged < fresh


def test_files_are_striped_over_devices_that_work_at_the_same_time(tmp_path: Path) -> None:
    settings = ["workload.levels=['5 %']", "storage.devices=4", "workload.queue_depth=16"]
    four = stored(tmp_path / "four", aging(*settings, storage="simulated:8GiB"))
    one = stored(tmp_path / "one", aging(settings[0], storage="simulated:2GiB"))
    ratio = rates(four, "1 MiB", "clean-write")[0] / rates(one, "1 MiB", "clean-write")[0]
    assert ratio == pytest.approx(4, rel=0.02)
    facts = four.before.storage
    assert facts.size_bytes == 8 << 30
    assert "8 GiB in a model on 4 devices in stripes of 1 MiB" in facts.sentence


def refused(study: Study) -> list[FsgaugeError]:
    return SimulatorRig(Engine()).refusals(study)


def test_flash_is_simulated_with_an_end_of_its_range_that_the_page_names(tmp_path: Path) -> None:
    """Small files in pieces: what lies on one die is slower, and nothing else differs."""
    made = {}
    for times in ("shortest", "longest"):
        ends = ["storage.model=ssd-sata", f"storage.times={times}", "plan.blocks=2"]
        study = load_study("churn-simulated", ends, ["block-at-a-time"], "simulated:1GiB", 3)
        made[times] = stored(tmp_path / times, study)
        said = read_stored(made[times]).answer
        assert said.startswith(f"Simulated, not measured, with the {times} times of ssd-sata. ")
    cells = {run.cell.id for run in made["longest"].runs}
    system = made["longest"].study.plan.systems[0]
    for cell in cells:
        ends_of_range = zip(
            rates(made["longest"], system, cell), rates(made["shortest"], system, cell), strict=True
        )
        assert all(0.59 * most <= least < most for least, most in ends_of_range), cell
    assert rates(made["shortest"], system, next(iter(cells)))
    sides = read_sides([made[times].directory for times in ("shortest", "longest")])
    between = compare_sides(*sides)
    assert cautions(between) == []
    assert summary(between).startswith("ssd-sata, the range of its model: ")


def test_what_has_no_model_is_refused_before_anything_runs(tmp_path: Path) -> None:
    (btrfs,) = refused(load_study("churn", [], [], "simulated:1GiB", 1))
    assert "there is no model of btrfs" in btrfs.what
    assert "--without btrfs" in btrfs.next
    (of_overhead,) = refused(load_study("overhead", [], ["ext4"], "simulated:1GiB", 1))
    assert "a study of kind overhead has no model" in of_overhead.what
    stat = load_study("connections", ['workload.tests=["write","stat"]'], [], "simulated:1GiB", 1)
    assert "ask for attributes have no model" in refused(stat)[0].what
    ramp = load_study("connections", ["workload.ramp=1s"], [], "simulated:1GiB", 1)
    assert "begin one by one have no model" in refused(ramp)[0].what
    folders = load_study("aging", [], ["one=mounted", "two=mounted"], f"path:{tmp_path}", 1)
    folder = refused(folders)[0]
    assert "the study's storage is a path" in folder.what
    with pytest.raises(InputError, match="there is no group 99"):
        aging(systems=("ldiskfs:settings.mb_last_group=99",), storage="simulated:2GiB")


class FillsUp(Engine):
    """The engine, whose devices are full at the fourth step of a life; trials are left as they
    are."""

    def simulate(
        self, job: SimulateJob, on_event: OnEvent | None = None, on_start: Start | None = None
    ) -> SimulateResult:
        result = super().simulate(job, on_event, on_start)
        if job.check_only or on_start is not None:
            return result
        full = EngineFault(
            what="the simulated device is full: /simulated/x has 1 of 2 bytes",
            cause="0 of 2048 bytes are free",
            next="a larger device",
            code="simulate.full",
        )
        last = result.steps[3].model_copy(update={"fault": full, "result": None})
        return result.model_copy(update={"steps": [*result.steps[:3], last]})


def test_a_full_device_is_named_and_the_records_before_it_stay(tmp_path: Path) -> None:
    outcome = run(tmp_path, aging('workload.levels=["5 %"]'), FillsUp())
    assert outcome.ended_by is not None
    assert '": the simulated device is full: /simulated/x' in outcome.ended_by.what
    assert "step 4 of" in outcome.ended_by.details[0]
    assert outcome.ended_by.cause == "0 B of 2 KiB are free"
    kept = read_results(outcome.directory)
    assert [run.cell.id for run in kept.runs] == ["clean-write", "clean-read"]


def test_what_all_systems_are_refused_for_is_no_one_s_fault() -> None:
    """A device that cannot be was "of the system first", and `--without first` was the advice."""
    with pytest.raises(InputError, match="window must be a whole number from 1") as refused:
        load_study("aging", ["storage.parameters.window=0"], [], "simulated:1GiB", 1)
    assert "--without" not in refused.value.next


def test_hosts_and_devices_are_none_of_its(tmp_path: Path) -> None:
    from fsgauge.machine.device.consent import Consent

    with pytest.raises(InputError, match="--destroy names a device"):
        SimulatorRig(Engine()).check(aging(), Consent(("serial",), False))
    with pytest.raises(InputError, match="exists in a model alone"):
        rig_named("host").check(load_study("aging", [], [], "simulated:1GiB", 1), None)
    with pytest.raises(InputError, match="is a model of an allocation policy"):
        rig_named("host").check(load_study("aging", [], ["ldiskfs"], "loop:1GiB", 1), None)


def test_a_study_on_a_loop_file_is_one_of_a_model_here() -> None:
    """`fsgauge compare` refused the same simulation with and without --storage simulated:10GiB, for
    one said that it was on a loop file in /var/tmp."""
    rig = rig_named("simulator")
    typed = load_study("aging", [], [], "simulated:10GiB", 1)
    assert rig.placed(load_study("aging", [], [], "loop:10GiB", 1)) == typed
    assert rig.placed(load_study("aging", [], [], "ram:10GiB", 1)) == typed
    assert rig.placed(typed) is typed
    on_host = load_study("aging", [], [], "loop:10GiB", 1)
    assert rig_named("host").placed(on_host) is on_host
    elsewhere = load_study("aging", [], [], "device:sdx", 1)
    assert rig.placed(elsewhere) is elsewhere


def test_models_alone_are_led_to_their_rig_and_not_from_one_to_the_next() -> None:
    """`--without "1 MiB"` was proposed, and failed for the other system in the same words."""
    models = ["1 MiB=ldiskfs", "8 MiB=ldiskfs"]

    def advice(systems: list[str]) -> str:
        with pytest.raises(InputError, match="is a model of an allocation policy") as refused:
            rig_named("host").check(load_study("aging", [], systems, "loop:1GiB", 1), None)
        return refused.value.next

    assert advice(models) == "--rig simulator"
    assert advice([models[0], "ext4"]).endswith("or --without '1 MiB'")
