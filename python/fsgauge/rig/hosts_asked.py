"""A study over several hosts needs a rig that has as many, and is told which one has."""

from __future__ import annotations

from fsgauge.errors import InputError
from fsgauge.record.factors import most_hosts
from fsgauge.rig.registry import rig_named
from fsgauge.rig.rig import Rig
from fsgauge.study.model import Study
from fsgauge.study.rig_keys import RigKeys
from fsgauge.study.workload import cells_of


def require_hosts(rig: Rig, study: Study) -> None:
    """Raise InputError for a study over several hosts on a rig that has fewer."""
    needed = most_hosts(cells_of(study.workload))
    if needed < 2 or rig.takes_hosts:
        return
    nodes = rig.load_nodes(study)
    if needed > nodes:
        raise InputError(
            f"the study asks for {needed} hosts that drive the load, and the rig {rig.name} has"
            f" {nodes}",
            cause=_few(study, nodes) if rig.has_nodes else "",
            next=f"{_more_nodes(study, needed)}, or --rig fleet --hosts hosts.toml, or --rig fleet"
            " --ssh a,b,c",
        )


def _few(study: Study, nodes: int) -> str:
    all_nodes = study.rig.nodes if study.rig is not None else 1
    return f"of its {all_nodes} nodes {all_nodes - nodes} serves" if all_nodes > nodes > 0 else ""


def _more_nodes(study: Study, needed: int) -> str:
    """The options with which so many nodes of virtual machines drive the load."""
    keys = study.rig or RigKeys()
    virtual = rig_named("vm")
    if virtual.load_nodes(study) >= needed:
        return "--rig vm"
    if keys.roles:
        roles = [*keys.roles, *["load"] * (needed - virtual.load_nodes(study))]
        named = ",".join(f'"{role}"' for role in roles)
        return f"--rig vm --set rig.nodes={len(roles)} --set 'rig.roles=[{named}]'"
    more = study.model_copy(update={"rig": keys.model_copy(update={"nodes": needed})})
    serving = needed - virtual.load_nodes(more)
    return f"--rig vm --set rig.nodes={needed + serving}"
