"""From a system of a study to the policy that the engine simulates."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from fsgauge.engine.wire import (
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
    XfsPolicy,
)
from fsgauge.errors import InputError
from fsgauge.rig.host.leaving_out import or_without
from fsgauge.rig.simulator.options import settings_by_options
from fsgauge.study.model import Study, System
from fsgauge.study.policies import POLICIES
from fsgauge.study.policy_settings import Value

Settings = Callable[[str], Value]


def policy_of(study: Study, system: System) -> SimulatedPolicy:
    """The policy of a system; InputError where there is no model of it as it is asked for."""
    kind = model_of(study, system)
    policy = POLICIES[kind]
    settings = settings_of(study, system)

    def of(name: str) -> int:
        return cast(int, policy.value(settings, name))

    match kind:
        case "ext4-6.18" | "ext4-6.12" | "ext4-6.1":
            if policy.release is None:
                raise TypeError(f"{kind} follows a release")
            return Ext4Policy(
                release=policy.release,
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
        case "xfs-6.18":
            return XfsPolicy(
                preallocation_blocks=of("allocsize"),
                extent_hint_blocks=of("extsize"),
                groups=of("agcount"),
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
    """Every setting in force, as text; those that options of mkfs and mount say are among them."""
    policy = POLICIES[model_of(study, system)]
    given = {**system.settings, **settings_by_options(study, system, policy)}
    return {name: given.get(name, each.default) for name, each in policy.settings.items()}


def model_of(study: Study, system: System) -> str:
    """The model that stands for a system's kind; InputError where there is none."""
    usual = {policy.stands_for: name for name, policy in POLICIES.items() if policy.stands_for}
    kind = usual.get(system.kind, system.kind)
    if kind in POLICIES:
        return kind
    known = [*usual, *POLICIES]
    raise InputError(
        f'there is no model of {system.kind}, which "{system.name}" is',
        details=(f"there are: {', '.join(known)}",),
        next=or_without(study, system, "a system that there is a model of"),
    )
