"""What limited each test on each system, and each other system against NFS inside each block.

The published comparison says that some new systems can be considerably faster than NFS, and that
NFS is hard to beat; its graphs have no numbers. The page says in how many tests one is faster here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fsgauge.engine.wire import elapsed_with_finish_ns, processor_with_finish_ns
from fsgauge.kinds.sharing.analysis.model import CellLimit, RatioToNfs
from fsgauge.kinds.sharing.factors import SharingFactors
from fsgauge.record.records import Plan, RunRecord
from fsgauge.stats.analysis import Material
from fsgauge.stats.contrast import Contrast, Value, in_blocks
from fsgauge.stats.evidence import finding, part_of
from fsgauge.stats.results import Finding
from fsgauge.stats.rig_limits import Limit, Place, mean_of_known, ratios_limited
from fsgauge.stats.samples import is_complete


def limits_of(material: Material) -> list[CellLimit]:
    return [
        CellLimit(
            cell=cell,
            system=system,
            **vars(each),
            test_share=mean_of_known(
                [
                    share_of_test(run)
                    for run in material.runs
                    if (run.cell.id, run.system) == (cell, system) and is_complete(run)
                ]
            ),
        )
        for (cell, system), each in material.limits.items()
    ]


def by_place(limits: Sequence[CellLimit]) -> Mapping[Place, Limit]:
    return {(each.cell, each.system): each.limit for each in limits}


def share_of_test(run: RunRecord) -> float | None:
    """Of its time the test's processes were on a processor, user and system together; two that
    never wait are 2."""
    elapsed_ns = elapsed_with_finish_ns(run.result) if run.result is not None else 0
    if run.result is None or not elapsed_ns:
        return None
    return processor_with_finish_ns(run.result) / elapsed_ns


def limits_finding(limits: Sequence[CellLimit], plan: Plan) -> Iterator[Finding]:
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


_PLAIN = ("nfs3", "nfs4")
"""`rig.reached_by` of a server's file system by NFS, without a layer over it."""


def ratios_to_nfs(material: Material, limits: Sequence[CellLimit]) -> list[RatioToNfs]:
    """Every system but the baseline, in every cell, all one family; [] without NFS."""
    plan = material.study.plan
    nfs = _nfs(material)
    if nfs is None:
        return []
    limited = ratios_limited(by_place(limits), nfs)
    contrasts = {
        (cell.id, system): Contrast(Value(metric, cell.id, system), Value(metric, cell.id, nfs))
        for cell in plan.cells
        for system in plan.systems
        if system not in (nfs, plan.baseline)
        for metric in [SharingFactors.of(cell).metric]
    }
    judged = in_blocks(contrasts, material.samples, material.equivalence_percent)
    return [
        RatioToNfs(
            **each.numbers(),
            cell=cell,
            system=system,
            nfs=nfs,
            limited_by=limited.get((cell, system), ""),
        )
        for (cell, system), each in judged.items()
    ]


def _nfs(material: Material) -> str | None:
    """The first system that is plain NFS: as the study has it, or by its name, over folders."""
    for system in material.study.study.get("system", []):
        rig = system.get("rig") or {}
        if rig.get("reached_by") in _PLAIN:
            return str(system["name"])
    return next((each for each in material.study.plan.systems if each == "nfs"), None)
