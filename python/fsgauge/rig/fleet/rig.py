"""The fleet rig: the host rig's code on many hosts at once, each with its share of every run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fsgauge.engine.client import Engine
from fsgauge.errors import FsgaugeError
from fsgauge.machine.device.consent import Consent
from fsgauge.rig.fleet.choice import chosen_fleet, require_extra
from fsgauge.rig.fleet.control import Answer, Question
from fsgauge.rig.fleet.launcher.launcher import Launcher
from fsgauge.rig.fleet.model import Fleet
from fsgauge.rig.fleet.study_on_host import (
    consent_on,
    require_hosts_named,
    require_measurable,
    study_on,
)
from fsgauge.rig.host.trial import PER_SYSTEMS
from fsgauge.rig.refusing import require_none
from fsgauge.rig.rig import FleetChoice, Rig, of_some
from fsgauge.study.model import DeviceStorage, Study
from fsgauge.workload import method_of

if TYPE_CHECKING:
    from fsgauge.rig.fleet.hosts import Hosts
    from fsgauge.rig.fleet.session import FleetSession

_ASK_SECONDS = 90.0
"""A host makes every file system once on an image, and reads devices for ten seconds each: of up to
`PER_SYSTEMS` systems."""


class FleetRig(Rig):
    """The hosts that the command line names. They are started when they are first needed."""

    name = "fleet"
    takes_hosts = True

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
        self._destroy: Consent | None = None

    def take(self, hosts: FleetChoice) -> None:
        self._choice = hosts

    @property
    def fleet(self) -> Fleet:
        self._chosen = self._chosen or chosen_fleet(self._choice)
        return self._chosen

    def size_bytes(self, study: Study) -> int:
        """What the study says: each host has that much. Of devices, what the smallest one has;
        for that the hosts are started, and ended."""
        if not isinstance(study.storage, DeviceStorage):
            return study.storage.size
        from fsgauge.rig.fleet.control import understood
        from fsgauge.rig.fleet.messages import Sized

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
        """What `check` would refuse, on every host; the hosts are started for it, and ended."""
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
        """The hosts are started once for all systems; raises what keeps them from it."""
        fleet = self._checked(study, destroy)
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
        require_measurable(study, len(fleet.host), one_machine=fleet.launcher == "local")
        require_hosts_named(study, destroy, [host.name for host in fleet.host])
        method_of(study.workload).require_dealable(len(fleet.host))
        for host in fleet.hosts:
            study_on(study, host)
        return fleet

    def _of_hosts(self, study: Study, fleet: Fleet, destroy: Consent | None) -> list[FsgaugeError]:
        """What each host refuses, then what is refused of all of them together."""
        from fsgauge.rig.fleet.control import all_understood
        from fsgauge.rig.fleet.ground import grounds_from, refused_grounds
        from fsgauge.rig.fleet.messages import Faults

        refused: list[FsgaugeError] = []
        for name, answer in self._ask(study, fleet, "refusals", destroy).items():
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
        from fsgauge.rig.fleet.messages import Allowed

        hosts = self._hosts(fleet)
        words: dict[str, dict[str, object]] = {
            host.name: {"study": study_on(study, host).model_dump_json(by_alias=True)}
            for host in fleet.hosts
        }
        if destroy is not None:
            for name, each in words.items():
                each["destroy"] = Allowed.dump_python(consent_on(destroy, name), mode="json")
        seconds = _ASK_SECONDS * max(1.0, len(study.systems) / PER_SYSTEMS)
        answers = hosts.cluster.ask_each(words, question, seconds)
        hosts.require(answers)
        return answers

    def _hosts(self, fleet: Fleet) -> Hosts:
        from fsgauge.rig.fleet.hosts import started_hosts
        from fsgauge.rig.fleet.identity import require_alike, require_same

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
        from fsgauge.rig.fleet.launcher import command, kubernetes

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
