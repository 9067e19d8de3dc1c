"""What options of a real file system say of where its data lies, as settings of its model."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fsgauge.errors import InputError
from fsgauge.rig.host.leaving_out import or_without
from fsgauge.study.model import Study, System
from fsgauge.study.policies import Policy
from fsgauge.units import exact_size

_WITHOUT_EFFECT = {
    *("atime", "noatime", "relatime", "norelatime", "strictatime", "nostrictatime", "diratime"),
    *("nodiratime", "lazytime", "nolazytime", "defaults", "rw", "barrier", "nobarrier"),
    *("discard", "nodiscard", "exec", "noexec", "suid", "nosuid", "dev", "nodev"),
    *("commit", "data", "logbufs", "logbsize", "inode64"),
}
"""Options of mount that decide nothing about where data lies."""
_RESERVE = "-m 0"
"""What the model has: no blocks are kept for root."""
_KERNEL_SIZE = re.compile(r"(\d+)([kmg])", re.IGNORECASE)
_KERNEL_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def settings_by_options(study: Study, system: System, policy: Policy) -> dict[str, str]:
    """What its options of mkfs and mount set; InputError for one that has no model."""
    found: dict[str, str] = {}
    for key, option in _options(system):
        name, equals, value = option.partition("=")
        setting, fixed = policy.options.get(f"{key} {name}{equals}", (None, None))
        if setting is not None:
            found[setting] = fixed or _as_size(value)
        elif key != "mount" or name not in _WITHOUT_EFFECT:
            raise _unknown(study, system, key, option)
    if system.extent_size_hint is not None:
        if policy.extent_size_hint is None:
            raise _unknown(study, system, "extent_size_hint", "")
        found[policy.extent_size_hint] = exact_size(system.extent_size_hint)
    if system.tunables:
        raise _unknown(study, system, "tunables", "")
    for name, text in found.items():
        try:
            policy.settings[name].read(text)
        except ValueError as error:
            raise InputError(
                f'the model of "{system.name}" cannot have {name} {text}: {error}',
                next=or_without(study, system, "another value"),
            ) from None
    return found


def _options(system: System) -> Iterator[tuple[str, str]]:
    for option in system.mount.split(","):
        if option.strip():
            yield "mount", option.strip()
    if system.mkfs.strip() not in ("", _RESERVE):
        # "-d agcount=8,size=1g -K": a switch with its list, or one that has none.
        for switch in re.split(r"\s+(?=-)", system.mkfs.strip()):
            flag, _, options = switch.partition(" ")
            for option in options.split(",") if options else [""]:
                yield "mkfs", f"{flag} {option.strip()}".strip()


def _as_size(value: str) -> str:
    """A size as the kernel reads it, 64k, as one of a study; other values as they are."""
    match = _KERNEL_SIZE.fullmatch(value)
    return exact_size(int(match[1]) * _KERNEL_UNITS[match[2].lower()]) if match else value


def _unknown(study: Study, system: System, key: str, option: str) -> InputError:
    named = f"{key} = {option!r}" if option else key
    return InputError(
        f'the model of "{system.name}" knows nothing of {named}',
        cause="what it would change of where data lies is not simulated",
        next=or_without(study, system, "leave it out"),
    )
