"""Which failures are carried out, and each of them, on nodes of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from fsgauge.agents.agents import folder_name
from fsgauge.errors import FsgaugeError, InputError, Interrupted
from fsgauge.failure.log import TITLES, Failed, Struck, Survived
from fsgauge.record.strikes import Strike
from fsgauge.rig.vm.arrangement.standing import SystemOverNodes
from fsgauge.rig.vm.faults.surviving import Appended, Surviving
from fsgauge.rig.vm.node import NotUpError
from fsgauge.rig.vm.sharing_nodes import has_server, node_returns, nodes_for
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
    systems: Sequence[System], struck: Sequence[str], *, are_named: bool, say: Callable[[str], None]
) -> list[tuple[System, Struck]]:
    """Each failure of each system, in order; all that are possible where `struck` is empty.
    InputError for one that is asked for of a system that is named, and is not possible there. Of
    the usual systems it is left out, and `say` is told why."""
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
        f"--system {others[0]} --fault {struck}"
        if others
        else (f"--system {system.name} --fault {possible(system)[0]}")
    )
    return InputError(
        f"a {struck} of {system.name} cannot fail here",
        details=tuple(f"{each.name}: {', '.join(possible(each))} can fail" for each in systems),
        cause=why_not(system, struck),
        next=f"fsgauge rig failure {able}",
    )


AT_NS = 5 * 10**9


def carry_out(
    system: System,
    struck: Struck,
    *,
    lasts_ns: int,
    loses_unflushed: bool,
    kernel: str | None,
    say: Callable[[str], None],
) -> Failed:
    """One failure, on new nodes that end with it. Raises what keeps nodes from starting."""
    loses_unflushed = loses_unflushed and struck != "link"
    with nodes_for([system], kernel, say, keep_logs=loses_unflushed) as session:
        told: Failed | None = None
        try:
            with session.standing(system) as stood:
                roles = stood.group.roles
                at = roles.server if struck == "server" else None
                strike = Strike(
                    kind="link_cut" if struck == "link" else "power_off",
                    number=1 + (roles.loads[-1] if at is None else at),
                    at_ns=AT_NS,
                    for_ns=lasts_ns,
                    loses_unflushed=loses_unflushed,
                )
                told = _survived(stood, system, struck, strike)
                stood.group.give_up()  # its nodes are not what they were
        except (Interrupted, NotUpError):
            raise
        except FsgaugeError as error:
            fault = error.with_last_words
            told = told or Failed(system=system.name, struck=struck, fault=fault)
        return told


def _survived(stood: SystemOverNodes, system: System, struck: Struck, strike: Strike) -> Failed:
    surviving = Surviving(stood, strike, folder_name())
    surviving.carried_out()
    done = surviving.struck
    assert done is not None  # noqa: S101 - it was carried out
    return Failed(
        system=system.name,
        is_made_of=stood.found.words,
        struck=struck,
        began_ns=done.began_ns,
        ended_ns=done.ended_ns,
        back_ns=done.back_ns,
        words=done.words,
        nodes=[_of(each, (done.began_ns or 0) / 1e9) for each in surviving.nodes.values()],
        fault=done.fault,
    )


def _of(here: Appended, began: float) -> Survived:
    pause = longest_pause(here.synced, began)
    went_on = pause is not None and not (here.is_stuck or here.fault)
    return Survived(
        name=here.name,
        is_struck=here.is_struck,
        synced=len(here.synced),
        longest_pause_ns=round(pause * 1e9) if went_on and pause is not None else None,
        errors=dict(Counter(name for name, _ in here.errors)),
        lost=here.lost,
        torn=here.torn,
        fault=here.fault or ("its last step was never answered" if here.is_stuck else ""),
    )


def longest_pause(synced: Sequence[tuple[int, float]], began: float) -> float | None:
    """Between two records, of which the later one came after the failure had begun; None where
    none came after."""
    times = [moment for _, moment in synced]
    pauses = [later - earlier for earlier, later in pairwise(times) if later > began]
    return max(pauses, default=None)
