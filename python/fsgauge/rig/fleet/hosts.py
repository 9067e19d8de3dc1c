"""The hosts of a study as they run: started in waves, identified, checked to be what they must."""

from __future__ import annotations

import resource
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress

from fsgauge.errors import InputError, RigError
from fsgauge.programs import find_engine
from fsgauge.rig.fleet.cluster import Cluster, cluster
from fsgauge.rig.fleet.control import HostLostError, Reached
from fsgauge.rig.fleet.identity import HostIdentity, identity_from, own_identity
from fsgauge.rig.fleet.launcher.launcher import Bootstrap, Launcher, Started
from fsgauge.rig.fleet.model import Host

IDENTIFY_SECONDS = 90.0
SEND_SECONDS = 120.0
_SENT_AT_ONCE = 20
_ENDED_AT_ONCE = 100
_DESCRIPTORS_EACH = 4
_DESCRIPTORS_SPARE = 200
_FAR_AWAY = "192.0.2.1"
"""An address that no one has: nothing is sent to it."""


class Hosts(Reached):
    """All hosts of a study, by name, in their order. Make it with `started_hosts`."""

    def __init__(
        self,
        hosts: Sequence[Host],
        launcher: Launcher,
        control: Cluster,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.hosts = list(hosts)
        self.cluster: Cluster = control
        self.identities: dict[str, HostIdentity] = {}
        self._launcher = launcher
        self._say = say
        self._started: dict[str, Started] = {}

    @property
    def names(self) -> list[str]:
        return [host.name for host in self.hosts]

    @property
    def is_one_machine(self) -> bool:
        return self._launcher.is_one_machine

    def begin(self, names: Sequence[str]) -> None:
        """Start some hosts and wait until each has said who it is; raises HostLostError."""
        wave_length = self._launcher.wave
        for at in range(0, len(names), wave_length):
            wave = names[at : at + wave_length]
            hosts = [self._host(name) for name in wave]
            self._started |= self._launcher.start({host: self._bootstrap(host) for host in hosts})
            ends = time.monotonic() + self._launcher.register_seconds
            for name in wave:
                why = self.cluster.wait_for(
                    name, self._started[name].why_ended, max(1.0, ends - time.monotonic())
                )
                if why is not None:
                    raise HostLostError(
                        name,
                        f"it cannot be reached: {why}",
                        next=self._launcher.by_hand(self._host(name), looks=True),
                    )
        self._identify(names)
        self._send_engine(names)

    def again(self, name: str) -> None:
        """Start a host that was lost once more; raises HostLostError."""
        self._forget(name)
        self.begin([name])

    def leave_out(self, name: str) -> None:
        self._forget(name)
        self.hosts = [host for host in self.hosts if host.name != name]

    def end(self) -> list[str]:
        with ThreadPoolExecutor(max_workers=_ENDED_AT_ONCE) as pool:
            ended = list(pool.map(lambda each: each.end(), self._started.values()))
        found = [name for name, well in zip(self._started, ended, strict=True) if not well]
        self._started.clear()
        return found

    def by_hand(self, name: str) -> str:
        return self._launcher.by_hand(self._host(name))

    def _forget(self, name: str) -> None:
        self._started.pop(name).end(seconds=1.0)
        self.cluster.forget(name)

    def _host(self, name: str) -> Host:
        return next(host for host in self.hosts if host.name == name)

    def _bootstrap(self, host: Host) -> Bootstrap:
        own = self.cluster.authority.issue("host", host.name)
        return Bootstrap(
            scheduler=self.cluster.address,
            name=host.name,
            authority=own.authority,
            certificate=own.certificate,
            key=own.key,
            interface=host.interface,
        )

    def _identify(self, names: Sequence[str]) -> None:
        for name, answer in self.answers(names, "identify", IDENTIFY_SECONDS).items():
            self.identities[name] = identity_from(name, answer)

    def _send_engine(self, names: Sequence[str]) -> None:
        """Have hosts use this machine's engine that have none, or another build of it. Raises
        RigError where one cannot. One of another architecture could not run it."""
        own = own_identity()
        lacking = [name for name in names if _lacks_engine(self.identities[name], own)]
        if not lacking:
            return
        engine = find_engine().read_bytes()
        for at in range(0, len(lacking), _SENT_AT_ONCE):
            wave = lacking[at : at + _SENT_AT_ONCE]
            answers = self.answers(
                wave, "take_engine", SEND_SECONDS, engine=engine, sha256=own.engine_sha256
            )
            for name, answer in answers.items():
                if answer:
                    raise RigError(
                        f"{name}: {str(answer)[:300]}",
                        cause="its fsgauge cannot run this machine's engine",
                        next=f"install fsgauge on {name} again",
                    )
                had = "another build of the engine" if self.identities[name].engine_sha256 else ""
                self._say(f"{name} has {had or 'no engine'}: it uses that of this machine")
            self._identify(wave)


def _lacks_engine(found: HostIdentity, own: HostIdentity) -> bool:
    """Whether a host can use this machine's engine in place of its own, and must."""
    alike = (found.fsgauge, found.architecture) == (own.fsgauge, own.architecture)
    return alike and own.engine_sha256 not in (None, found.engine_sha256)


@contextmanager
def started_hosts(
    hosts: Sequence[Host],
    launcher: Launcher,
    listen: str | None,
    say: Callable[[str], None] = lambda _: None,
    within: AbstractContextManager[Cluster] | None = None,
) -> Iterator[Hosts]:
    """All hosts, started; their processes end with the context. `within` is the cluster that has
    them already."""
    require_descriptors(len(hosts))
    with within or cluster(listen or _address_towards(hosts[0])) as control:
        found = Hosts(hosts, launcher, control, say)
        try:
            found.begin(found.names)
            yield found
        finally:
            found.end()


def require_descriptors(hosts: int) -> None:
    """Raise the limit of open files as far as it may be; InputError where that is too few."""
    needed = _DESCRIPTORS_EACH * hosts + _DESCRIPTORS_SPARE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and hard < needed:
        fitting = (hard - _DESCRIPTORS_SPARE) // _DESCRIPTORS_EACH
        raise InputError(
            f"{hosts} hosts need {needed} open files here, and this process may have {hard}",
            cause="the coordinator holds several connections to each host (ulimit -Hn)",
            next=f"ulimit -Hn {needed} as root, or {fitting} hosts at most",
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def _address_towards(host: Host) -> str:
    """The address of this machine that a host can reach, by the route to it. By that to everywhere
    where this machine does not know the host's name, as ssh may; InputError where there is none."""
    for name in (host.reached_at, _FAR_AWAY):
        with suppress(OSError):
            found = socket.getaddrinfo(name, host.port or 22, type=socket.SOCK_DGRAM)
            family, kind, protocol, _, address = found[0]
            with socket.socket(family, kind, protocol) as probe:
                probe.connect(address)
                return str(probe.getsockname()[0])
    raise InputError(
        f"this machine's address as {host.name} sees it is not known",
        cause=f"{host.reached_at} is a name that is not known here, and there is no default route",
        next='listen = "ADDRESS" in the hosts file: one of this machine (ip address)',
    )
