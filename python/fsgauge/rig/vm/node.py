"""One machine of the rig as it runs: started, asked, and ended, whatever happens.

QEMU dies with this process, also when that is killed; it carries the run's token, so that the next
command ends one that was left nevertheless. A machine that panics, reboots or says nothing for a
while is lost, and the error has the last lines of its console.
"""

from __future__ import annotations

import re
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from fsgauge import __version__
from fsgauge.agents.agents import AgentLostError, Lines
from fsgauge.errors import RigError, quoted
from fsgauge.machine.process.tool import end_or_give_up
from fsgauge.programs import Process, child_environment, start
from fsgauge.rig.vm.messages import Order, Reply
from fsgauge.rig.vm.monitor import Monitor
from fsgauge.rig.vm.qemu import (
    Accelerator,
    Descriptors,
    MachineSpec,
    Qemu,
    command,
    kvm_groups,
    opened,
)
from fsgauge.rig.vm.slowness import load_words, slowness_of

BOOT_SECONDS = {"kvm": 20.0, "tcg": 240.0}
"""Emulated, a machine is up in seconds; on a busy host in a minute. While its console goes on, it
has `BOOT_TIMES` as long."""
BOOT_TIMES = 5
SILENCE_SECONDS = 90.0
"""A guest says every 2 s that it is there."""
ABORT_SECONDS = 60.0
_TICK_SECONDS = 0.5
_END_SECONDS = 10.0
_CONSOLE_LINES = 8
_TRACE_LINES = 80
_GRAVE = re.compile(r"Kernel panic|BUG: |Oops: |blocked for more than|soft lockup|Out of memory")
_PIECE_BYTES = 1 << 16
Hear = Callable[[Reply], None]


class NodeLostError(AgentLostError):
    """A machine that has ended, by a panic or otherwise, or hangs: its work is not done."""

    usual_next = "fsgauge rig test"

    @property
    def in_short(self) -> str:
        """What happened, with the line of its console that says why, or the last ones."""
        grave = next((line for line in self.details if _GRAVE.search(line)), None)
        return self.with_last_words if grave is None else f"{self.what}; {grave}"


class NotUpError(NodeLostError):
    """A machine that did not come up: no system of a study was on it yet."""


class NodeStruckError(NodeLostError):
    """A machine without power that should do something: it was struck on purpose."""


def telling_lines(lines: list[str]) -> list[str]:
    """The last few of them; where a kernel gave up there, those that say why: a trace of addresses
    follows."""
    last = lines[-_TRACE_LINES:]
    at = next((at for at, line in enumerate(last) if _GRAVE.search(line)), None)
    return lines[-_CONSOLE_LINES:] if at is None else last[at : at + _CONSOLE_LINES]


