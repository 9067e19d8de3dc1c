"""From a study's records to its results: the one entrance to statistics.

Pure: the same records give the same results, on any machine, without root, engine or disk. Results
whose records are not what was written say that first, and vouch for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.engine.wire import sides_of
from fsgauge.record import records
from fsgauge.record.command import FOREIGN
from fsgauge.record.stored import StoredStudy
from fsgauge.stats import planned
from fsgauge.stats.advice import in_its_keys, situation_of
from fsgauge.stats.analysis import Analysis, Material, kind_of
from fsgauge.stats.answer import answer, not_vouched_for
from fsgauge.stats.asked_number import commits_in, paces_in
from fsgauge.stats.compare import compare_all, measure_all
from fsgauge.stats.curve.blocks import parted, samples_of
from fsgauge.stats.differences import differences_between
from fsgauge.stats.durability import durability_in
from fsgauge.stats.evidence import Evidence, Question, continued
from fsgauge.stats.findings import find_all
from fsgauge.stats.folders.same_conditions import Side
from fsgauge.stats.hosts import hosts_of
from fsgauge.stats.idle import idle_words
from fsgauge.stats.layouts import read_layouts
from fsgauge.stats.lost_data import LOST_DATA
from fsgauge.stats.metrics import METRICS, LatencyKind
from fsgauge.stats.missing_runs import all_failed, compared_blocks, failing, lacking_blocks
from fsgauge.stats.noise import describe_noise, noise_floors
from fsgauge.stats.planned import analysis_of
from fsgauge.stats.race.replay import replayed
from fsgauge.stats.race.results import as_confirmed, leader_named_before, of_shown, with_race
from fsgauge.stats.results import DidNothing, Finding, Measurement, MetricInfo, Results, Sureness
from fsgauge.stats.rig_limits import limits_of, measured_under, ratios_limited, with_limits
from fsgauge.stats.run_checks import engine_share
from fsgauge.stats.samples import complete_blocks, is_complete
from fsgauge.stats.scaling.growth import hosts_sentence
from fsgauge.stats.sentence import few_operations, next_step, not_measured
from fsgauge.stats.served import abort_sentence, marked, served_sentence
from fsgauge.stats.steadiness import is_bound_by_work, steady_of
from fsgauge.stats.struck import struck_findings, struck_of
from fsgauge.stats.traffic import traffic_of
from fsgauge.stats.under_load import under_load_percent
from fsgauge.stats.wording import in_lines


def read_study(
    turns: Sequence[records.TurnRecord],
    runs: Sequence[records.RunRecord],
    study: records.StudyRecord,
    before: records.EnvironmentRecord,
    after: records.EnvironmentRecord | None = None,
    scans: Sequence[records.ScanRecord] = (),
    steps: Sequence[records.StepRecord] = (),
    path_runs: Sequence[records.RunRecord] = (),
    struck_runs: Sequence[records.RunRecord] = (),
    lost: Sequence[records.LostBlock] = (),
    not_removed: Sequence[records.NotRemovedTurn] = (),
    ended_by: str = "",
    resumed: bool = False,
) -> Results:
    """Everything that the records of one study say.

    `path_runs` are those over paths beside a server; they are in its own numbers alone.
    `struck_runs` are those with faults on purpose; they are told, and compared with nothing.
    `lost` are the times that a machine was lost, `not_removed` those that a system stayed behind,
    and `ended_by` is what ended the study early.
    """
    whole, whole_runs = study, runs
    race = replayed(study, runs)
    if race is not None:
        study = as_confirmed(study, runs, race)
        turns, runs = of_shown(study, turns), of_shown(study, runs)
        scans, steps = of_shown(study, scans), of_shown(study, steps)
    whole_plan = study.plan
    study = planned.without_paths(study)
    plan = study.plan
    stopped = False
    if planned.stop_interval(study) is not None:
        stopping = planned.state_of(study, runs)
        if stopping.enough:
            stopped, plan = True, stopping.plan
            study = study.model_copy(update={"plan": plan})
    samples = samples_of(plan, runs, level=planned.level_of(study))
    measured = runs
    runs, others = parted(plan, measured)
    primary = planned.primary_cells(study.plan)
    analysis = analysis_of(study)
    metrics = planned.primary_metrics(study, runs, analysis)
    equivalence_percent = planned.margin_percent(study)
    floors = noise_floors(samples, [cell.id for cell in primary], equivalence_percent)
    blocks = complete_blocks(samples, runs)
    asked = metrics[primary[0].id]
    judged_by_it = {cell.id for cell in primary if metrics[cell.id] == asked}
    limits = limits_of(plan, runs, before)
    material = Material(
        study=study,
        whole_plan=whole_plan,
        turns=turns,
        runs=measured,
        path_runs=path_runs,
        scans=scans,
        steps=steps,
        environment=before,
        samples=samples,
        equivalence_percent=equivalence_percent,
        limits=limits,
    )
    own = analysis.read(material) if plan.cells else None
    comparisons = with_limits(
        marked(
            compare_all(samples, [cell.id for cell in primary], equivalence_percent),
            runs,
            _baseline_kind(plan.baseline, turns),
        ),
        ratios_limited({place: each.limit for place, each in limits.items()}, plan.baseline),
    )
    if race is not None:
        comparisons = leader_named_before(race, comparisons)
    evidence = Evidence(
        study=study,
        turns=turns,
        runs=runs,
        before=before,
        after=after,
        samples=samples,
        comparisons=comparisons,
        noise=floors,
        situation=situation_of(
            study.study, before, len(samples.blocks()), runs, analysis.queue_advice
        ),
        primary_metric=asked,
        few_operations=few_operations(asked, runs, judged_by_it),
        next_step=in_its_keys(next_step(runs), study.study.get("workload", {})),
        blocks_complete=blocks,
        stopped=stopped,
        layouts=read_layouts(samples, scans, planned.margin_percent(study)),
        own=own,
        limits=limits,
        scans=scans,
        steps=steps,
        path_runs=[*path_runs, *others],
        lost=lost,
        not_removed=not_removed,
        ended_by=ended_by,
        resumed=resumed,
    )
    struck = struck_of(struck_runs)
    findings = [*find_all(evidence, analysis), *struck_findings(struck)]
    numbers = measured_under(measure_all(samples), limits)
    found = _results(evidence, analysis, primary, metrics, findings, numbers)
    found = found.model_copy(update={"struck": struck})
    return found if race is None else with_race(found, whole, whole_runs, race)


def read_stored(stored: StoredStudy, disk: Sequence[str] = ()) -> Results:
    """Everything that stored records say; `disk` is another one for predictions."""
    study = stored.study
    return read_study(
        stored.turns,
        stored.runs,
        analysis_of(study).with_disk(study, disk) if disk else study,
        stored.before,
        stored.after,
        stored.scans,
        stored.steps,
        stored.path_runs,
        stored.struck_runs,
        stored.lost,
        stored.not_removed,
        ended_by=stored.ended_by,
        resumed=stored.resumed,
    )


def read_side(side: Side) -> Results:
    """What one of several results folders says that are held against one another; no layouts."""
    return read_study(
        side.turns,
        side.runs,
        side.study,
        side.before,
        side.after,
        steps=side.steps,
        path_runs=side.path_runs,
    )


def _results(
    evidence: Evidence,
    analysis: Analysis,
    primary: Sequence[records.Cell],
    metrics: dict[str, str],
    findings: list[Finding],
    measurements: list[Measurement],
) -> Results:
    plan = evidence.study.plan
    baseline_kind = _baseline_kind(plan.baseline, evidence.turns)
    sureness = _sureness(evidence, findings)
    floor = evidence.noise.get(evidence.primary_metric)
    durability = durability_in(evidence)
    hosts = hosts_of(
        evidence.runs,
        evidence.before,
        evidence.samples,
        lambda cell: analysis.primary_metric(cell, paced=False),
    )
    did_nothing = {(metric, cell) for metric, cell, _ in evidence.samples.nothing}
    question = Question(
        baseline=plan.baseline,
        baseline_is_raw=baseline_kind == "raw",
        others=[system for system in plan.systems if system != plan.baseline],
        cells=plan.cells,
        primary=list(primary),
        metrics=metrics,
        comparisons=[each for each in evidence.comparisons if not each.limited_by],
        measurements=measurements,
        commits=commits_in(evidence.runs, plan.cells),
        paces=paces_in(evidence.runs),
        limited=[each for each in evidence.comparisons if each.limited_by],
        noise=describe_noise(floor) if floor else None,
        blocks_complete=max((entry.n for entry in evidence.comparisons), default=0),
        few_operations=evidence.few_operations,
        next_step=evidence.next_step,
        invalid_reason=sureness.invalid_reason,
        margin_percent=planned.margin_percent(evidence.study),
        own=evidence.own,
        nothing=any((metrics[each.id], each.id) in did_nothing for each in primary),
        failing=failing(evidence.runs),
        failed=all_failed(evidence.runs),
        idle=idle_words(findings),
        served=served_sentence(evidence.turns, evidence.runs),
        server_aborts=abort_sentence(evidence.runs, analysis),
        durability=durability,
        over_hosts=hosts_sentence(hosts.scaling, primary, evidence.limits) if hosts else "",
    )
    lines = answer(question, analysis)
    present = {measurement.metric for measurement in measurements}
    present |= {metric for metric, _, _ in evidence.samples.nothing}
    return Results(
        study=plan.study,
        kind=kind_of(evidence.study),
        question=str(evidence.study.study.get("question", plan.study)),
        answer=not_measured(" ".join(lines), evidence.before.load.simulation),
        lines=lines,
        baseline=plan.baseline,
        baseline_kind=baseline_kind,
        systems=plan.systems,
        cells=plan.cells,
        primary_cells=[cell.id for cell in primary],
        primary_metrics=metrics,
        commits=sorted(question.commits),
        latency_kind=_latency_kind(evidence.runs),
        metrics=[
            MetricInfo.model_validate(metric, from_attributes=True)
            for name, metric in METRICS.items()
            if name in present
        ],
        comparisons=list(evidence.comparisons),
        measurements=measurements,
        nothing=[
            DidNothing(cell=cell, system=system, metric=metric, runs=runs, of=of)
            for (metric, cell, system), (runs, of) in evidence.samples.nothing.items()
        ],
        noise=[describe_noise(noise) for noise in evidence.noise.values()],
        sureness=sureness,
        findings=findings,
        differences=differences_between(plan.systems, evidence.turns),
        durability=durability,
        layouts=evidence.layouts,
        simulation=evidence.before.load.simulation,
        hosts=hosts,
        traffic=traffic_of(evidence.runs, evidence.samples),
        own=evidence.own,
    )


def _baseline_kind(baseline: str, turns: Sequence[records.TurnRecord]) -> str:
    """The baseline's kind as it was made; "unknown" before its first turn."""
    return next((turn.facts.kind for turn in turns if turn.system == baseline), "unknown")


