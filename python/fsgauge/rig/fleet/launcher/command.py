"""Hosts that are started by a command each, as children of this process: local, ssh, Slurm.

The hosts of Slurm are the nodes of one job. Outside of a job, the same command is handed to sbatch:
coordinator and scheduler then run on the job's first node, not on the login node, where they would
be killed. A step for each host, not one for all of them: its standard input is the host's lease,
and a host that was lost is started again.
"""

from __future__ import annotations

import os
import selectors
import shlex
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fsgauge.errors import InputError
from fsgauge.programs import end_process, interpreter, start
from fsgauge.programs.finding import find_program
from fsgauge.programs.starting import how_it_ended
from fsgauge.rig.fleet.launcher.launcher import Bootstrap, Launcher, Started, answer_of
from fsgauge.rig.fleet.model import Fleet, Host

_END_SECONDS = 20.0
_LAST_LINES = 3


_KEPT_BYTES = 4000
_PIECE_BYTES = 1 << 16
_TICK_SECONDS = 0.5
_LAST_WORD_SECONDS = 0.5
"""What a process that has ended said last is read by then."""


class LastWords:
    """The end of what a host says on its error output, however much it says. One thread reads for
    all hosts: none of them waits for a reader, and nothing is written here."""

    def __init__(self) -> None:
        self._kept = b""
        self._ended = threading.Event()

    @contextmanager
    def writing(self) -> Iterator[int]:
        """The end of a pipe that a child is given; it is closed here with the context."""
        reading, writing = os.pipe2(os.O_CLOEXEC)
        _reader().register(reading, selectors.EVENT_READ, self)
        try:
            yield writing
        finally:
            os.close(writing)

    def hear(self, descriptor: int) -> bool:
        """Take what has come; whether there may be more."""
        piece = os.read(descriptor, _PIECE_BYTES)
        self._kept = (self._kept + piece)[-_KEPT_BYTES:]
        if not piece:
            self._ended.set()
        return bool(piece)

    def wait(self) -> None:
        """Until the last word, for a moment: what the process started may hold the pipe open."""
        self._ended.wait(_LAST_WORD_SECONDS)

    @property
    def text(self) -> str:
        return self._kept.decode(errors="replace")


@cache
def _reader() -> selectors.BaseSelector:
    selector = selectors.EpollSelector()
    threading.Thread(target=_read, args=(selector,), name="last words", daemon=True).start()
    return selector


def _read(selector: selectors.BaseSelector) -> None:
    while True:
        for key, _ in selector.select(_TICK_SECONDS):
            if not key.data.hear(key.fd):
                selector.unregister(key.fd)
                os.close(key.fd)


