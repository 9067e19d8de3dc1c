"""Clears folders of ours on a server, by the engine's own jobs; also for a run that was killed."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from typing import Any

_SECONDS = 900.0


def clear_shares(engine: str, jobs: Sequence[dict[str, Any]]) -> list[str]:
    """Run each job to its end; what went wrong in words, empty when all is gone."""
    wrong = []
    for job in jobs:
        try:
            done = subprocess.run(
                [engine],
                input=json.dumps(job).encode(),
                capture_output=True,
                timeout=_SECONDS,
                check=False,
                cwd="/",
                env=os.environ,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            wrong.append(str(error))
            continue
        wrong += _complaints(done.stdout)
    return wrong


def _complaints(output: bytes) -> list[str]:
    """The engine's last event: a result without errors, or why not."""
    lines = output.splitlines()
    try:
        event = json.loads(lines[-1])
    except (IndexError, ValueError):
        return ["the engine ended without a result"]
    if event.get("event") == "failed":
        return [str(event["error"]["what"])]
    clients = event.get("result", {}).get("clients") or {}
    return [f"{each['message']}: {each['first_path']}" for each in clients.get("errors", [])]