def _latency_kind(runs: Sequence[records.RunRecord]) -> LatencyKind:
    """Response where a latency counts from when the operation was to begin, or was asked for."""
    asked = (run.load is None or run.load.rate is not None for run in runs if not run.is_foreign)
    return "response" if any(asked) else "service"


def _sureness(evidence: Evidence, findings: Sequence[Finding]) -> Sureness:
    measured = [run for run in evidence.runs if run.result is not None]
    results = [run.result for run in measured if run.result is not None]
    verdicts = [steady_of(run, run.result) for run in measured if run.result is not None]
    shares = [share for result in results if (share := engine_share(result)) is not None]
    invalid = [finding for finding in findings if finding.level == "invalid"]
    systems = evidence.study.plan.systems
    is_measured = evidence.before.load.simulation is None and evidence.study.rig != FOREIGN
    return Sureness(
        blocks_planned=len(evidence.samples.blocks()),
        blocks_complete=evidence.blocks_complete,
        lacking=lacking_blocks(evidence.study.plan, evidence.runs),
        compared=compared_blocks(evidence),
        runs_planned=sum(len(turn.cells) for turn in evidence.study.plan.turns),
        runs_complete=sum(is_complete(run) for run in evidence.runs),
        runs_failed=sum(run.fault is not None for run in evidence.runs),
        runs_judged_steady=sum(verdict.judged for verdict in verdicts),
        runs_steady=sum(verdict.reached for verdict in verdicts),
        runs_by_passes=sum(is_bound_by_work(run) for run in measured),
        engine_share_percent=100 * max(shares) if shares and is_measured else None,
        under_load_percent=under_load_percent(evidence.turns, [*evidence.runs, *evidence.path_runs])
        if is_measured
        else None,
        io_errors=sum(part.errors for result in results for part in sides_of(result)),
        client_errors=sum(
            each.count for result in results if result.clients for each in result.clients.errors
        ),
        ageing_errors=sum(
            each.failed for step in evidence.steps if step.result for each in step.result.operations
        ),
        valid=not invalid,
        invalid_reason=continued(invalid[0].sentence, systems) if invalid else "",
        too_noisy=any(finding.code == "noise.wide" for finding in findings),
        data_lost=any(finding.code in LOST_DATA for finding in invalid),
    )


_MOST_NAMED = 10
_ADVICE = "Restore the folder from a copy: these records are no longer what was measured."


def changed_sentence(changes: Sequence[str]) -> str:
    """What was accepted, in a sentence that names the first of them."""
    more = len(changes) - 1
    others = f", and {more} more" if more else ""
    return f"Records were changed after they were written ({changes[0]}{others})."


def naming_changes(results: Results, changes: Sequence[str]) -> Results:
    """The same results, which say first that their records are not what was written."""
    if not changes:
        return results
    sentence = changed_sentence(changes)
    found = Finding(
        code="records.changed",
        level="invalid",
        sentence=sentence,
        advice=_ADVICE,
        count=len(changes),
        where=list(changes[:_MOST_NAMED]),
    )
    reason = sentence[:1].lower() + sentence[1:]
    invalid = {"valid": False, "invalid_reason": reason}
    return results.model_copy(
        update={
            "answer": not_vouched_for(reason),
            "lines": in_lines(not_vouched_for(reason), results.systems),
            "findings": [found, *results.findings],
            "sureness": results.sureness.model_copy(update=invalid),
        }
    )
