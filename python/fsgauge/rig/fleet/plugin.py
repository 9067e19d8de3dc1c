"""The one plugin of a host: it holds the host's rig, and sees when the coordinator is gone.

The functions below it, named in fleet/control.py, are all that a host does for the coordinator:
outside of dask's tasks, so that nothing is run twice, moved or stolen. Words and answers are plain.
"""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

from distributed import Worker
from distributed.diagnostics.plugin import WorkerPlugin

from fsgauge.errors import FsgaugeError
from fsgauge.record.records import Plan
from fsgauge.rig.fleet.clock import exchanged
from fsgauge.rig.fleet.control import ASKED, Question
from fsgauge.rig.fleet.gate import Label
from fsgauge.rig.fleet.ground import Grounds, grounds_here
from fsgauge.rig.fleet.held import HeldRig, abandon
from fsgauge.rig.fleet.identity import own_identity
from fsgauge.rig.fleet.messages import Fault, Sized, consent_in
from fsgauge.rig.fleet.pushed_engine import use_engine
from fsgauge.rig.host.rig import HostRig
from fsgauge.study.model import Study
from fsgauge.workload.dealing import Share

NAME = "fsgauge-host"
LEASE_SECONDS = 15.0
"""A coordinator that asks nothing for so long is gone: the host ends what it does and cleans up."""
_LOOK_SECONDS = 4.0


class HostPlugin(WorkerPlugin):  # type: ignore[misc]  # no types are read of distributed
    """Holds the rig of one study at most, and ends that once the coordinator is gone.

    With `keeps_worker` the worker is of a cluster that runs already, and goes on; its scheduler
    outlives the coordinator, so that only what the coordinator itself asks says that it is there.
    """

    name = NAME
    idempotent = True

    def __init__(self, keeps_worker: bool = False) -> None:
        self.keeps_worker = keeps_worker
        self.held: HeldRig | None = None
        self.run: str | None = None
        self._asked = time.monotonic()
        self._watch: asyncio.Task[None] | None = None
        self._worker: Worker

    def __reduce__(self) -> tuple[type[HostPlugin], tuple[bool]]:
        """It is made on each host."""
        return HostPlugin, (self.keeps_worker,)

    def setup(self, worker: Worker) -> None:
        """The worker has it now, and answers by it."""
        self._asked, self._worker = time.monotonic(), worker
        worker.handlers[ASKED] = self.answer
        self._watch = asyncio.ensure_future(self._look(worker))

    async def teardown(self, worker: Worker) -> None:
        """Whatever ends the worker, nothing of the study stays."""
        worker.handlers.pop(ASKED, None)
        if self._watch is not None and self._watch is not asyncio.current_task():
            self._watch.cancel()
        await asyncio.to_thread(abandon, self.held, "the host leaves the fleet")
        self.held = None

    async def answer(self, question: str, words: dict[str, Any]) -> dict[str, object]:
        """The answer to a question, or how that failed: never an error of dask's own, which would
        be pickled."""
        self.heard()
        try:
            if question not in get_args(Question):
                raise ValueError(f'"{question}" is not asked')
            return {"answer": await globals()[question](**words, dask_worker=self._worker)}
        except Exception as error:
            return {"failed": f"{type(error).__name__}: {error}"[:300]}

    def heard(self) -> None:
        """The coordinator asked for something."""
        self._asked = time.monotonic()

    async def _look(self, worker: Worker) -> None:
        """Ask whether the coordinator is there: it may have nothing to ask for a while."""
        because = "the coordinator is silent"
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            if not self.keeps_worker:
                with suppress(Exception):
                    await asyncio.wait_for(worker.scheduler.identity(n_workers=0), _LOOK_SECONDS)
                    self.heard()
            if time.monotonic() - self._asked < LEASE_SECONDS:
                continue
            held = self.held
            await asyncio.to_thread(abandon, held, because)
            if self.held is held:  # a coordinator may have come meanwhile
                self.held = None
            if not self.keeps_worker:
                break
        await worker.close(executor_wait=False, reason=because)


def _plugin(worker: Worker) -> HostPlugin:
    plugin = worker.plugins[NAME]
    assert isinstance(plugin, HostPlugin)  # noqa: S101 - no one else has that name
    plugin.heard()
    return plugin


def _held(worker: Worker) -> HeldRig:
    held = _plugin(worker).held
    if held is None:
        raise RuntimeError("nothing was prepared on this host")
    return held


