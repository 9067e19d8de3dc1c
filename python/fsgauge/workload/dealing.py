"""A load dealt out over several hosts: what each of them does of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from fsgauge.engine.wire import AgeJob, BackupPhase, ClientsJob, LoadJob, Rate
from fsgauge.errors import InputError
from fsgauge.record.records import Cell
from fsgauge.units import count

Dealt = TypeVar("Dealt", LoadJob, ClientsJob, AgeJob)

_SEED_STEP = 1 << 40
"""Between the seeds of two hosts; seeds are below 2**53."""
_SEEDS = 1 << 53


@dataclass(frozen=True)
class Share:
    number: int
    hosts: int
    cell: Cell | None = None
    """That of a measured load; None of all others."""

    def of(self, whole: int) -> int:
        """Its share of `whole` equal things; the first hosts have one more where it is uneven."""
        return whole // self.hosts + (self.number < whole % self.hosts)

    def first(self, whole: int) -> int:
        """The number of its first one, where they are numbered through host by host."""
        return self.number * (whole // self.hosts) + min(self.number, whole % self.hosts)

    def most(self, whole: int) -> int:
        return -(-whole // self.hosts)

    def pace(self, rate: Rate | None, whole: int) -> Rate | None:
        """Its part of a pace that `whole` equal things have together."""
        if rate is None:
            return None
        each = rate.operations_per_second * self.of(whole) / whole
        return rate.model_copy(update={"operations_per_second": each})

    def prefix_of_part(self, prefix: str) -> str:
        """What the names of files begin with that are this host's part of those of all hosts; the
        first host's part begins with the first file."""
        return f"part-of-{self.hosts}-{prefix}" if self.number else prefix

    def seed(self, seed: int) -> int:
        """A seed of its own, the same in every block with the same seed; the first host's is the
        study's."""
        return (seed + self.number * _SEED_STEP) % _SEEDS


def clients_dealt(job: ClientsJob, share: Share) -> ClientsJob:
    """The host's clients, with files of their own, at as fast a pace each as those of the others;
    a reader backs up those of its host."""
    is_backup = isinstance(job.phase, BackupPhase)
    files = job.files.model_copy(update={"clients": share.of(job.files.clients)})
    update = {
        "clients": job.clients if is_backup else share.of(job.clients),
        "files": files,
        "rate": share.pace(job.rate, job.clients),
        "seed": share.seed(job.seed),
    }
    return job.model_copy(update=update)


def own_prefix(prefix: str) -> str:
    """What the names of a host's own files begin with, where files of all stand under theirs."""
    return f"own-{prefix}"


def require_hosts_there(wanted: list[int] | None, hosts: int) -> None:
    """Raise InputError where workload.hosts asks for more hosts than there are."""
    most = max(wanted or [1])
    if most <= hosts:
        return
    few = [each for each in wanted or [] if each <= hosts]
    raise InputError(
        f"workload.hosts asks for {most} hosts, and the fleet has {hosts}",
        next=f"--set 'workload.hosts={few}', or more hosts" if few else f"a fleet of {most} hosts",
    )


def require_enough(thing: str, asked: int | list[int], hosts: int, key: str) -> None:
    """Raise InputError where a count that the study asks for is too small for each host to have
    one; `thing` is one of them, `key` the study's key, which has a list where `asked` is one."""
    counts = asked if isinstance(asked, list) else [asked]
    few = [each for each in counts if each < hosts]
    if not few:
        return
    enough = [each for each in counts if each >= hosts] or [hosts]
    words = f"[{', '.join(map(str, enough))}]" if isinstance(asked, list) else str(hosts)
    raise InputError(
        f"{count(few[0], thing)} cannot be dealt out to {hosts} hosts",
        cause="each host has at least one",
        next=f"--set '{key}={words}', or fewer hosts",
    )
