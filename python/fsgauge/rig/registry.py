"""Every rig by its name, and which has as many hosts as a study; docs/adding-a-rig.md adds one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.record.factors import most_hosts
from fsgauge.study.model import Study
from fsgauge.study.rig_keys import RigKeys
from fsgauge.study.shipped import shipped_names
from fsgauge.study.workload import cells_of

if TYPE_CHECKING:
    from fsgauge.rig.rig import FleetChoice, Rig

Say = Callable[[str], None]
"""Is handed what people have to know of a device: what is destroyed, and what stays on it."""

Maker: TypeAlias = "Callable[[Say], Rig]"

DEFAULT = "host"


def _host(say: Say) -> Rig:
    from fsgauge.rig.host.rig import HostRig

    return HostRig(say=say)


def _fleet(say: Say) -> Rig:
    from fsgauge.rig.fleet.rig import FleetRig

    return FleetRig(say=say)


def _vm(say: Say) -> Rig:
    from fsgauge.rig.vm.rig import VmRig

    return VmRig(say)


def _simulator(say: Say) -> Rig:  # noqa: ARG001 - it has nothing to say of devices
    from fsgauge.rig.simulator.rig import SimulatorRig

    return SimulatorRig()


RIGS: dict[str, Maker] = {"host": _host, "fleet": _fleet, "vm": _vm, "simulator": _simulator}


OWN_STUDIES = {"simulator": "simulated", "vm": "virtual"}
"""Of a rig that cannot run every shipped study as it is: what the names of its own end with."""


def study_on(rig: str | None, study: str) -> str:
    """The shipped study that takes another's place on this rig, or the study itself."""
    own = f"{study}-{OWN_STUDIES[rig]}" if rig in OWN_STUDIES else study
    return own if own in shipped_names() else study


def rig_for(study: Study, typed: str | None) -> str:
    """The rig's name: the one that was typed, else vm for a study that has nodes."""
    return typed or ("vm" if study.rig is not None else DEFAULT)


def rig_named(name: str, say: Say = lambda _: None, hosts: FleetChoice | None = None) -> Rig:
    """A rig, not checked yet; InputError with the nearest name for one that is not known. `hosts`
    are those of the command line; InputError for a rig that has none."""
    if name in RIGS:
        rig = RIGS[name](say)
        if hosts is not None and hosts.typed:
            rig.take(hosts)
        return rig
    near = nearest(name, RIGS)
    known = f"known: {', '.join(sorted(RIGS))}"
    raise InputError(
        f'unknown rig "{name}"',
        details=(did_you_mean(near) if near else known,),
        next=f"--rig {near[0] if near else DEFAULT}",
    )


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
            next=f"{_more_nodes(study, needed)}, or --rig fleet --hosts a,b,c",
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
