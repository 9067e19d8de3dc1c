"""The one plugin of a host: it answers the coordinator, and sees when that is gone. It answers
outside of dask's tasks, so that nothing is run twice, moved or stolen."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from distributed import Worker
from distributed.diagnostics.plugin import WorkerPlugin

from fsgauge.rig.fleet.control import ASKED
from fsgauge.rig.fleet.host_answers import HostAnswers

NAME = "fsgauge-host"
LEASE_SECONDS = 15.0
"""A coordinator that asks nothing for so long is gone: the host ends what it does and cleans up."""
_LOOK_SECONDS = 4.0
_AT_ONCE = ("attend", "arm", "pass_meeting", "measure", "describe", "described", "size_bytes")
"""Answered by dask's own thread; all other questions wait for something."""


class HostPlugin(WorkerPlugin):  # type: ignore[misc]  # no types are read of distributed
    """Holds the rig of one study at most, and ends that once the coordinator is gone.

    With `keeps_worker` the worker is of a cluster that runs already, and goes on; its scheduler
    outlives the coordinator, so that only what the coordinator itself asks says that it is there.
    """

    name = NAME
    idempotent = True

    def __init__(self, keeps_worker: bool = False) -> None:
        self.keeps_worker = keeps_worker
        self.answers: HostAnswers
        self._asked = time.monotonic()
        self._watch: asyncio.Task[None] | None = None
        self._worker: Worker

    def __reduce__(self) -> tuple[type[HostPlugin], tuple[bool]]:
        return HostPlugin, (self.keeps_worker,)

    def setup(self, worker: Worker) -> None:
        self._asked, self._worker = time.monotonic(), worker
        self.answers = HostAnswers(Path(worker.local_directory))
        worker.handlers[ASKED] = self.answer
        self._watch = asyncio.ensure_future(self._look())

    async def teardown(self, worker: Worker) -> None:
        """Whatever ends the worker, nothing of the study stays."""
        worker.handlers.pop(ASKED, None)
        if self._watch is not None and self._watch is not asyncio.current_task():
            self._watch.cancel()
        because = "the host leaves the fleet"
        await asyncio.to_thread(self.answers.leave, self.answers.held, because, for_good=True)

    async def answer(self, question: str, words: dict[str, Any]) -> dict[str, object]:
        """The answer to a question, or how that failed: never an error of dask's own, which would
        be pickled."""
        self.heard()
        try:
            if question in _AT_ONCE:
                return {"answer": self.answers.answer(question, words)}
            return {"answer": await asyncio.to_thread(self.answers.answer, question, words)}
        except Exception as error:
            return {"failed": f"{type(error).__name__}: {error}"[:300]}

    def heard(self) -> None:
        self._asked = time.monotonic()

    async def _look(self) -> None:
        """Ask whether the coordinator is there: it may have nothing to ask for a while."""
        because = "the coordinator is silent"
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            if not self.keeps_worker:
                with suppress(Exception):
                    await asyncio.wait_for(
                        self._worker.scheduler.identity(n_workers=0), _LOOK_SECONDS
                    )
                    self.heard()
            if time.monotonic() - self._asked < LEASE_SECONDS:
                continue
            held, ends = self.answers.held, not self.keeps_worker
            await asyncio.to_thread(self.answers.leave, held, because, for_good=ends)
            if not self.keeps_worker:
                break
        await self._worker.close(executor_wait=False, reason=because)
