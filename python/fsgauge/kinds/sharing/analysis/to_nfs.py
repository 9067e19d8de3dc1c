"""Each other system against NFS, inside each block: what the publication's conclusions are about.

It says that some new systems can be considerably faster than NFS, and that NFS is hard to beat; its
graphs have no numbers. The page therefore says in how many tests a system is faster here.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.kinds.sharing.analysis.limits import by_place
from fsgauge.kinds.sharing.analysis.model import CellLimit, RatioToNfs
from fsgauge.kinds.sharing.factors import SharingFactors
from fsgauge.stats.analysis import Material
from fsgauge.stats.contrast import Contrast, Value, in_blocks
from fsgauge.stats.rig_limits import ratios_limited

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
