"""Results that nobody measured: the models that they are from, in words."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.machine import Simulation
from fsgauge.stats.wording import listed

SIMULATED = "Simulated, not measured"


def not_measured(answer: str, simulation: Simulation | None) -> str:
    """The answer, which says first that it was simulated, if it was."""
    return f"{SIMULATED}: {answer}" if simulation is not None else answer


def model_words(simulation: Simulation) -> str:
    """ "Simulated, not measured, by model 1 on disk-2012"."""
    return f"{SIMULATED}, by model {simulation.model_version} on {simulation.device}"


def proof_lines(simulation: Simulation, systems: Sequence[str]) -> list[str]:
    """How well each model is proven, systems of one model together."""
    of_model: dict[tuple[str, str], list[str]] = {}
    for system in systems:
        if system in simulation.policies:
            key = simulation.policies[system], simulation.proofs[system]
            of_model.setdefault(key, []).append(system)
    return [
        f"{policy}, for {listed(names)}: {proof}" for (policy, proof), names in of_model.items()
    ]
