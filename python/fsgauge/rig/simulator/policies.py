"""From a system of a study to the policy that the engine simulates."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from fsgauge.errors import InputError
from fsgauge.rig.host.leaving_out import or_without
from fsgauge.study.model import Study, System
from fsgauge.study.policies import POLICIES, Value
from fsgauge.wire import (
    BestFitPolicy,
    BlockAtATimePolicy,
    BuddyPolicy,
    DelayedPolicy,
    Ext4Policy,
    FirstFitPolicy,
    LdiskfsPolicy,
    NextFitPolicy,
    SimulatedPolicy,
    VxfsPolicy,
    WindowPolicy,
    WorstFitPolicy,
)

USUAL = {"ext4": "ext4-6.18"}
"""Real file systems, each with the model that stands for it."""
_WITHOUT_EFFECT = {
    *("atime", "noatime", "relatime", "norelatime", "strictatime", "nostrictatime", "diratime"),
    *("nodiratime", "lazytime", "nolazytime", "defaults", "rw", "barrier", "nobarrier"),
    *("discard", "nodiscard", "exec", "noexec", "suid", "nosuid", "dev", "nodev"),
}
"""Options of mount that decide nothing about where data lies."""
_RESERVE = ["-m", "0"]
"""What the model has: no blocks are kept for root."""

Settings = Callable[[str], Value]


def policy_of(study: Study, system: System) -> SimulatedPolicy:
    """The policy of a system; InputError where there is no model of it as it is asked for."""
    kind = model_of(study, system)
    policy = POLICIES[kind]
    settings = settings_of(study, system)

    def of(name: str) -> int:
        return cast(int, policy.value(settings, name))

    match kind:
        case "ext4-6.18" | "ext4-6.12":
            return Ext4Policy(
                release="6.18" if kind == "ext4-6.18" else "6.12",
                delays=bool(of("delayed_allocation")),
                shared_blocks=of("mb_stream_req"),
                group_preallocation_blocks=of("mb_group_prealloc"),
                max_to_scan=of("mb_max_to_scan"),
                min_to_scan=of("mb_min_to_scan"),
                order2_request=of("mb_order2_req"),
                linear_groups=of("mb_max_linear_groups"),
                stripe_blocks=of("stripe"),
                processors=of("processors"),
            )
        case "ldiskfs":
            table = cast(list[int], policy.value(settings, "prealloc_table"))
            return LdiskfsPolicy(prealloc_table_blocks=table, last_group=of("mb_last_group"))
        case "delayed":
            return DelayedPolicy(delay_blocks=of("delay"))
        case "window":
            return WindowPolicy(window_blocks=of("window"))
        case "vxfs":
            return VxfsPolicy(
                initial_blocks=of("initial_extent_size"),
                largest_blocks=of("max_seqio_extent_size"),
            )
        case _:
            return _PLAIN[kind]()


_PLAIN: dict[str, Callable[[], SimulatedPolicy]] = {
    "block-at-a-time": BlockAtATimePolicy,
    "first-fit": FirstFitPolicy,
    "next-fit": NextFitPolicy,
    "best-fit": BestFitPolicy,
    "worst-fit": WorstFitPolicy,
    "buddy": BuddyPolicy,
}


def settings_of(study: Study, system: System) -> dict[str, str]:
    """Every setting in force, as text; those that options of mount say are among them."""
    policy = POLICIES[model_of(study, system)]
    given = {**system.settings, **_of_mount(study, system)}
    return {name: given.get(name, each.default) for name, each in policy.settings.items()}


def model_of(study: Study, system: System) -> str:
    """The model that stands for a system's kind; InputError where there is none."""
    kind = USUAL.get(system.kind, system.kind)
    if kind in POLICIES:
        return kind
    known = [*USUAL, *POLICIES]
    raise InputError(
        f'there is no model of {system.kind}, which "{system.name}" is',
        details=(f"there are: {', '.join(known)}",),
        next=or_without(study, system, "a system that there is a model of"),
    )


def _of_mount(study: Study, system: System) -> dict[str, str]:
    """What options of mkfs and mount say of where data lies; InputError for one that may."""
    found: dict[str, str] = {}
    for option in filter(None, (each.strip() for each in system.mount.split(","))):
        name, _, value = option.partition("=")
        if option in ("delalloc", "nodelalloc"):
            found["delayed_allocation"] = "yes" if option == "delalloc" else "no"
        elif name == "stripe" and value.isdigit():
            found["stripe"] = value
        elif option not in _WITHOUT_EFFECT and name not in ("commit", "data"):
            raise _unknown(study, system, "mount", option)
    words = system.mkfs.split()
    if words and words != _RESERVE:
        raise _unknown(study, system, "mkfs", system.mkfs)
    for key in ("tunables", "extent_size_hint"):
        if getattr(system, key):
            raise _unknown(study, system, key, "")
    return found


def _unknown(study: Study, system: System, key: str, option: str) -> InputError:
    named = f"{key} = {option!r}" if option else key
    return InputError(
        f'the model of "{system.name}" knows nothing of {named}',
        cause="what it would change of where data lies is not simulated",
        next=or_without(study, system, "leave it out"),
    )
