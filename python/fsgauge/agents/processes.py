"""Nodes that are processes: on this machine, or on a host that ssh reaches. A host needs python3
and no fsgauge: it gets the program first, then its steps."""

from __future__ import annotations

import json
import os
import selectors
import shlex
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fsgauge.agents import agent
from fsgauge.agents.agents import AgentLostError, Answer, Lines, Step
from fsgauge.errors import InputError, RigError
from fsgauge.programs import Process, child_environment, end_process, isolated, start
from fsgauge.programs.starting import last_words

_PROGRAM = "import sys; exec(sys.stdin.buffer.read({size}).decode())"
_START_SECONDS = 60.0
_END_SECONDS = 2.0
_PIECE_BYTES = 1 << 16
_WORDS_LETTERS = 100


@dataclass(frozen=True)
class Place:
    folder: str
    host: str = ""

    @classmethod
    def of(cls, text: str) -> Place:
        """HOST:/FOLDER, or a folder of this machine. InputError for a host's folder that is not
        absolute, and for what ssh would take for an option."""
        host, colon, folder = text.partition(":")
        if not colon or "/" in host:
            return cls(str(Path(text).absolute()))
        if not folder.startswith("/") or host.startswith("-") or not host:
            raise InputError(
                f'"{text}" does not name a folder and its host',
                cause="the folder of another host begins with /, and its host is named before it",
                next="HOST:/FOLDER: a:/mnt/x",
            )
        return cls(folder, host)

    @property
    def words(self) -> str:
        return f"{self.host}:{self.folder}" if self.host else self.folder


class ProcessAgents:
    def __init__(self, names: Sequence[str], processes: Sequence[Process]) -> None:
        self.names = names
        self._processes = processes
        self._lines = [Lines() for _ in processes]

    def ask(self, steps: Mapping[int, Step], seconds: float) -> dict[int, Answer]:
        """Raises AgentLostError for one that ends or does not answer in time."""
        for at, step in steps.items():
            self._send(at, json.dumps(dict(step)).encode() + b"\n")
        ends, answers = time.monotonic() + seconds, dict[int, Answer]()
        with selectors.DefaultSelector() as selector:
            for at in steps:
                selector.register(_output(self._processes[at]), selectors.EVENT_READ, at)
            while len(answers) < len(steps):
                left = ends - time.monotonic()
                ready = selector.select(max(0.0, left))
                for key, _ in ready:
                    answer = self._answer(key.data)
                    if answer is not None:
                        answers[key.data] = answer
                        selector.unregister(key.fileobj)
                # Also where pieces of an answer come, one by one.
                if left <= 0 and len(answers) < len(steps):
                    slow = next(at for at in steps if at not in answers)
                    raise AgentLostError(
                        f"{self.names[slow]} did not answer within {seconds:.0f} s",
                        details=(f"asked for: {steps[slow]['do']}",),
                        cause="the file system or its server hangs",
                        next="dmesg | tail, on that machine",
                    )
        return answers

    def _send(self, at: int, data: bytes) -> None:
        pipe = self._processes[at].stdin
        try:
            if pipe is not None:
                pipe.write(data)
                pipe.flush()
        except OSError as error:
            raise self._ended(at) from error

    def _answer(self, at: int) -> Answer | None:
        """A whole one, if it is there now; AgentLostError for what is none."""
        piece = os.read(_output(self._processes[at]), _PIECE_BYTES)
        if not piece:
            raise self._ended(at)
        try:
            self._lines[at].add(piece)
            line = self._lines[at].take()
            if line is None:
                return None
            answer = json.loads(line)
            if not isinstance(answer, dict):
                raise ValueError("it is no answer")
        except (ValueError, RecursionError) as error:
            raise AgentLostError(
                f"{self.names[at]} says what makes no sense: {str(error)[:_WORDS_LETTERS]}",
                cause="a shell there prints words of its own",
                next="ssh HOST true, which should print nothing",
            ) from None
        return answer

    def _ended(self, at: int) -> AgentLostError:
        process = self._processes[at]
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_SECONDS)
        error = AgentLostError(
            f"{self.names[at]} has ended",
            details=tuple(last_words(process).splitlines()[-3:]),
            cause="ssh does not reach it without a password, or it has no python3",
            next="ssh HOST python3 -V",
        )
        error.has_ended = True
        return error


def _output(process: Process) -> int:
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    return process.stdout.fileno()


@contextmanager
def process_agents(places: Sequence[Place], folder: str) -> Iterator[ProcessAgents]:
    """One for each place, at work in a folder of that name there; ended with the context. Raises
    RigError for a place where none can be started, InputError for one that is no folder or is there
    twice."""
    program = Path(agent.__file__).read_bytes()
    with ExitStack() as stack:
        processes = [stack.enter_context(_started(place, folder, len(program))) for place in places]
        names = [chr(ord("A") + at) + f" ({each.words})" for at, each in enumerate(places)]
        agents = ProcessAgents(names, processes)
        for at in range(len(places)):
            agents._send(at, program)
        try:
            found = agents.ask({at: {"do": "place"} for at in range(len(places))}, _START_SECONDS)
        except AgentLostError as error:
            raise RigError(
                error.what, details=error.details, cause=error.cause, next="ssh HOST python3 -V"
            ) from error
        _require_folders(places, found)
        yield agents


def _require_folders(places: Sequence[Place], found: Mapping[int, Answer]) -> None:
    """InputError for what is no folder, all of it at once, and for one that is named twice."""
    missing = [at for at in range(len(places)) if not found[at].get("is_folder")]
    if missing:
        listed = ", ".join(places[at].words for at in missing)
        raise InputError(
            f"{listed}: {'not a folder' if len(missing) == 1 else 'none of them is a folder'}",
            details=tuple(
                f"{places[at].words}: {found[at]['error']}"
                for at in missing
                if "error" in found[at]
            ),
            cause="nothing of that name is there, or the file system is not mounted",
            next="findmnt -T FOLDER, on its host",
        )
    seen: dict[tuple[str, str], Place] = {}
    for at, place in enumerate(places):
        key = (place.host, str(found[at].get("which")))
        if key in seen:
            raise InputError(
                f"{seen[key].words} and {place.words} are one folder of one machine",
                cause="a machine agrees with itself: another one, or another mount, has to read",
                next="fsgauge rig coherence a:/mnt/shared b:/mnt/shared; of NFS, a second mount on"
                " one machine with -o nosharecache, else both share one cache",
            )
        seen[key] = place


@contextmanager
def _started(place: Place, folder: str, size: int) -> Iterator[Process]:
    path = f"{place.folder}/{folder}"
    code = _PROGRAM.format(size=size)
    words = [*(["python3", "-I"] if place.host else isolated()), "-c", code, path]
    if place.host:
        words = ["ssh", "-T", "-o", "BatchMode=yes", place.host, shlex.join(words)]
    process = start(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        environment=child_environment(LC_ALL="C"),
        has_session=True,
    )
    try:
        yield process
    finally:
        end_process(process, _END_SECONDS)
