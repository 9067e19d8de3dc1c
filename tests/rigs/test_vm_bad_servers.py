"""An export that denies, a server that never answers, and nodes whose clocks differ, with machines.

The first two are systems that could not be set up, said within a bound; the third changes nothing.
"""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.coherence.log import Counted, Examined
from fsgauge.coherence.on_nodes import try_nodes
from fsgauge.rig.vm.arrangement import roles
from fsgauge.rig.vm.network import INTERFACE
from fsgauge.rig.vm.recipe import ReachedBy, Step, tables
from fsgauge.study.model import System
from fsgauge.study.rig_keys import SystemRig

pytestmark = [
    pytest.mark.long,
    pytest.mark.usefixtures("guest"),
]
CASES = ["close_to_open", "counter"]
TRIALS = 5
_CLOCK = 'date -s "@$(($(date +%s) {} 93600))"'
"""26 hours on, or back."""


def changed(title: str, *more: Step, **instead: str) -> ReachedBy:
    """NFS 3 with words of its steps replaced, and steps between the server's and the clients'."""
    served, mounted = tables().reached_by["nfs3"].step
    for old, new in instead.items():
        served = served.model_copy(update={"do": served.do.replace(f"${old}", new)})
    usual = tables().reached_by["nfs3"]
    return usual.model_copy(update={"title": title, "step": (served, *more, mounted)})


@pytest.mark.timeout(1500)
def test_what_cannot_be_mounted_is_said_and_clocks_do_not_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = {
        "denied": changed("an export that denies", NETWORK="10.8.0.0/24"),
        "silent": changed(
            "a server that never answers",
            Step(
                on="server",
                do=f"ip link set {INTERFACE} down",
                undo=f"ip link set {INTERFACE} up",
            ),
        ),
        "skewed": changed(
            "clocks that differ",
            Step(on="others", do=_CLOCK.format("+"), undo=_CLOCK.format("-")),
        ),
    }
    usual = tables()
    own = usual.model_copy(update={"reached_by": {**usual.reached_by, **found}})
    monkeypatch.setattr(roles, "tables", lambda: own)
    systems = [System(name=name, kind="ext4", rig=SystemRig(reached_by=name)) for name in found]
    examined: dict[str, Examined] = {}
    counted: list[Counted] = []

    def tell(what: Any) -> None:
        if isinstance(what, Counted):
            counted.append(what)
        else:
            examined[what.name] = what

    try_nodes(systems, CASES, TRIALS, None, lambda _: None, tell)
    assert "is not set up (an export that denies, step 2)" in examined["denied"].fault
    assert "access denied by server" in examined["denied"].fault
    assert "is not set up (a server that never answers, step 3)" in examined["silent"].fault
    assert examined["skewed"].fault == ""
    assert {each.case: each.counts for each in counted} == {
        "close_to_open": {"same": TRIALS},
        "counter": {"kept": 2 * TRIALS},
    }
