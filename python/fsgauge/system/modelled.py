"""Models of allocation policies: systems that the simulator has, and nobody can mount."""

from __future__ import annotations

from fsgauge.study.policies import POLICIES
from fsgauge.system.kind import SystemKind


class Modelled(SystemKind):
    """One policy."""

    placement = "modelled"


def _kind(name: str, summary: str) -> SystemKind:
    """An instance of a class of its own, since names stand in classes."""
    words = {"name": name, "summary": f"a model for --rig simulator: {summary}"}
    found: SystemKind = type("Modelled", (Modelled,), words)()
    return found


MODELLED = {name: _kind(name, policy.summary) for name, policy in POLICIES.items()}
