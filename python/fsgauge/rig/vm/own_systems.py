"""Names that say how a file system is reached or what it is made on, typed as if they were one."""

from __future__ import annotations

from fsgauge.errors import InputError, nearest
from fsgauge.rig.vm.arrangement.tables import DISK, SHARED, Layer, tables
from fsgauge.rig.vm.recipe import recipe
from fsgauge.study.model import Study, System

_NEAR = 0.8
_ROLES = {"reached_by": "a way to reach a file system", "volume": "a volume for a file system"}


def named_alone(study: Study, system: System) -> InputError | None:
    """What to type instead, on this rig; None for another name."""
    role = _role_of(system.kind)
    if role is None:
        return None
    return InputError(
        f'"{system.kind}" is {_ROLES[role]}, and no file system is named',
        next=_words(study, system.name, role, system.kind),
    )


def of_this_rig(study: Study, system: System) -> InputError | None:
    """The same for who asked another rig, also of a name that is nearly one of these."""
    role = _role_of(system.kind)
    if role is not None:
        return InputError(
            f'"{system.kind}" is a system of the virtual rig: {_layers(role)[system.kind].title},'
            f" {_ROLES[role]}",
            next=_words(study, system.name, role, system.kind),
        )
    for role in _ROLES:
        for near in nearest(system.kind, _layers(role), least=_NEAR):
            return InputError(
                f'"{system.kind}" is not a kind of system',
                details=(f'did you mean "{near}", {_ROLES[role]} on the virtual rig?',),
                next=_words(study, near, role, near),
            )
    return None


def _role_of(kind: str) -> str | None:
    return next((role for role in _ROLES if kind in _layers(role)), None)


def _layers(role: str) -> dict[str, Layer]:
    """Those of the role by name, without the disks that every node has."""
    found: dict[str, Layer] = getattr(tables(), role)
    return {name: layer for name, layer in found.items() if name not in (DISK, SHARED)}


def _words(study: Study, name: str, role: str, layer_name: str) -> str:
    """The options that ask for it over a file system of the study, or the guest's first one."""
    layer = _layers(role)[layer_name]
    needed = layer.least_nodes + (1 if layer.server else 0)
    nodes = study.rig.nodes if study.rig is not None else 1
    kinds = [each.kind for each in study.systems if each.kind in recipe().kinds]
    kind = kinds[0] if kinds else recipe().kinds[0]
    more = f" --set rig.nodes={needed}" if nodes < needed else ""
    return f"--rig vm{more} --system {name}={kind} --set system.{name}.rig.{role}={layer_name}"