async def identify(*, dask_worker: Worker) -> str:
    """Who this host is; the plugin is there, or the call fails."""
    _plugin(dask_worker)
    return (await asyncio.to_thread(own_identity)).model_dump_json()


async def attend(*, dask_worker: Worker) -> None:
    """The coordinator is there, and asks nothing: how soon the answer comes may be all it wants."""
    _plugin(dask_worker)


async def take_engine(engine: bytes, sha256: str, *, dask_worker: Worker) -> str:
    """Use this engine in place of the host's own; why that cannot be, or ""."""
    _plugin(dask_worker)
    folder = Path(dask_worker.local_directory)
    return await asyncio.to_thread(use_engine, engine, sha256, folder)


async def refusals(
    study: str, destroy: dict[str, Any] | None = None, *, dask_worker: Worker
) -> str:
    """What this host would refuse of a study; nothing is touched."""
    _plugin(dask_worker)
    asked = Study.model_validate_json(study)
    rig = HostRig(say=lambda _: None)
    found = await asyncio.to_thread(rig.refusals, asked, consent_in(destroy))
    return json.dumps([Fault.of(error).model_dump() for error in found])


async def size_bytes(study: str, *, dask_worker: Worker) -> str:
    """How large the storage of a study will be on this host; nothing is touched."""
    _plugin(dask_worker)
    asked = Study.model_validate_json(study)
    try:
        found = Sized(size_bytes=HostRig(say=lambda _: None).size_bytes(asked))
    except FsgaugeError as error:
        found = Sized(fault=Fault.of(error))
    return found.model_dump_json()


async def grounds(study: str, *, dask_worker: Worker) -> str:
    """What this host sees of the folders of a study."""
    _plugin(dask_worker)
    asked = Study.model_validate_json(study)
    return Grounds.dump_json(await asyncio.to_thread(grounds_here, asked)).decode()


async def prepare(
    study: str,
    number: int,
    hosts: int,
    run: str,
    destroy: dict[str, Any] | None = None,
    *,
    dask_worker: Worker,
) -> str:
    """Check and attach the storage of a study; "again" where this run has been prepared here."""
    plugin = _plugin(dask_worker)
    if plugin.run == run:
        return "again"
    if plugin.held is not None and not await asyncio.to_thread(
        abandon, plugin.held, "another study begins"
    ):
        return "busy"
    plugin.run = run
    share = Share(number, hosts)
    plugin.held = HeldRig(Study.model_validate_json(study), share, consent_in(destroy))
    plugin.held.begin()
    return "ok"


async def look(known: int, seconds: float, *, dask_worker: Worker) -> str:
    """Where the host is, as soon as that changes; at the latest after so many seconds."""
    held = _held(dask_worker)
    return (await asyncio.to_thread(held.state, known, seconds)).model_dump_json()


async def describe(*, dask_worker: Worker) -> str:
    """Have the rig described afresh."""
    _held(dask_worker).describe()
    return "ok"


async def described(*, dask_worker: Worker) -> str:
    """The last description."""
    found = _held(dask_worker).described
    return found.model_dump_json() if found is not None else "null"


async def measure(plan: str, block: int, *, dask_worker: Worker) -> str:
    """Begin a block."""
    _held(dask_worker).block(Plan.model_validate_json(plan), block)
    return "ok"


async def arm(block: int, turn: int, cell: str, start_at_ns: int, *, dask_worker: Worker) -> bool:
    """Have the run that waits begin at a moment of this host's clock; False where another waits.
    The engine says so where the moment has passed."""
    return _held(dask_worker).start(Label(block, turn, cell), start_at_ns)


async def pass_meeting(label: dict[str, Any], offer: str, *, dask_worker: Worker) -> bool:
    """All hosts are at a meeting, and this is what the first of them offers."""
    return _held(dask_worker).let_pass(Label(**label), offer)


async def compare_clock(job: str, *, dask_worker: Worker) -> str:
    """This host's monotonic clock against the coordinator's, by the engine."""
    _plugin(dask_worker)
    return await asyncio.to_thread(exchanged, job)


async def abort(because: str, *, dask_worker: Worker) -> str:
    """End the block; the rig stays open for the next one."""
    held = _plugin(dask_worker).held
    if held is not None:
        await asyncio.to_thread(held.abort, because)
    return "ok"


async def close(because: str, seconds: float, *, dask_worker: Worker) -> bool:
    """End the study here; whether nothing of it is left."""
    plugin = _plugin(dask_worker)
    held, plugin.held, plugin.run = plugin.held, None, None
    return held is None or await asyncio.to_thread(held.close, because, seconds)
