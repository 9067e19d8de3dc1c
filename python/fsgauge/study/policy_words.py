"""What `fsgauge explain` says of an allocation policy of the simulator, and of its settings."""

from __future__ import annotations

import shlex

from fsgauge.study.policies import POLICIES
from fsgauge.study.policy_settings import Setting

_KEY = "system.settings."


def policy_words(kind: str) -> str:
    """A policy with its settings, their defaults and limits; "" where no policy is called that."""
    policy = POLICIES.get(kind)
    if policy is None:
        return ""
    settings = [f"  {name}: {_of_setting(each)}" for name, each in policy.settings.items()]
    head = f"{kind}, a model of the simulator: {policy.summary}."
    return "\n".join([head, *(settings or ["  It has no settings."]), _next(kind)])


def setting_words(name: str) -> str:
    """A setting in each policy that has it, by its name or as system.settings.NAME; "" for none."""
    setting = name.removeprefix(_KEY)
    kinds = [kind for kind, policy in POLICIES.items() if setting in policy.settings]
    if not kinds:
        return ""
    found = dict.fromkeys(f"  {_of_setting(POLICIES[kind].settings[setting])}" for kind in kinds)
    default = POLICIES[kinds[0]].settings[setting].default
    head = f"{_KEY}{setting}, of {', '.join(kinds)}"
    return "\n".join([head, *found, _next(f"{kinds[0]}:settings.{setting}={default}")])


def _of_setting(setting: Setting) -> str:
    return f"{setting.what}. Takes {setting.limits()}. Default: {setting.default}."


def _next(system: str) -> str:
    return f"next: --rig simulator --system {shlex.quote(system)}"