class Node:
    """A machine. Make it with `started`; `end` is safe to repeat."""

    def __init__(
        self,
        spec: MachineSpec,
        qemu: Qemu,
        accelerator: Accelerator,
        place: Path,
        user_id: int | None = None,
    ) -> None:
        self.spec = spec
        self.accelerator = accelerator
        self.console = place / f"{spec.name}.console"
        self._qemu = qemu
        self._user_id = user_id
        self._output = place / f"{spec.name}.qemu"
        self._lines = Lines()
        self._is_up = False
        self._given_up = False
        self.is_away = False
        """Whether its power is off on purpose."""
        self.is_waited_for = False
        self.slowness = 1.0
        """How many times as long its limits are, since it came up."""
        self._ends, self._late, self._silent_since = 0.0, "", 0.0
        self._process: Process | None = None
        self._port: socket.socket
        self.monitor: Monitor

    def start(self, prompt: int | None = None, network: int | None = None) -> None:
        """Start QEMU; `prompt` is a socket for the machine's prompt, `network` its link."""
        port, port_of_qemu = socket.socketpair()
        monitor, monitor_of_qemu = socket.socketpair()
        own = (port_of_qemu.fileno(), monitor_of_qemu.fileno())
        inherited = Descriptors(*own, prompt, network)
        self._port, self.monitor = port, Monitor(monitor)
        try:
            with port_of_qemu, monitor_of_qemu:
                self._start_qemu(inherited)
        except OSError as error:
            raise RigError(
                f"the machine {self.spec.name} cannot be started: {error}",
                cause="a file of it is gone, or its user, who is not root, may not run QEMU there",
                next=f"ls -l {quoted(self._qemu.program)}; fsgauge rig test",
            ) from error

    def _start_qemu(self, inherited: Descriptors) -> None:
        with (
            self._output.open("wb") as output,
            opened(self.spec, self.console) as (files, descriptors),
        ):
            self._process = start(
                command(self._qemu, self.accelerator, self.spec, files, inherited),
                stdout=output,
                stderr=subprocess.STDOUT,
                environment=child_environment(LC_ALL="C"),
                passed=(*inherited.all, *descriptors),
                user_id=self._user_id,
                group_ids=kvm_groups() if self.accelerator == "kvm" else (),
                dies_with_us=True,
            )

    def wait_until_up(self) -> float:
        """Wait for the guest's first word; gives the seconds. Raises NotUpError."""
        began = time.monotonic()
        seconds = BOOT_SECONDS[self.accelerator]
        longest = seconds * (BOOT_TIMES if self.accelerator == "tcg" else 1)
        self.is_waited_for, self._ends = True, began + seconds
        said_bytes = 0
        while True:
            if (size_bytes := self._console_bytes()) > said_bytes:
                said_bytes = size_bytes
                self._ends = min(began + longest, time.monotonic() + seconds)
            self._late = f"is not up within {self._ends - began:.0f} s"
            try:
                reply = self._one(_TICK_SECONDS)
            except NodeLostError as error:
                not_up = error.told_as(NotUpError)
                not_up.has_ended = error.has_ended
                raise not_up from error
            if reply is None:
                continue
            if reply.hello and reply.hello != __version__:
                raise RigError(
                    f"the guest has fsgauge {reply.hello}, this is {__version__}",
                    cause="it was built by another version",
                    next="fsgauge rig build",
                )
            if reply.hello:
                self._is_up, self.is_waited_for = True, False
                self.slowness = slowness_of(reply.work_seconds)
                return time.monotonic() - began

    def _console_bytes(self) -> int:
        try:
            return self.console.stat().st_size
        except OSError:
            return 0

    def ask(self, order: Order, seconds: float, hear: Hear = lambda _: None) -> str:
        """Its answer, as JSON; raises the guest's own error, or NodeLostError. `hear` gets what the
        guest says before; what it raises aborts the order."""
        self.send(order, seconds)
        try:
            while (answer := self.look(hear)) is None:
                continue
        except NodeLostError:
            raise
        except BaseException:
            self.abort()
            raise
        return answer

    def send(self, order: Order, seconds: float) -> None:
        """Give an order, to be done within that time on a quiet host; `look` has its answer."""
        what = order.question or order.do
        seconds *= self.slowness
        self._late = f"did not finish ({what}) within {seconds:.0f} s"
        self._ends, self.is_waited_for = time.monotonic() + seconds, True
        self.attend()
        self.pass_on(order)

    def pass_on(self, order: Order) -> None:
        """Say something that is not answered; raises NodeLostError."""
        try:
            self._port.settimeout(SILENCE_SECONDS)
            self._port.sendall(order.model_dump_json(exclude_defaults=True).encode() + b"\n")
        except OSError as error:
            raise self._lost(f"takes no order: {error}") from error

    def look(self, hear: Hear = lambda _: None, tick_seconds: float = _TICK_SECONDS) -> str | None:
        """The answer to what was sent, if it comes within a moment; raises as `ask` does."""
        reply = self._one(tick_seconds)
        if reply is None:
            return None
        if reply.fault is None and reply.answer is None:
            hear(reply)
            return None
        self.is_waited_for = False
        if reply.fault is not None:
            raise reply.fault.raised(self.spec.name)
        return reply.answer or "null"

    def abort(self) -> None:
        """Have the guest undo what it does, if it was sent something; a machine that does not is
        ended."""
        if not self.is_waited_for:
            return
        try:
            self.send(Order(do="abort"), ABORT_SECONDS)
            while True:
                reply = self._one(_TICK_SECONDS)
                if reply is not None and (reply.fault is not None or reply.answer is not None):
                    self.is_waited_for = False
                    return
        except BaseException:
            self.end()

    def attend(self) -> None:
        """From now on it is looked at: a guest that says nothing for a while is lost."""
        self._silent_since = time.monotonic()

    @property
    def has_line(self) -> bool:
        return self._lines.has_one

    @property
    def port(self) -> int:
        return self._port.fileno()

    def give_up(self) -> None:
        self._given_up = True

    def power_off(self) -> None:
        """End it at once, to be started again with `power_on`."""
        self.is_away = True
        if self._process is not None:
            self._process.kill()
            self._process.wait(_END_SECONDS)

    def power_on(self, network: int | None = None) -> None:
        """Start it on the same disks; who asked `wait_until_up` says that it `has_returned`. QEMU
        dies with the thread that calls this, as it does with its process."""
        self._process = None
        self._port.close()
        self.monitor.close()
        self._lines, self._is_up = Lines(), False
        self.start(network=network)

    def has_returned(self) -> None:
        self._given_up = self.is_away = self.is_waited_for = False

    def end(self) -> None:
        process = self._process
        if process is None:
            return
        end_or_give_up(process)
        self._port.close()
        self.monitor.close()
        self._process = None

    @property
    def is_lost(self) -> bool:
        if self.is_away and not self._given_up:
            return False
        return self._given_up or self._process is None or self._process.poll() is not None

    def last_lines(self) -> tuple[str, ...]:
        """Of its console, from what the kernel said went wrong, and what QEMU itself said."""
        found: list[str] = []
        for path in (self.console, self._output):
            with suppress(OSError):
                text = path.read_text(errors="replace")
                lines = [line.strip() for line in text.splitlines() if line.strip()]
                head = path.name.rpartition(".")[2]
                found += [f"{head}: {line}" for line in telling_lines(lines)]
        return tuple(found[-_CONSOLE_LINES:])

    def _one(self, tick_seconds: float) -> Reply | None:
        """The next reply but signs of life, if it comes within a moment; raises NodeLostError."""
        reply, now = self._taken(), time.monotonic()
        if reply is not None:
            self._silent_since = now
            return None if reply.alive else reply
        if self.is_waited_for and now > self._ends:
            raise self._lost(f"{self._late} ({load_words()})")
        silence_seconds = SILENCE_SECONDS * self.slowness
        if self._is_up and now - self._silent_since > silence_seconds:
            raise self._lost(f"has said nothing for {silence_seconds:.0f} s ({load_words()})")
        self._receive(tick_seconds)
        return None

    def _taken(self) -> Reply | None:
        line = self._lines.take()
        if line is None:
            return None
        try:
            return Reply.model_validate_json(line)
        except ValidationError as error:
            raise self._lost(f"says what makes no sense: {line[:80]!r}") from error

    def _receive(self, tick_seconds: float) -> None:
        if self._process is None:
            raise NodeLostError(
                f"{self.spec.name} is not there any more", cause="it has ended or was given up"
            )
        self._port.settimeout(tick_seconds)
        try:
            piece = self._port.recv(_PIECE_BYTES)
        except (TimeoutError, BlockingIOError):
            piece = None
        except OSError:
            piece = b""
        if piece:
            try:
                self._lines.add(piece)
            except ValueError as error:
                raise self._lost(f"sends {error}") from None
            return
        code = self._process.poll()
        if code is not None or piece == b"":
            with suppress(subprocess.TimeoutExpired):
                code = self._process.wait(_END_SECONDS)
            raise self._lost(f"has ended: QEMU's exit code is {code}")

    def _lost(self, why: str) -> NodeLostError:
        self._given_up = True
        error = NodeLostError(
            f"the machine {self.spec.name} {why}",
            details=self.last_lines(),
            cause="the lines above are the last ones of its console",
            next="fsgauge rig test",
        )
        error.has_ended = self._process is None or self._process.poll() is not None
        return error
