"""Turns over a system's path, beside those through the server that a study starts over it."""

from __future__ import annotations

from fsgauge.study.model import Study


def is_beside_path(study: Study) -> bool:
    """Whether every system has one more turn in each block, over its path without the server."""
    access = study.workload.network
    return access is not None and access.serve != "none" and access.serve_beside_path


def without_server(study: Study) -> Study:
    """The same study over the systems' paths."""
    workload = study.workload.model_copy(update={"serve": "none"})
    return study.model_copy(update={"workload": workload})


def is_served(study: Study) -> bool:
    """Whether clients reach files through a server, the study's own or another."""
    access = study.workload.network
    if access is None:
        return False
    return access.protocol != "path" or any(system.kind == "share" for system in study.systems)
