"""Simulated results in words: which models they are from."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.record.machine import Simulation
from fsgauge.stats.wording import listed

SIMULATED = "Simulated, not measured"


def not_measured(answer: str, simulation: Simulation | None) -> str:
    """The answer, which says first that it was simulated, if it was, and with which times."""
    if simulation is None:
        return answer
    end = f", with the {simulation.times} times of {simulation.device}" if simulation.times else ""
    return f"{SIMULATED}{end}. {answer}"


def model_words(simulation: Simulation) -> str:
    """ "Simulated, not measured, by model 1 on disk-2012"."""
    end = f", with the {simulation.times} times of its range" if simulation.times else ""
    return f"{SIMULATED}, by model {simulation.model_version} on {simulation.device}{end}"


def proof_lines(simulation: Simulation, systems: Sequence[str]) -> list[str]:
    """How well each model is proven, models of one proof together, each once."""
    of_proof: dict[str, dict[str, list[str]]] = {}
    for system in systems:
        if system in simulation.policies:
            models = of_proof.setdefault(simulation.proofs[system], {})
            models.setdefault(simulation.policies[system], []).append(system)
    return [
        f"{listed([_model(name, of) for name, of in models.items()])}: {proof}"
        for proof, models in of_proof.items()
    ]


def _model(name: str, systems: Sequence[str]) -> str:
    """A model, and whom it stands for where they are called otherwise."""
    others = [system for system in systems if system != name]
    return f"{name} (for {listed(others)})" if others else name
