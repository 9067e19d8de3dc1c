"""A laboratory without a disk: a rig that makes nothing and an engine that answers at once.

What is measured follows from system and seed alone, so a study that was cut short and one that
was not must end in the same numbers. The store, the plan, statistics and the main path are real.

    python -m tests.laboratory RESULTS KILLS SEED [true]
                                run studies, killing them KILLS times; true: side by side
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from fsgauge.engine import wire
from fsgauge.engine.client import OnEvent
from fsgauge.machine.device.consent import Consent
from fsgauge.progress import Progress
from fsgauge.record.machine import Machine, StorageFacts
from fsgauge.record.parts import DeviceRun
from fsgauge.record.records import SystemFacts
from fsgauge.rig.host.facts import PreparedSystem
from fsgauge.rig.host.rig import HostSession
from fsgauge.rig.host.working_set import WorkingSet
from fsgauge.rig.rig import Rig
from fsgauge.run import Outcome, resume_study, run_study
from fsgauge.study.model import Study, System
from fsgauge.study.parse import load_study
from fsgauge.workload.steps import FileStep
from tests.cli import fake_engine

LONGEST_SECONDS = 60.0
FACTS = StorageFacts(
    kind="path", sentence="nothing", size_bytes=16 << 20, device_chain=[], cautions=[]
)


class NoDiskEngine:
    """Answers as tests/cli/fake_engine.py does, in `seconds`; `before` is called with each job."""

    def __init__(self, seconds: float = 0.002, before: Callable[[Any], None] = lambda _: None):
        self.seconds, self.before = seconds, before

    def load(
        self, job: wire.LoadJob | wire.ClientsJob, on_event: OnEvent | None = None
    ) -> wire.LoadResult:
        self.before(job)
        time.sleep(self.seconds)
        answer = answer_of(job.kind, job.model_dump(mode="json"))
        return wire.LoadResult.model_validate(answer | {"notes": []})

    def layout(self, target: wire.FilesTarget) -> wire.LayoutResult:
        answer = answer_of("layout", {"target": target.model_dump()})
        return wire.LayoutResult.model_validate(answer | {"notes": []})

    def scan(self, job: wire.ScanJob) -> wire.ScanResult:
        self.before(job)
        answer = answer_of("scan", job.model_dump(mode="json"))
        return wire.ScanResult.model_validate(answer | {"notes": []})

    def probe(self, job: wire.ProbeJob) -> wire.ProbeResult:
        return wire.ProbeResult.model_validate(answer_of("probe", job.model_dump()))


def answer_of(kind: str, job: dict[str, Any]) -> dict[str, Any]:
    """What the fake engine says to a job."""
    fake_engine.say = lambda *_, **__: None
    answer = getattr(fake_engine, kind)(job)
    return {"format": 1, "kind": kind, "engine": fake_engine.ENGINE, **answer}


class NoDiskSystems:
    """Gives targets named after the system; touches nothing."""

    def __init__(self, engine: NoDiskEngine, **changes: Any) -> None:
        self.engine, self.changes = engine, changes
        self.working_set = WorkingSet(16 << 20, 8 << 20, None)

    @contextmanager
    def prepare(self, study: Study, system: System) -> Iterator[PreparedSystem]:
        target = wire.FilesTarget(directory=f"/{system.name}", count=2, file_size_bytes=8 << 20)
        facts = SystemFacts(
            kind="mounted",
            mkfs_command=[],
            mkfs_output="",
            mount_source="none",
            mount_options="rw",
            tunables={},
            size_bytes=16 << 20,
            free_bytes=None,
            block_size_bytes=4096,
        )
        yield PreparedSystem(facts, target, self.engine.layout(target), ["as it stands"], [])

    def beside(self, study: Study, number: int) -> NoDiskSystems:
        return self

    def settle(self, *prepared: PreparedSystem) -> list[str]:
        return ["nothing to drop"] * len(prepared)

    def write_back(self, prepared: PreparedSystem) -> None:
        pass

    def watch_device(
        self, study: Study, prepared: PreparedSystem
    ) -> AbstractContextManager[Callable[[], DeviceRun | None]]:
        return nullcontext(lambda: None)

    def wear(self, prepared: PreparedSystem, step: FileStep) -> int:
        return 0

    def free_bytes(self, prepared: PreparedSystem) -> int:
        return FACTS.size_bytes

    def layout_folder(self, prepared: PreparedSystem) -> str | None:
        target = prepared.target
        return target.directory if isinstance(target, wire.FilesTarget) else None

    machine_name = "laboratory"

    def machine(self, study: Study) -> Machine:
        machine = Machine(
            name=self.machine_name,
            role="load",
            captured_unix_ns=time.time_ns(),
            kernel="Linux 6.18.0 #1",
            architecture="x86_64",
            distribution="Debian GNU/Linux 13 (trixie)",
            processor="a processor",
            processor_count=2,
            governor=None,
            memory_bytes=8 << 30,
            virtual_machine=None,
            load_average=0.5,
            clock_source="tsc",
            storage=FACTS,
            tool_versions={},
            missing={"governor": "no cpufreq driver"},
        )
        return machine.model_copy(update=self.changes)


class NoDiskRig(Rig):
    """The host rig's session over systems that are none."""

    name = "host"

    def __init__(
        self, engine: NoDiskEngine, systems: NoDiskSystems | None = None, **changes: Any
    ) -> None:
        self.engine = engine
        self.systems = systems or NoDiskSystems(engine, **changes)

    def size_bytes(self, study: Study) -> int:
        return self.systems.working_set.size_bytes

    def hindrance(self, study: Study) -> str:
        return ""

    def check(self, study: Study, destroy: Consent | None) -> None:
        pass

    @contextmanager
    def opened(self, study: Study) -> Iterator[HostSession]:
        yield HostSession(study, self.systems, self.engine)  # type: ignore[arg-type]


