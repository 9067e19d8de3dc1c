"""What limited each test on each system, with the share of CPU that its program prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fsgauge.engine.wire import elapsed_with_finish_ns, processor_with_finish_ns
from fsgauge.kinds.sharing.analysis.model import CellLimit
from fsgauge.record.records import Plan, RunRecord
from fsgauge.stats.analysis import Material
from fsgauge.stats.evidence import finding, part_of
from fsgauge.stats.limit import Limit, Place
from fsgauge.stats.results import Finding
from fsgauge.stats.rig_limits import mean_of_known, ratios_limited
from fsgauge.stats.samples import is_complete


def limits_of(material: Material) -> list[CellLimit]:
    """One a cell and system that has a complete run."""
    return [
        CellLimit(
            cell=cell,
            system=system,
            limit=each.limit,
            processor_share=each.processor_share,
            iops_share=each.iops_share,
            bandwidth_share=each.bandwidth_share,
            disk=each.disk,
            test_share=_mean_share(
                run for run in material.runs if (run.cell.id, run.system) == (cell, system)
            ),
        )
        for (cell, system), each in material.limits.items()
    ]


def by_place(limits: Sequence[CellLimit]) -> Mapping[Place, Limit]:
    """The limits alone."""
    return {(each.cell, each.system): each.limit for each in limits}


def share_of_test(run: RunRecord) -> float | None:
    """Of its time the test's processes were on a processor, user and system together; two that
    never wait are 2."""
    elapsed_ns = elapsed_with_finish_ns(run.result) if run.result is not None else 0
    if run.result is None or not elapsed_ns:
        return None
    return processor_with_finish_ns(run.result) / elapsed_ns


def _mean_share(runs: Iterable[RunRecord]) -> float | None:
    return mean_of_known([share_of_test(run) for run in runs if is_complete(run)])


def limits_finding(limits: Sequence[CellLimit], plan: Plan) -> Iterator[Finding]:
    """How many ratios the rig decides."""
    names = {cell.id: cell.name for cell in plan.cells}
    pairs = [each for each in limits if each.system != plan.baseline]
    decided = ratios_limited(by_place(limits), plan.baseline)
    if decided:
        yield finding(
            "sharing.limit",
            "warning",
            f"{part_of(len(decided), len(pairs), 'ratio')} of rates say more of the rig than of the"
            " systems, and none of these is claimed: an emulated processor had no time left, or a"
            " disk of each did all that the same limit allows. Counts for each operation hold all"
            " the same.",
            "Repeat it on real machines, or with slower disks: --set 'storage.iops=100 IOPS'.",
            [f"{system}, {names[cell]}: {by}" for (cell, system), by in decided.items()],
        )
