"""The fleet rig: the host rig's code on many hosts at once, each with its share of every run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from fsgauge.engine import Engine
from fsgauge.errors import FsgaugeError, InputError, RigError
from fsgauge.rig.fleet.choice import FleetChoice, chosen_fleet
from fsgauge.rig.fleet.launcher.launcher import Launcher
from fsgauge.rig.fleet.model import Fleet, Host
from fsgauge.rig.host.device.consent import Consent
from fsgauge.study.model import DeviceStorage, LoopStorage, PathStorage, Study
from fsgauge.study.reached import accesses_of
from fsgauge.study.storage import is_preconditioned
from fsgauge.workload import method_of

if TYPE_CHECKING:
    from fsgauge.rig.fleet.hosts import Hosts
    from fsgauge.rig.fleet.session import FleetSession

_REFUSE_SECONDS = 60.0


class FleetRig:
    """The hosts that the command line names. They are started when they are first needed."""

    name = "fleet"

    def __init__(
        self,
        choice: FleetChoice | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._choice = choice or FleetChoice()
        self._say = say
        self._stack = ExitStack()
        self._started: Hosts | None = None
        self._chosen: Fleet | None = None

    def take(self, hosts: FleetChoice) -> None:
        """The hosts of the command line."""
        self._choice = hosts

    @property
    def fleet(self) -> Fleet:
        """The hosts that are named; InputError where they cannot be understood."""
        self._chosen = self._chosen or chosen_fleet(self._choice)
        return self._chosen

    def size_bytes(self, study: Study) -> int:
        """What the study says: each host has that much."""
        if isinstance(study.storage, DeviceStorage):
            raise _no_devices(study.storage.device)
        return study.storage.size

    def refusals(self, study: Study, destroy: Consent | None = None) -> list[FsgaugeError]:
        """What `check` would refuse, on every host; the hosts are started for it, and ended."""
        try:
            fleet = self._checked(study, destroy)
            with self._stack:
                return self._of_hosts(study, fleet)
        except FsgaugeError as error:
            return [error]
        finally:
            self._started = None

    def check(self, study: Study, destroy: Consent | None) -> None:
        """Raise for what cannot work; hosts are started and asked, and nothing is touched."""
        fleet = self._checked(study, destroy)
        try:
            refused = self._of_hosts(study, fleet)
        except BaseException:
            self._stack.close()
            raise
        if not refused:
            return
        self._stack.close()
        first, *others = refused
        first.details += tuple(f"also: {each.what}" for each in others)
        raise first

    @contextmanager
    def opened(self, study: Study) -> Iterator[FleetSession]:
        """The study's storage, attached on every host, until the context ends."""
        from fsgauge.rig.fleet.clock import served_clock
        from fsgauge.rig.fleet.session import FleetSession

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
                )
                try:
                    session.prepare()
                    yield session
                finally:
                    for name in session.close("the study is over"):
                        self._say(f"{name} did not end the study in time: {hosts.by_hand(name)}")

    def _checked(self, study: Study, destroy: Consent | None) -> Fleet:
        """The fleet, once all is refused that needs no host to be asked."""
        fleet = self.fleet
        require_extra()
        _require_measurable(study, destroy)
        method_of(study.workload).require_dealable(len(fleet.host))
        for host in fleet.hosts:
            study_on(study, host)
        return fleet

    def _of_hosts(self, study: Study, fleet: Fleet) -> list[FsgaugeError]:
        from fsgauge.rig.fleet import plugin
        from fsgauge.rig.fleet.messages import faults_in

        hosts = self._hosts(fleet)
        words: dict[str, dict[str, object]] = {
            host.name: {"study": study_on(study, host).model_dump_json(by_alias=True)}
            for host in fleet.hosts
        }
        answers = hosts.cluster.ask_each(words, plugin.refusals, _REFUSE_SECONDS)
        found: list[FsgaugeError] = []
        for name, answer in answers.items():
            hosts.require_answer(name, answer)
            found += [fault.raised(name) for fault in faults_in(str(answer))]
        return found

    def _hosts(self, fleet: Fleet) -> Hosts:
        """All hosts, started once."""
        from fsgauge.rig.fleet.hosts import require_alike, started_hosts

        if self._started is not None:
            return self._started
        launcher = self._launcher(fleet)
        listen = fleet.listen or ("127.0.0.1" if launcher.is_one_machine else None)
        found = self._stack.enter_context(started_hosts(fleet.hosts, launcher, listen))
        require_alike(found.identities, one_machine=launcher.is_one_machine)
        self._started = found
        return found

    def _launcher(self, fleet: Fleet) -> Launcher:
        from fsgauge.rig.fleet.launcher import command, kubernetes, slurm

        if fleet.launcher == "local":
            return command.local_launcher()
        if fleet.launcher == "slurm":
            return slurm.slurm_launcher()
        if fleet.launcher == "kubernetes":
            assert self._choice.kubernetes is not None  # noqa: S101 - no other option makes one
            pods = kubernetes.read_pods(self._choice.kubernetes)
            name = fleet.host[0].name.rpartition("-")[0]
            launcher = kubernetes.KubernetesLauncher(pods, name)
            self._stack.callback(launcher.end)
            return launcher
        controls = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="fsg-")))
        return command.ssh_launcher(controls)


def study_on(study: Study, host: Host) -> Study:
    """The study with the folder that a host has for it; InputError where that says nothing."""
    if host.path is None:
        return study
    storage = study.storage
    if isinstance(storage, PathStorage):
        own = [system.name for system in study.systems if system.path is not None]
        if own:
            raise InputError(
                f'{host.name} has a path in the hosts file, and "{own[0]}" has one in the study',
                cause="they contradict each other",
                next="leave path out of the hosts file, or the system's own path",
            )
        changed: PathStorage | LoopStorage = storage.model_copy(update={"path": host.path})
    elif isinstance(storage, LoopStorage):
        changed = storage.model_copy(update={"directory": host.path})
    else:
        raise InputError(
            f"{host.name} has a path in the hosts file, and the study's storage is no folder",
            next="--storage FOLDER or --storage loop:8GiB, or a hosts file without path",
        )
    return study.model_copy(update={"storage": changed})


def require_extra() -> None:
    """Raise RigError that names the install where the packages of a fleet are missing."""
    for name in ("cryptography", "distributed"):
        if find_spec(name) is None:
            raise RigError(
                f"the fleet rig needs the package {name}, which is not installed",
                cause="it is in the extra [fleet], here and on every host",
                next="pip install 'fsgauge[fleet]'",
            )


def _require_measurable(study: Study, destroy: Consent | None) -> None:
    """Raise InputError for what many hosts cannot do yet."""
    if isinstance(study.storage, DeviceStorage):
        raise _no_devices(study.storage.device)
    if destroy is not None:
        raise InputError(
            "--destroy names a device, and no device is used by a fleet", next="leave it out"
        )
    if is_preconditioned(study.storage):
        raise InputError(
            "storage is not preconditioned on a fleet", next="--set storage.precondition=none"
        )
    servers = [access.server for access in accesses_of(study) if access.server != "none"]
    if servers:
        raise InputError(
            f"a private {servers[0]} server is reached by its own host alone so far",
            next="shares of a running server, or folders on mounted file systems",
        )


def _no_devices(device: str) -> InputError:
    return InputError(
        f"whole devices are not used by a fleet yet: {device} is another device on each host",
        next="--storage FOLDER of a mounted file system, or --storage loop:8GiB",
    )
