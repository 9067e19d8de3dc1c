"""Every rig by its name: one line each. A new one is told how in docs/adding-a-rig.md."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from fsgauge.errors import InputError
from fsgauge.rig.rig import Rig

Say = Callable[[str], None]
"""Is handed what people have to know of a device: what is destroyed, and what stays on it."""

DEFAULT = "host"


def _host(say: Say) -> Rig:
    from fsgauge.rig.host.rig import HostRig

    return HostRig(say=say)


RIGS: dict[str, Callable[[Say], Rig]] = {"host": _host}


def rig_named(name: str, say: Say = lambda _: None) -> Rig:
    """A rig, not checked yet; InputError with the nearest name for one that is not known."""
    if name in RIGS:
        return RIGS[name](say)
    near = difflib.get_close_matches(name, RIGS, n=1, cutoff=0.4)
    known = f"known: {', '.join(sorted(RIGS))}"
    raise InputError(
        f'unknown rig "{name}"', details=(f'did you mean "{near[0]}"?' if near else known,)
    )
