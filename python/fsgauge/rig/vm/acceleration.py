"""KVM where it works, else emulation: a machine is tried, since a /dev/kvm that opens may hang.

What came of it is kept until the machine is started anew, so that it is tried once.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from fsgauge.errors import FsgaugeError, InputError
from fsgauge.machine.process.processes import boot_id
from fsgauge.rig.vm.cache import cache_folder
from fsgauge.rig.vm.kvm import DEVICE, has_kvm
from fsgauge.rig.vm.node import Node, NodeLostError
from fsgauge.rig.vm.qemu import Accelerator, Qemu, find_qemu

_FILE = "kvm.json"
N = TypeVar("N", bound=Sequence[Node])
CHOICE_VARIABLE = "FSGAUGE_VM_ACCELERATOR"
"""kvm or tcg, where it is to be no other."""


def started_well(make: Callable[[Accelerator], N], qemu: Qemu, say: Callable[[str], None]) -> N:
    """Machines that are up, with KVM if that can be; raises NodeLostError, RigError.

    `make` starts them, all at once.
    """
    chosen = chosen_accelerator()
    if chosen is not None:
        return _up(make(chosen), say)
    if has_kvm() and not _is_known_not_to_work(qemu):
        try:
            return _up(make("kvm"), say)
        except NodeLostError as error:
            _remember(qemu)
            say(f"KVM does not work here ({error.what}): machines are emulated")
    elif os.geteuid() == 0 and DEVICE.exists() and not has_kvm():
        say(
            f"{DEVICE} is root's alone, and root's machines are another user's: they are emulated;"
            f" for KVM: chgrp kvm {DEVICE}; chmod 660 {DEVICE}"
        )
    try:
        return _up(make("tcg"), say)
    except NodeLostError as error:
        say(f"{error.what}; once more")
        return _up(make("tcg"), say)


def expects_kvm() -> bool:
    """Whether machines will have KVM, as far as it is known without trying one."""
    try:
        chosen = chosen_accelerator()
        if chosen is not None or not has_kvm():
            return chosen == "kvm"
        return not _is_known_not_to_work(find_qemu())
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
        case "kvm":
            return "kvm"
        case "tcg":
            return "tcg"
        case other:
            raise InputError(
                f'{CHOICE_VARIABLE} is "{other}", and machines run with kvm or tcg',
                next=f"unset {CHOICE_VARIABLE}, or {CHOICE_VARIABLE}=tcg",
            )


def _facts(qemu: Qemu) -> dict[str, str]:
    return {"boot": boot_id(), "qemu": qemu.version, "program": qemu.program}


def _is_known_not_to_work(qemu: Qemu) -> bool:
    try:
        kept: object = json.loads(_place().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return kept == _facts(qemu)


def _remember(qemu: Qemu) -> None:
    with suppress(OSError):
        _place().write_text(json.dumps(_facts(qemu)), encoding="utf-8")


def _place() -> Path:
    return cache_folder() / _FILE
