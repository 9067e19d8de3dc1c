"""The first lines of a run: the question, where it runs, what is planned."""

from __future__ import annotations

from fsgauge.record import EnvironmentRecord, Plan
from fsgauge.study.model import Study
from fsgauge.units import format_duration, format_size


def opening(study: Study, plan: Plan, environment: EnvironmentRecord) -> list[str]:
    """Three lines and an empty one."""
    blocks = len({turn.block for turn in plan.turns})
    a_block = len({(turn.system, turn.again, turn.over_path) for turn in plan.turns})
    beside = ", all over their paths too" if any(turn.over_path for turn in plan.turns) else ""
    runs = sum(len(turn.cells) for turn in plan.turns)
    machine = environment.load
    cores, kernel = machine.processor_count, " ".join(machine.kernel.split()[:2])
    return [
        study.question,
        f"host rig, {kernel}, {cores} {'core' if cores == 1 else 'cores'};"
        f" storage: {environment.storage.sentence}",
        f"plan: {a_block} systems ({plan.baseline} twice{beside}) x {len(plan.cells)} cells"
        f" x {blocks} blocks = {runs} runs,"
        f" about {format_duration(int(plan.expected_seconds * 1e9))},"
        f" about {format_size(plan.expected_written_bytes)} written; seed {plan.seed}",
        "",
    ]
