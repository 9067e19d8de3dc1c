"""Whether a plan's mode fits the study: a curve needs a limit, and a load that has a pace; a race
rivals, and blocks enough for a look."""

from __future__ import annotations

from pydantic import ValidationInfo

from fsgauge import kinds
from fsgauge.record.factors import factors_of
from fsgauge.record.modes import LOOKS
from fsgauge.record.quantiles import operations_needed, quantile_words
from fsgauge.study.base import conflict, written
from fsgauge.study.settings import LAYOUT, PlanSettings
from fsgauge.study.workload import Workload, keys_of

OF_MODES = {
    "curve": ["latency_limit", "quantile"],
    "race": ["margin_percent", "confirm", "certainty", "weaker_may_win"],
}


def check_mode(
    plan: PlanSettings, workload: Workload, systems: int, *, has_faults: bool, info: ValidationInfo
) -> None:
    """Raise a conflict, its keys below the study, where a key contradicts the mode or would be
    ignored."""
    for mode, keys in OF_MODES.items():
        for key in written(plan, info, keys) if plan.mode != mode else []:
            if getattr(plan, key) is not None:
                raise conflict(
                    f'{key} would be ignored: it is of plan.mode "{mode}"',
                    [("plan", key), ("plan", "mode")],
                    next=f"--set plan.mode={mode}, or leave it out",
                )
    if plan.mode in OF_MODES and LAYOUT in plan.primary:
        raise conflict(
            f"a {plan.mode} goes by rates and times, and a layout is neither",
            [("plan", "primary"), ("plan", "mode")],
            next=f'leave "{LAYOUT}" out of primary, or mode = "all"',
        )
    if plan.mode == "race":
        _can_race(plan, systems, has_faults=has_faults)
    _is_judged_by_time(plan, workload)
    if plan.mode != "curve":
        return
    _has_limit(plan)
    _has_pace(plan, workload)
    if plan.stop_interval is not None:
        raise conflict(
            "a curve has all of its blocks: each looks for its rates where the last ones found the"
            " limit",
            [("plan", "stop_interval"), ("plan", "mode")],
            next="leave stop_interval out, and give a budget",
        )
    if has_faults:
        raise conflict(
            "faults strike a load at one pace, and a curve has many",
            [("fault",), ("plan", "mode")],
            next='mode = "all", with a rate below the limit',
        )


def _can_race(plan: PlanSettings, systems: int, *, has_faults: bool) -> None:
    if systems < 2:
        raise conflict(
            "one system has nothing to race against",
            [("plan", "mode"), ("system",)],
            next='a second [[system]], or mode = "all"',
        )
    if plan.blocks < LOOKS[0]:
        raise conflict(
            f"nothing leaves a race before block {LOOKS[0]}",
            [("plan", "blocks"), ("plan", "mode")],
            next="leave blocks out; a budget ends a race",
        )
    if plan.stop_interval is not None or has_faults:
        key = ("fault",) if has_faults else ("plan", "stop_interval")
        raise conflict(
            "a race ends by its own rules, and nothing is struck in it",
            [key, ("plan", "mode")],
            next=f'leave {key[-1]} out, or mode = "all"',
        )


def _is_judged_by_time(plan: PlanSettings, workload: Workload) -> None:
    """A program that ends when it was told to takes as long with every system."""
    by_time = {"mode": plan.mode == "race", "stop_interval": plan.stop_interval is not None}
    asked = [key for key, is_asked in by_time.items() if is_asked]
    for key in asked if workload.is_judged_by_own_number else ():
        what = "a race" if key == "mode" else key
        raise conflict(
            f"{what} goes by the time, and this program is judged by a number that it prints",
            [("workload", "primary"), ("plan", key)],
            next="--set workload.primary=time, for a program with a fixed amount of work; or"
            f" fsgauge run, without {what}",
        )


def _has_limit(plan: PlanSettings) -> None:
    if plan.latency_limit is None:
        raise conflict(
            "a curve needs the latency that its rates have to stay below",
            [("plan", "mode"), ("plan", "latency_limit")],
            next="--set 'plan.latency_limit=5 ms'",
        )


def _has_pace(plan: PlanSettings, workload: Workload) -> None:
    """The load has a key for its pace, and no pace of its own."""
    if not workload.pace:
        able = [name for name in kinds.names() if keys_of(name).pace]
        raise conflict(
            f"a study of kind {workload.kind} has no rate that could rise: a curve needs a load at"
            " a pace",
            [("plan", "mode"), ("workload", "kind")],
            next=f'kind = "{able[0]}", or mode = "all"',
        )
    raised = {each for cell in workload.paced_loads() for each in (cell.id, cell.name)}
    apart = [each for each in plan.primary if each not in raised]
    if apart:
        raise conflict(
            f"no curve is of {apart[0]}",
            [("plan", "primary"), ("plan", "mode")],
            next=f'primary = ["{workload.paced_loads()[0].id}"], or leave it out',
        )
    hindrance = workload.against_curve()
    if hindrance is not None:
        place, why = hindrance
        parts = place if isinstance(place, tuple) else (place,)
        raise conflict(
            f"{parts[-1]} {why}",
            [("workload", *parts), ("plan", "mode")],
            next=f"leave {parts[-1]} out",
        )
    _says_something(plan, workload)


def _says_something(plan: PlanSettings, workload: Workload) -> None:
    """Refuse files that are each done once in a run where they are fewer than the quantile needs,
    whatever the rate."""
    needed = operations_needed(plan.quantile)
    for load in workload.paced_loads():
        factors = factors_of(load)
        there = factors.operations_of_run
        if there is not None and there < needed:
            raise conflict(
                f'{quantile_words(plan.quantile)} needs {needed:,} operations of "{load.name}" in a'
                f" run, and there are {there:,}: no rate says anything",
                [("plan", "mode"), ("plan", "quantile")],
                next=factors.longer_runs,
            )