class StartedHost:
    """A child whose standard input is the lease: once it is closed, the host's process ends."""

    def __init__(self, command: Sequence[str], bootstrap: Bootstrap) -> None:
        self._said = LastWords()
        with self._said.writing() as pipe:
            self._process = start(
                command,
                stdin=subprocess.PIPE,
                stderr=pipe,
                has_session=True,  # Ctrl-C is the coordinator's
            )
        line = bootstrap.model_dump_json().encode() + b"\n"
        threading.Thread(target=self._tell, args=(line,), daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def _tell(self, line: bytes) -> None:
        """In a thread: a pipe that no one reads would be waited for."""
        assert self._process.stdin is not None  # noqa: S101 - PIPE above
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except OSError:
            return

    def why_ended(self) -> str | None:
        code = self._process.poll()
        if code is None:
            return None
        how = how_it_ended(code)
        said = self.last_words()
        return f"{said} ({how})" if said else f"its process ended ({how})"

    def last_words(self) -> str:
        if self._process.poll() is not None:
            self._said.wait()
        lines = self._said.text.strip().splitlines()
        return " ".join(line.strip() for line in lines[-_LAST_LINES:])[:400]

    def end(self, seconds: float = _END_SECONDS) -> bool:
        return end_process(self._process, seconds)


HOST_COMMAND = "fleet-host"
"""The command of fsgauge that a host runs."""
_CONNECT_SECONDS = 20


@dataclass(frozen=True)
class CommandLauncher(Launcher):
    """A child for each host, whose standard input is the host's lease."""

    command: Callable[[Host], list[str]]
    reaching: Callable[[Host], str]
    """Begins a command that a person runs on the host."""
    is_one_machine: bool = False
    wave: int = 100
    """Thousands at once would time one another out in their handshakes."""
    register_seconds: float = 90.0

    def start(self, bootstraps: Mapping[Host, Bootstrap]) -> dict[str, Started]:
        return {
            host.name: StartedHost(self.command(host), bootstrap)
            for host, bootstrap in bootstraps.items()
        }

    def by_hand(self, host: Host, *, looks: bool = False) -> str:
        """doctor cleans up what a dead run has left, as every command that does more than read."""
        word = "--version" if looks else "doctor --systems"
        return f"{self.reaching(host)}{shlex.quote(host.fsgauge or 'fsgauge')} {word}"


def local_launcher() -> CommandLauncher:
    return CommandLauncher(
        lambda _: interpreter("fsgauge", HOST_COMMAND), lambda _: "", is_one_machine=True
    )


def ssh_launcher(controls: Path) -> CommandLauncher:
    if find_program("ssh") is None:
        raise InputError(
            "the program ssh is not installed here, and hosts are reached by it",
            next="apt-get install openssh-client",
        )

    def reaching(host: Host) -> str:
        return shlex.join(["ssh", *_whom(host)]) + " "

    return CommandLauncher(lambda host: ssh_command(host, controls), reaching)


def ssh_command(host: Host, controls: Path) -> list[str]:
    """OpenSSH without questions: a password or an unknown key is an error, not a prompt."""
    return [
        *("ssh", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={_CONNECT_SECONDS}"),
        *("-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"),
        *("-o", "ControlMaster=auto", "-o", f"ControlPath={controls}/%C"),
        *("-o", "ControlPersist=no"),
        *_whom(host),
        f"{shlex.quote(host.fsgauge or 'fsgauge')} {HOST_COMMAND}",
    ]


def _whom(host: Host) -> list[str]:
    user = ["-l", host.user] if host.user is not None else []
    port = ["-p", str(host.port)] if host.port is not None else []
    return [*user, *port, "--", host.reached_at]


_JOB, _NODES = "SLURM_JOB_ID", "SLURM_JOB_NODELIST"
_SECONDS = 60.0
_LEAST_MINUTES = 30
_MARGIN = 2.0
"""A job that ends before its study does is lost from its last whole block on."""


def is_in_job() -> bool:
    return bool(os.environ.get(_JOB))


def fleet_of_job(nodes: int) -> Fleet:
    """The nodes of the job as hosts; InputError where there are fewer than asked for."""
    listed = os.environ.get(_NODES, "")
    names = _said(["scontrol", "show", "hostnames", listed]).split()
    if len(names) < nodes:
        raise InputError(
            f"--hosts slurm:N asks for {nodes} nodes, and this job has {len(names)}: {listed}",
            next=f"--hosts slurm:{len(names)}" if names else f"salloc --nodes={nodes}",
        )
    return Fleet(launcher="slurm", host=[Host(name=name) for name in names[:nodes]])


def slurm_launcher() -> CommandLauncher:
    return CommandLauncher(slurm_command, lambda host: f"srun --overlap --nodelist={host.name} ")


def slurm_command(host: Host) -> list[str]:
    """One step on one node; it may share it with the coordinator."""
    return [
        *("srun", "--nodes=1", "--ntasks=1", "--ntasks-per-node=1", "--overlap"),
        *("--kill-on-bad-exit=1", "--unbuffered", f"--nodelist={host.name}"),
        *interpreter("fsgauge", HOST_COMMAND),
    ]


def batch_script(nodes: int, command: Sequence[str], folder: Path, seconds: float) -> str:
    minutes = max(_LEAST_MINUTES, round(_MARGIN * seconds / 60))
    lines = [
        "#!/bin/bash",
        "#SBATCH --job-name=fsgauge",
        f"#SBATCH --nodes={nodes}",
        "#SBATCH --ntasks-per-node=1",
        "#SBATCH --exclusive",
        f"#SBATCH --time={minutes}",
        "#SBATCH --output=fsgauge-%j.log",
        f"cd {shlex.quote(str(folder))} || exit 3",
        f"exec {shlex.join(interpreter(*command))}",
    ]
    return "\n".join(lines) + "\n"


def submitted(script: str, folder: Path = Path("/")) -> str:
    """Hand a script to sbatch, which puts the job's log into `folder`; gives the job's number.
    Raises RigError in Slurm's own words."""
    return _said(["sbatch", "--parsable"], script, folder).strip().partition(";")[0]


def _said(command: list[str], text: str = "", folder: Path = Path("/")) -> str:
    missing = (
        "--hosts slurm:N is for the login node of a cluster, or a job in it",
        "--hosts a,b,c reaches hosts without Slurm",
    )
    return answer_of(command, text, seconds=_SECONDS, look="sinfo", missing=missing, folder=folder)