def small_study(blocks: int = 4, side_by_side: str = "false", *overrides: str) -> Study:
    """Two systems, four cells."""
    settings = ["storage.size=16MiB", f"plan.blocks={blocks}", f"plan.side_by_side={side_by_side}"]
    systems = ["one=mounted", "two=mounted"]
    return load_study("demo-user", [*settings, *overrides], systems, "path:/tmp", 7)


def run(
    results: Path,
    engine: NoDiskEngine | None = None,
    blocks: int = 4,
    side_by_side: str = "false",
    **changes: Any,
) -> Outcome:
    """A study from nothing; `changes` are what its environment has of its own."""
    engine = engine or NoDiskEngine(0)
    return run_study(
        small_study(blocks, side_by_side),
        rig=NoDiskRig(engine, **changes),
        results=results,
        destroy=None,
        command=["fsgauge", "run", "demo-user"],
        progress=Progress(),
    )


def resume(directory: Path, engine: NoDiskEngine | None = None, **changes: Any) -> Outcome | None:
    """Go on with a study; `changes` are what differs in the environment."""
    engine = engine or NoDiskEngine(0)
    return resume_study(
        directory,
        rig=lambda _: NoDiskRig(engine, **changes),
        destroy=None,
        progress=Progress(),
    )


LONGEST_UNTIL_KILLED_SECONDS = 2.0


def killed_studies(results: Path, kills: int, seed: int, side_by_side: str = "false") -> None:
    """Studies that are killed, resumed, killed again, until all kills are done."""
    chance = random.Random(seed)
    number = 0
    (results / "000").mkdir(parents=True)
    begun = time.monotonic()
    _in_process_group(partial(_go_on, results / "000", side_by_side), 0, kill=False)
    longest = min(time.monotonic() - begun, LONGEST_UNTIL_KILLED_SECONDS)
    while kills > 0:
        number += 1
        parent = results / f"{number:03d}"
        parent.mkdir(parents=True)
        while not _in_process_group(
            partial(_go_on, parent, side_by_side), chance.uniform(0, longest), kills > 0
        ):
            kills -= 1


def _go_on(parent: Path, side_by_side: str) -> None:
    begun = [path.parent for path in parent.glob("*/study.json")]
    engine = NoDiskEngine()
    resume(begun[0], engine) if begun else run(parent, engine, side_by_side=side_by_side)


def _in_process_group(work: Callable[[], None], seconds: float, kill: bool) -> bool:
    """Whether the work came to its end before its whole process group was killed."""
    child = os.fork()
    if child == 0:
        try:
            os.setpgid(0, 0)
            work()
        except BaseException as error:
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            os._exit(1)
        os._exit(0)
    # Both make the group, for it may be killed before the child has run at all.
    os.setpgid(child, child)
    deadline = time.monotonic() + (seconds if kill else LONGEST_SECONDS)
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            if status:
                raise SystemExit(f"the study ended with status {status}")
            return True
        time.sleep(0.002)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


if __name__ == "__main__":
    killed_studies(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
