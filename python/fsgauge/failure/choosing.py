"""Which failures are carried out: those that are asked for, where a system has what fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsgauge.errors import InputError
from fsgauge.failure.struck import TITLES, Struck
from fsgauge.rig.vm.sharing_nodes import has_server, node_returns
from fsgauge.study.model import System


def why_not(system: System, struck: Struck) -> str:
    """Why that cannot fail of a system; empty where it can."""
    if struck == "server" and not has_server(system):
        return "it has no server: its nodes share one disk, or each of them holds a copy"
    if struck == "node" and not node_returns(system):
        return "a node could not come back: in these machines its power takes the cluster's state"
    return ""


def possible(system: System) -> list[Struck]:
    return [struck for struck in TITLES if not why_not(system, struck)]


def chosen_failures(
    systems: Sequence[System],
    struck: Sequence[str],
    *,
    are_named: bool,
    say: Callable[[str], None],
) -> list[tuple[System, Struck]]:
    """Each failure of each system, in order; all that are possible where `struck` is empty.

    InputError for one that is asked for of a system that is named, and is not possible there. Of
    the usual systems it is left out, and `say` is told why.
    """
    wanted: list[Struck] = [each for each in TITLES if not struck or each in struck]
    asked = [(system, each) for system in systems for each in wanted]
    cannot = [(system, each) for system, each in asked if struck and why_not(system, each)]
    if cannot and are_named:
        raise _refused(systems, cannot)
    for system, each in cannot:
        say(f"{system.name}, {TITLES[each]}: left out, {why_not(system, each)}")
    return [(system, each) for system, each in asked if not why_not(system, each)]


def _refused(systems: Sequence[System], cannot: Sequence[tuple[System, Struck]]) -> InputError:
    (system, struck), *_ = cannot
    others = [each.name for each in systems if each not in [lacking for lacking, _ in cannot]]
    able = (
        f"--system {others[0]} --struck {struck}"
        if others
        else (f"--system {system.name} --struck {possible(system)[0]}")
    )
    return InputError(
        f"a {struck} of {system.name} cannot fail here",
        details=tuple(f"{each.name}: {', '.join(possible(each))} can fail" for each in systems),
        cause=why_not(system, struck),
        next=f"fsgauge failure {able}",
    )
