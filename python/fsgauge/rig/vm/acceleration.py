"""KVM where it works, else emulation: a machine is tried, since a /dev/kvm that opens may hang.

What came of it is kept until the machine is started anew, so that it is tried once. `around_of` is
what emulated machines take beside the load, measured on two processors in three whole studies at a
load of 5 to 8: `sharing` 189 runs in 18 min 46 s, `two-nodes` 89 in 19 min 39 s, `writers-nfs` 30
in 8 min 24 s. Their journals say when each turn and run was there.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from fsgauge.errors import FsgaugeError, InputError
from fsgauge.machine.process.processes import boot_id
from fsgauge.plan.around import HERE, Around
from fsgauge.rig.vm.arrangement.roles import is_arranged, roles_of
from fsgauge.rig.vm.cache import cache_folder
from fsgauge.rig.vm.disks import limits_of
from fsgauge.rig.vm.node import Node, NodeLostError
from fsgauge.rig.vm.qemu import KVM, Accelerator, Qemu, find_qemu, has_kvm
from fsgauge.study.model import LoopStorage, Study

_FILE = "kvm.json"
N = TypeVar("N", bound=Sequence[Node])
CHOICE_VARIABLE = "FSGAUGE_VM_ACCELERATOR"
"""kvm or tcg, where it is to be no other."""


def started_well(make: Callable[[Accelerator], N], qemu: Qemu, say: Callable[[str], None]) -> N:
    """Machines that are up, with KVM if that can be; raises NodeLostError, RigError. `make` starts
    them, all at once."""
    chosen = chosen_accelerator()
    if chosen is not None:
        return _up(make(chosen), say)
    if has_kvm() and _known_to_work(qemu) is not False:
        try:
            nodes = _up(make("kvm"), say)
            _keep(qemu, works=True)
            return nodes
        except NodeLostError as error:
            _keep(qemu, works=False)
            say(f"KVM does not work here ({error.what}): machines are emulated")
    elif os.geteuid() == 0 and KVM.exists() and not has_kvm():
        say(
            f"{KVM} is root's alone, and root's machines are another user's: they are emulated;"
            f" for KVM: chgrp kvm {KVM}; chmod 660 {KVM}"
        )
    try:
        return _up(make("tcg"), say)
    except NodeLostError as error:
        say(f"{error.what}; once more")
        return _up(make("tcg"), say)


def expects_kvm() -> bool | None:
    """Whether machines will have KVM; None where that was not tried since this machine started."""
    try:
        chosen = chosen_accelerator()
        if chosen is not None or not has_kvm():
            return chosen == "kvm"
        return _known_to_work(find_qemu())
    except FsgaugeError:
        return False  # nothing runs then, which is refused elsewhere


def _up(nodes: N, say: Callable[[str], None]) -> N:
    began = time.monotonic()
    try:
        for node in nodes:
            node.wait_until_up()
    except BaseException:
        for node in nodes:
            node.end()
        raise
    how = "with KVM" if nodes[0].accelerator == "kvm" else "emulated"
    names = ", ".join(node.spec.name for node in nodes)
    are = "are" if len(nodes) > 1 else "is"
    say(f"{names} {are} up after {time.monotonic() - began:.1f} s, {how}")
    return nodes


def chosen_accelerator() -> Accelerator | None:
    """What the variable asks for, None where it asks for nothing; InputError for another word."""
    match os.environ.get(CHOICE_VARIABLE, ""):
        case "":
            return None
        case "kvm" | "tcg" as chosen:
            return chosen
        case other:
            raise InputError(
                f'{CHOICE_VARIABLE} is "{other}", and machines run with kvm or tcg',
                next=f"unset {CHOICE_VARIABLE}, or {CHOICE_VARIABLE}=tcg",
            )


def _facts(qemu: Qemu, *, works: bool) -> dict[str, str]:
    """What is kept: it holds for this start of the machine and this QEMU."""
    facts = {"boot": boot_id(), "qemu": qemu.version, "program": qemu.program}
    return facts | ({"works": "yes"} if works else {})


def _known_to_work(qemu: Qemu) -> bool | None:
    """None where it was not tried with this QEMU since the machine was started."""
    try:
        kept: object = json.loads(_place().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return next((works for works in (False, True) if kept == _facts(qemu, works=works)), None)


def _keep(qemu: Qemu, *, works: bool) -> None:
    with suppress(OSError):
        _place().write_text(json.dumps(_facts(qemu, works=works)), encoding="utf-8")


def _place() -> Path:
    return cache_folder() / _FILE


_UP_SECONDS = 20.0
"""Machines were up after 11 to 25 s."""
_TRIED_SECONDS = 11.0
"""A system is set up once before the first block, to learn what room it has."""
_TURN_SECONDS, _TURN_OF_SEVERAL_SECONDS = 12.0, 19.0
"""A system set up over its nodes and removed, mounted by one node or by several."""
_RUN_SECONDS, _RUN_OF_SEVERAL_SECONDS = 3.0, 6.5
"""Caches, counters and the engine's start; where several begin together, 2.5 s are the lead."""


def around_of(study: Study) -> Around:
    """The limits of disks, and what several nodes take, emulated; where KVM was not tried, what it
    would be with it as well. Of a machine alone and of KVM nothing else is known."""
    if not isinstance(study.storage, LoopStorage):
        return HERE
    limits = limits_of(study)
    disks = Around(bytes_per_second=limits.bytes_per_second, operations_per_second=limits.iops)
    has_kvm_then = expects_kvm()
    if has_kvm_then or not is_arranged(study):
        return disks
    several = len(roles_of(study).loads) > 1
    return replace(
        disks,
        how="emulated" if has_kvm_then is None else "",
        instead=replace(disks, how="with KVM") if has_kvm_then is None else None,
        before_seconds=_UP_SECONDS + _TRIED_SECONDS * len(study.systems),
        turn_seconds=_TURN_OF_SEVERAL_SECONDS if several else _TURN_SECONDS,
        run_seconds=_RUN_OF_SEVERAL_SECONDS if several else _RUN_SECONDS,
    )
