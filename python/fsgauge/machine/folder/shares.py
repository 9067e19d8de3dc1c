"""Clears folders of ours on a server, by the engine's own jobs; also for a run that was killed."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Sequence
from typing import Any

from fsgauge.programs import engine_environment, find_engine, run_to_end

_SECONDS = 900.0
_SECONDS_TO_CONNECT = 2.0


def clear_shares(jobs: Sequence[dict[str, Any]]) -> list[str]:
    """Run each job to its end; what went wrong in words, each once, empty when all is gone. The
    engine is the one of this installation, whichever began the run; RigError without one."""
    engine = str(find_engine())
    wrong = []
    for job in jobs:
        try:
            done = run_to_end(
                [engine],
                json.dumps(job).encode(),
                seconds=_SECONDS,
                environment=engine_environment(),
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            wrong.append(str(error))
            continue
        wrong += _complaints(done.stdout)
    return list(dict.fromkeys(wrong))


def silent_servers(jobs: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Servers of the jobs that take no connection now, a sentence each."""
    found = dict.fromkeys((str(job["target"]["host"]), int(job["target"]["port"])) for job in jobs)
    return tuple(words for place in found if (words := _silence(*place)))


def _silence(host: str, port: int) -> str:
    try:
        with socket.create_connection((host, port), timeout=_SECONDS_TO_CONNECT):
            return ""
    except OSError as error:
        return f"{host}:{port} does not answer: {error.strerror or error}"


def _complaints(output: bytes) -> list[str]:
    lines = output.splitlines()
    try:
        event = json.loads(lines[-1])
    except (IndexError, ValueError):
        return ["the engine ended without a result"]
    if event.get("event") == "failed":
        return [str(event["error"]["what"])]
    clients = event.get("result", {}).get("clients") or {}
    return [f"{each['message']}: {each['first_path']}" for each in clients.get("errors", [])]
