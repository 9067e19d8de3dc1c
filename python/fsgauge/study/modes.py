"""Whether a plan's mode fits the load: a curve needs a limit, and a load that has a pace."""

from __future__ import annotations

from pydantic import ValidationInfo

from fsgauge import kinds
from fsgauge.study.base import conflict, written
from fsgauge.study.settings import PlanSettings
from fsgauge.study.workload import Workload, keys_of


def check_mode(
    plan: PlanSettings, workload: Workload, *, has_faults: bool, info: ValidationInfo
) -> None:
    """Raise a conflict, its keys below the study, where a key contradicts the mode or would be
    ignored."""
    if plan.mode == "race":
        raise conflict(
            "this fsgauge has no races yet",
            [("plan", "mode")],
            next='mode = "all", with every system in every block',
        )
    if plan.mode != "curve":
        for key in ("latency_limit", "quantile"):
            usual = PlanSettings.model_fields[key].default  # as a study that is written out has it
            if key in written(plan, info, [key]) and getattr(plan, key) != usual:
                raise conflict(
                    f'{key} would be ignored: it is of plan.mode "curve"',
                    [("plan", key), ("plan", "mode")],
                    next="--set plan.mode=curve, or leave it out",
                )
        return
    _has_limit(plan)
    _has_pace(workload)
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


def _has_limit(plan: PlanSettings) -> None:
    if plan.latency_limit is None:
        raise conflict(
            "a curve needs the latency that its rates have to stay below",
            [("plan", "mode"), ("plan", "latency_limit")],
            next="--set 'plan.latency_limit=5 ms'",
        )


def _has_pace(workload: Workload) -> None:
    """The load has a key for its pace, and no pace of its own."""
    if not workload.pace:
        able = [name for name in kinds.names() if keys_of(name).pace]
        raise conflict(
            f"a study of kind {workload.kind} has no rate that could rise: a curve needs a load at"
            " a pace",
            [("plan", "mode"), ("workload", "kind")],
            next=f'kind = "{able[0]}", or mode = "all"',
        )
    if getattr(workload, workload.pace) is not None:
        raise conflict(
            f"{workload.pace} would be ignored: a curve sets the pace itself",
            [("workload", workload.pace), ("plan", "mode")],
            next=f"leave {workload.pace} out",
        )
