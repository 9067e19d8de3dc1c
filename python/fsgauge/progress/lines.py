"""Progress without a terminal: plain lines, or lines of JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, TextIO

from fsgauge.errors import escaped
from fsgauge.programs.streams import discard, json_line
from fsgauge.progress.tally import Counting, Tally, operations_per_second
from fsgauge.record.machine import BELOW
from fsgauge.record.records import EnvironmentRecord, Plan, RunRecord
from fsgauge.stats.evidence import count
from fsgauge.stats.wording import listed, named_systems
from fsgauge.study.model import Study
from fsgauge.units import format_duration, format_size, some_of

if TYPE_CHECKING:
    from fsgauge.stats.pilot import NoiseSoFar


class Lines(Counting):
    """One line per run, for pipes and CI logs."""

    def __init__(self, stream: TextIO) -> None:
        self.audience = Audience(stream)

    def study_started(self, study: Study, plan: Plan, environment: EnvironmentRecord) -> None:
        self.tally = Tally(plan, study)
        self._say(*opening(study, plan, environment))

    def race_stands(self, words: str) -> None:
        self._say(words)

    def run_ended(self, record: RunRecord) -> None:
        parts = [f"block {record.block + 1}", *self.counted(record), self.tally.left()]
        self._say("  ".join(part for part in parts if part))
        found = self.tally.noise(record)
        if found is not None:
            self._say(noise_line(found, self.tally.plan))

    def _say(self, *lines: str) -> None:
        self.audience.say("".join(f"{escaped(line)}\n" for line in lines))


class JsonLines(Counting):
    """One JSON object per run on standard output: raw numbers, units in the keys."""

    def __init__(self, stream: TextIO) -> None:
        self.audience = Audience(stream)

    def study_started(self, study: Study, plan: Plan, environment: EnvironmentRecord) -> None:
        self.tally = Tally(plan, study)
        self._say(
            event="study_started",
            question=study.question,
            storage=environment.storage.sentence,
            runs=sum(len(turn.cells) for turn in plan.turns),
            expected_seconds=plan.expected_seconds,
            expected_written_bytes=plan.expected_written_bytes,
            seed=plan.seed,
        )

    def race_stands(self, words: str) -> None:
        self._say(event="race", words=words)

    def run_ended(self, record: RunRecord) -> None:
        self._say(
            event="run_ended",
            block=record.block,
            system=record.system,
            again=record.again,
            over_path=record.over_path,
            cell=record.cell.id,
            operations_per_second=operations_per_second(record),
            fault=record.fault.what if record.fault else None,
        )
        self.tally.runs.append(record)
        found = self.tally.noise(record)
        if found is not None:
            self._say(event="noise_so_far", **asdict(found), too_noisy=found.is_too_noisy)

    def _say(self, **facts: object) -> None:
        self.audience.say(json_line(facts) + "\n")


_NAMED_HOSTS = 4
NAMED_SYSTEMS = 8
"""The opening names so many systems; of more it says the number."""


def opening(study: Study, plan: Plan, environment: EnvironmentRecord) -> list[str]:
    """The question, where it is asked, what is compared, what that takes; and an empty line."""
    blocks = len({turn.block for turn in plan.turns})
    runs = sum(len(turn.cells) for turn in plan.turns)
    machine = environment.load
    most = "at most " if plan.race is not None else ""
    takes = f"about {format_duration(int(plan.expected_seconds * 1e9))}"
    if machine.simulation is not None:
        takes += ", nothing is written"
    elif plan.expected_written_bytes:  # of a program it may not be known
        takes += f", about {format_size(plan.expected_written_bytes)} written"
    cores = count(machine.processor_count, "core")
    limits = f", under limits: {listed(machine.limited_to)}" if machine.limited_to else ""
    return [
        study.question,
        f"{_rig(environment)}, {_kernels(environment)}, {cores}{limits};"
        f" storage: {environment.storage.sentence}",
        compared(plan),
        f"{count(len(plan.cells), 'cell')} in {count(blocks, 'block')}:"
        f" {most}{count(runs, 'run')}, {takes}; seed {plan.seed}",
        "",
    ]


def _kernels(environment: EnvironmentRecord) -> str:
    """Of all machines that measure, each once: "Linux 6.1.0-47-amd64 and Linux 6.1.0-56-amd64"."""
    kernels = [each.kernel for each in environment.machines if each.role != BELOW]
    return named_systems(list(dict.fromkeys(" ".join(each.split()[:2]) for each in kernels)))


def _rig(environment: EnvironmentRecord) -> str:
    machines = [machine for machine in environment.machines if machine.role != BELOW]
    names = [machine.name for machine in machines]
    if len(machines) < len(environment.machines):
        many = "virtual machine" if len(names) == 1 else f"{len(names)} virtual machines"
        return f"{many} ({machines[0].virtual_machine})"
    if environment.load.simulation is not None:
        return "simulated, not measured"
    if len(names) == 1:
        return "host rig"
    return f"{len(names)} hosts at once ({some_of(names, _NAMED_HOSTS)})"


def compared(plan: Plan) -> str:
    """ "raw, ext4 and xfs; raw runs twice in each block to measure the noise"."""
    twice = any(turn.again for turn in plan.turns)
    noise = f"{plan.baseline} runs twice in each block to measure the noise"
    if len(plan.systems) == 1:
        return f"{noise}: there is nothing to compare it with" if twice else plan.baseline
    beside = "; all of them over their paths too" if any(t.over_path for t in plan.turns) else ""
    return named_systems(plan.systems, NAMED_SYSTEMS) + (f"; {noise}" if twice else "") + beside


def noise_line(found: NoiseSoFar, plan: Plan) -> str:
    from fsgauge.stats.pilot import noise_words

    return noise_words(found, plan.baseline, alone=len(plan.systems) == 1)


class Audience:
    """Writes to a stream until it takes no more, as in `fsgauge run ... | head`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream: TextIO | None = stream

    def say(self, text: str) -> None:
        """Write and flush; after an error nothing is written, and the study goes on."""
        if self._stream is None:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            # Also what is still buffered, and written when the interpreter exits.
            discard(self._stream.fileno())
            self._stream = None
