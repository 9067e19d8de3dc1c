"""The question that heads a page: the study's own, unless it compares and there is one system."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.stats.results import Results


def headline(results: Results) -> str:
    """The study's question; of a shipped study of clients with one system, what that one gives."""
    if len(results.systems) > 1:
        return results.question
    if results.question != _shipped_question():
        return results.question
    clients = max((ConnectionsFactors.of(cell).clients for cell in results.cells), default=1)
    many = "one client" if clients == 1 else f"{clients:,} clients"
    verb = "does" if clients == 1 else "do"
    return f"What {verb} {many} get from {results.systems[0]}?"


@cache
def _shipped_question() -> str:
    text = (files("fsgauge.kinds.connections") / "studies" / "connections.toml").read_text("utf-8")
    return str(tomllib.loads(text)["question"])
