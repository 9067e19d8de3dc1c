"""The fleet rig: the host rig's code on many hosts at once, each with its share of every run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from fsgauge.engine.client import Engine
from fsgauge.errors import FsgaugeError, InputError, RefusedError
from fsgauge.machine.device.consent import Consent
from fsgauge.rig.fleet.choice import chosen_fleet, require_extra
from fsgauge.rig.fleet.clock import served_clock
from fsgauge.rig.fleet.control import Answer, Question, all_understood, understood
from fsgauge.rig.fleet.ground import grounds_from, refused_grounds
from fsgauge.rig.fleet.identity import require_alike, require_same
from fsgauge.rig.fleet.launcher import command, kubernetes
from fsgauge.rig.fleet.launcher.launcher import Launcher
from fsgauge.rig.fleet.messages import Allowed, Faults, Sized
from fsgauge.rig.fleet.model import Fleet, Host
from fsgauge.rig.fleet.session import FleetSession
from fsgauge.rig.host.trial import PER_SYSTEMS
from fsgauge.rig.refusing import require_none, uses_no_device
from fsgauge.rig.rig import FleetChoice, Rig, of_some
from fsgauge.study.model import DeviceStorage, LoopStorage, PathStorage, Storage, Study
from fsgauge.study.reached import accesses_of
from fsgauge.study.tunable_places import place_of
from fsgauge.workload import method_of

if TYPE_CHECKING:
    from fsgauge.rig.fleet.hosts import Hosts

_ASK_SECONDS = 90.0
"""A host makes every file system once on an image, and reads devices for ten seconds each: of up to
`PER_SYSTEMS` systems."""


class FleetRig(Rig):
    """The hosts that the command line names. They are started when they are first needed."""

    name = "fleet"
    takes_hosts = True

    def __init__(
        self, choice: FleetChoice | None = None, say: Callable[[str], None] = lambda _: None
    ) -> None:
        self._choice = choice or FleetChoice()
        self._say = say
        self._stack = ExitStack()
        self._started: Hosts | None = None
        self._destroy: Consent | None = None

    def take(self, hosts: FleetChoice) -> None:
        self._choice = hosts

    @cached_property
    def fleet(self) -> Fleet:
        return chosen_fleet(self._choice)

    def size_bytes(self, study: Study) -> int:
        """What the study says: each host has that much. Of devices, what the smallest one has;
        for that the hosts are started, and ended."""
        if not isinstance(study.storage, DeviceStorage):
            return study.storage.size
        fleet = self._checked(study, None)
        try:
            with self._stack:
                found = self._ask(study, fleet, "size_bytes")
        finally:
            self._started = None
        sizes = {name: understood(name, answer, Sized) for name, answer in found.items()}
        for name, each in sizes.items():
            if each.fault is not None:
                raise each.fault.raised(name)
        return min(each.size_bytes for each in sizes.values())

    def refusals(self, study: Study, destroy: Consent | None = None) -> list[FsgaugeError]:
        try:
            fleet = self._checked(study, destroy)
            with self._stack:
                return self._of_hosts(study, fleet, destroy)
        except FsgaugeError as error:
            return [error]
        finally:
            self._started = None

    def refused_alone(
        self, study: Study, destroy: Consent | None = None
    ) -> dict[str, list[FsgaugeError]]:
        """The hosts are started once for all systems; where one of them is refused before that,
        each is asked alone."""
        try:
            fleet = self._checked(study, destroy)
        except FsgaugeError:
            return super().refused_alone(study, destroy)
        try:
            with self._stack:
                if not self._of_hosts(study, fleet, destroy):
                    return {}
                return {
                    each.name: self._of_hosts(of_some(study, [each]), fleet, destroy)
                    for each in study.systems
                }
        finally:
            self._started = None

    def check(self, study: Study, destroy: Consent | None) -> None:
        """Raise for what cannot work; hosts are started and asked, and nothing is touched."""
        fleet = self._checked(study, destroy)
        self._destroy = destroy
        try:
            refused = self._of_hosts(study, fleet, destroy)
        except BaseException:
            self._stack.close()
            raise
        if refused:
            self._stack.close()
        require_none(refused)

    @contextmanager
    def opened(self, study: Study) -> Iterator[FleetSession]:
        fleet = self.fleet
        by_name = {host.name: host for host in fleet.hosts}
        with self._stack:
            hosts = self._hosts(fleet)
            with served_clock(hosts.cluster.host_address, Engine()) as clock:
                session = FleetSession(
                    hosts,
                    clock,
                    lambda name: study_on(study, by_name[name]),
                    self._say,
                    fleet.lead / 1e9,
                    lambda name: consent_on(self._destroy, name),
                )
                try:
                    session.prepare()
                    yield session
                finally:
                    for name in session.close("the study is over"):
                        self._say(
                            f"{name} did not end the study in time; to remove what it may have"
                            f" left: {hosts.by_hand(name)}"
                        )

    def _checked(self, study: Study, destroy: Consent | None) -> Fleet:
        """The fleet, once all is refused that needs no host to be asked."""
        fleet = self.fleet
        require_extra()
        _require_measurable(study, len(fleet.host), one_machine=fleet.launcher == "local")
        require_hosts_named(study, destroy, [host.name for host in fleet.host])
        method_of(study.workload).require_dealable(len(fleet.host))
        for host in fleet.hosts:
            study_on(study, host)
        return fleet

    def _of_hosts(self, study: Study, fleet: Fleet, destroy: Consent | None) -> list[FsgaugeError]:
        refused: list[FsgaugeError] = []
        for name, answer in sorted(self._ask(study, fleet, "refusals", destroy).items()):
            refused += [fault.raised(name) for fault in all_understood(name, answer, Faults)]
        if refused or len(fleet.host) == 1:
            return refused
        found = self._ask(study, fleet, "grounds")
        grounds = {name: grounds_from(name, answer, study) for name, answer in found.items()}
        return refused_grounds(study, grounds, self._hosts(fleet).identities)

    def _ask(
        self, study: Study, fleet: Fleet, question: Question, destroy: Consent | None = None
    ) -> dict[str, Answer]:
        """Something about the study, of each host, as it answered; raises HostLostError."""
        hosts = self._hosts(fleet)
        words: dict[str, dict[str, object]] = {
            host.name: {"study": study_on(study, host).model_dump_json(by_alias=True)}
            for host in fleet.hosts
        }
        if destroy is not None:
            for name, each in words.items():
                each["destroy"] = Allowed.dump_python(consent_on(destroy, name), mode="json")
        seconds = _ASK_SECONDS * max(1.0, len(study.systems) / PER_SYSTEMS)
        return hosts.answers_each(words, question, seconds)

    def _hosts(self, fleet: Fleet) -> Hosts:
        from fsgauge.rig.fleet.hosts import started_hosts  # needs the extra [fleet]

        if self._started is not None:
            return self._started
        launcher, existing = self._launcher(fleet), None
        if self._choice.scheduler is not None:
            from fsgauge.rig.fleet.existing import existing_cluster

            existing = existing_cluster(self._choice.scheduler)
        listen = fleet.listen or ("127.0.0.1" if launcher.is_one_machine else None)
        started = started_hosts(fleet.hosts, launcher, listen, self._say, existing)
        found = self._stack.enter_context(started)
        require_alike(found.identities, one_machine=launcher.is_one_machine)
        if self._choice.same:
            require_same(found.identities)
        self._started = found
        return found

    def _launcher(self, fleet: Fleet) -> Launcher:
        if fleet.launcher == "local":
            return command.local_launcher()
        if fleet.launcher == "scheduler":
            from fsgauge.rig.fleet.existing import ExistingLauncher

            return ExistingLauncher()
        if fleet.launcher == "slurm":
            return command.slurm_launcher()
        if fleet.launcher == "kubernetes":
            assert self._choice.kubernetes is not None  # noqa: S101 - no other option makes one
            pods = kubernetes.read_pods(self._choice.kubernetes)
            name = fleet.host[0].name.rpartition("-")[0]
            launcher = kubernetes.KubernetesLauncher(pods, name)
            self._stack.callback(launcher.end)
            return launcher
        controls = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="fsg-")))
        return command.ssh_launcher(controls)


def _require_measurable(study: Study, hosts: int, *, one_machine: bool) -> None:
    """Raise InputError for what they cannot; with `one_machine` they are processes of this one."""
    _refuse_private_servers(study)
    _require_one_storage(study, hosts)
    if one_machine and hosts > 1:
        _require_own_kernels(study)


def _refuse_private_servers(study: Study) -> None:
    servers = [access.server for access in accesses_of(study) if access.server != "none"]
    if servers:
        raise InputError(
            f"a private {servers[0]} server is for the clients of its own host alone",
            cause="it is in a network of its own, so that no one else reaches what it serves",
            next="a server that runs already: --set access.share=nfs://HOST/EXPORT, or smb://;"
            " or the study on one host, without --rig fleet",
        )


def _require_one_storage(study: Study, hosts: int) -> None:
    method = method_of(study.workload)
    if hosts > 1 and method.files_of_all and not isinstance(study.storage, PathStorage):
        raise InputError(
            f"{hosts} hosts cannot work on the same files: each has storage of its own",
            cause=f"the storage is of kind {study.storage.kind}, and not a folder that all of them"
            " see",
            next="--storage FOLDER of a file system that all of them share, or"
            f" {method.without_files_of_all()}",
        )


def _require_own_kernels(study: Study) -> None:
    """Settings that two hosts of one machine would set for one another are refused."""
    for system in study.systems:
        for key in system.tunables:
            place = place_of(key)
            if place is not None and (place.is_of_client or not place.device):
                raise InputError(
                    f'"{system.name}" sets {key}, and all hosts are processes of one machine',
                    cause="they have one kernel, and one of them would set back what another set",
                    next="one host, or hosts that are machines",
                )


def study_on(study: Study, host: Host) -> Study:
    """With the folder or device that a host has; InputError where the study has no use for it."""
    storage: Storage = study.storage
    if host.path is not None:
        storage = _with_path(study, host, host.path)
    if host.device is not None:
        storage = _with_device(storage, host, host.device)
    if storage is study.storage:
        return study
    return study.model_copy(update={"storage": storage})


def _with_path(study: Study, host: Host, path: str) -> Storage:
    storage = study.storage
    if isinstance(storage, PathStorage):
        own = [system.name for system in study.systems if system.path is not None]
        if own:
            raise InputError(
                f'{host.name} has a path in the hosts file, and "{own[0]}" has one in the study',
                cause="they contradict each other",
                next="leave path out of the hosts file, or the system's own path",
            )
        return storage.model_copy(update={"path": path})
    if isinstance(storage, LoopStorage):
        return storage.model_copy(update={"directory": path})
    raise InputError(
        f"{host.name} has a path in the hosts file, and the study's storage is no folder",
        next="--storage FOLDER or --storage loop:8GiB, or a hosts file without path",
    )


def _with_device(storage: Storage, host: Host, device: str) -> Storage:
    if isinstance(storage, DeviceStorage):
        return storage.model_copy(update={"device": device})
    raise InputError(
        f"{host.name} has a device in the hosts file, and the study's storage is none",
        next=f"--storage {device}, or a hosts file without device",
    )


def consent_on(consent: Consent | None, host: str) -> Consent | None:
    if consent is None:
        return None
    names = tuple(
        name.partition(":")[2] for name in consent.names if name.partition(":")[0] == host
    )
    return Consent(names=names, unknown_data=consent.unknown_data)


def require_hosts_named(study: Study, consent: Consent | None, hosts: Sequence[str]) -> None:
    """Raise RefusedError for a --destroy that does not say whose device, InputError for one that
    the study does not use."""
    if consent is None:
        return
    if not isinstance(study.storage, DeviceStorage):
        raise uses_no_device("this study uses none")
    for name in consent.names:
        if name.partition(":")[0] not in hosts:
            raise RefusedError(
                f'"{name}" does not say whose device it is, so all devices are left alone',
                details=(f"hosts: {', '.join(hosts)}",),
                cause="each host has devices of its own",
                next=f"--destroy {hosts[0]}:{name}, once for each host",
            )
