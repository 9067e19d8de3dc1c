"""Every rig by its name: one line each. A new one is told how in docs/adding-a-rig.md."""

from __future__ import annotations

from collections.abc import Callable

from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.rig.fleet_choice import FleetChoice
from fsgauge.rig.rig import Rig
from fsgauge.study.model import Study
from fsgauge.study.shipped import shipped_names

Say = Callable[[str], None]
"""Is handed what people have to know of a device: what is destroyed, and what stays on it."""

Maker = Callable[[Say], Rig]

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
    """A rig, not checked yet; InputError with the nearest name for one that is not known.

    `hosts` are those of the command line; InputError for a rig that has none.
    """
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
