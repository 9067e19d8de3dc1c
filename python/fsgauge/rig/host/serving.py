"""A served system: what is checked before the start, and the server around a system's folders."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TypeVar

from fsgauge.access import SERVERS, Clients, Server, ServerKind, served
from fsgauge.access.kind import Account
from fsgauge.engine.wire import FilesTarget
from fsgauge.errors import InputError, RigError
from fsgauge.machine.facts.limits import available_memory_bytes
from fsgauge.machine.facts.pseudo_files import number_in, text_of
from fsgauge.machine.folder.open_folder import OpenFolder, open_place
from fsgauge.machine.ledger.ledger import Ledger
from fsgauge.machine.process.own_network import own_network
from fsgauge.machine.process.tool import find_tool, run_tool
from fsgauge.plain_files.opening import names_in
from fsgauge.record.records import SystemFacts
from fsgauge.study.model import PathStorage, Study, System
from fsgauge.study.reached import access_of
from fsgauge.units import format_size
from fsgauge.workload.folders import ClientFolders, Place, ServedFiles

P = TypeVar("P", bound=Place)
_PACKAGES = {
    "unshare": "util-linux",
    "setpriv": "util-linux",
    "mount": "mount",
    "hostname": "hostname",
}
"""Programs beside a server that no package of its own brings, on Debian."""
_ANSWER_SECONDS = 10.0
_SPARE_PROCESSES = 64
_SPARE_SOCKETS = 64
_PORT_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_MOST_PROCESSES = (Path("/proc/sys/kernel/pid_max"), Path("/proc/sys/kernel/threads-max"))


def check_servers(study: Study) -> None:
    """RigError where a server is not installed or the machine cannot carry its clients. InputError
    where it would not accept a system's options."""
    for kind in dict.fromkeys(_server_over(study, system) for system in study.systems):
        if kind is not None:
            _check_server(kind, study)


def _server_over(study: Study, system: System) -> ServerKind | None:
    """The server that the study starts over a system; None where it starts none."""
    return SERVERS.get(access_of(study, system).server)


def _check_server(kind: ServerKind, study: Study) -> None:
    require_installed(kind)
    if os.geteuid() != 0:
        raise RigError(
            f"starting {kind.title} for several users needs root",
            cause="this is an ordinary user",
            next="sudo fsgauge ..., or without --serve",
        )
    _require_storage_of_its_own(kind, study)
    kind.account()
    require_surroundings(kind)
    for system in study.systems:
        if _server_over(study, system) is kind:
            kind.check_options(access_of(study, system), system.server)
    clients = study.workload.connections
    _require_processes(kind, clients)
    _require_ports(kind, clients)
    _require_memory(kind, clients)


def require_surroundings(kind: ServerKind) -> None:
    """RigError where a server cannot be kept apart from this machine, or ended with fsgauge."""
    with own_network():
        pass
    words = ["unshare", "--uts", "--pid", "--fork", "--kill-child", "true"]
    said = run_tool(words)
    if said.exit_code != 0:
        raise RigError(
            f"{kind.title} cannot have private process ids and a private host name here",
            details=(" ".join(words), *said.words.splitlines()[-2:]),
            cause="a container without CAP_SYS_ADMIN, or a kernel without these namespaces",
            next="run it outside of the container, or without --serve",
        )
    kind.require_possible()


def _require_storage_of_its_own(kind: ServerKind, study: Study) -> None:
    """InputError where clients could name files that are not the study's."""
    if kind.reaches_whole_file_systems and isinstance(study.storage, PathStorage):
        raise InputError(
            f"{kind.title} does not serve a folder of a file system that holds other files:"
            f" {study.storage.path}",
            cause="an NFS file handle can name any file of the file system, even outside the"
            " folder, and the server would open it",
            next="--storage loop or a whole device, --serve samba, or without --serve",
        )


def require_installed(kind: ServerKind) -> None:
    """RigError with the command that installs it."""
    lack = lack_of(kind)
    if lack:
        raise RigError(
            f"{kind.title} is not installed here: {lack}",
            next=f"{install_of(kind)}, or without --serve: over paths",
        )


def lack_of(kind: ServerKind) -> str:
    """What is not installed of a server: "ganesha.nfsd, unshare are missing"; "" when it is
    whole."""
    missing = _programs_missing(kind)
    words = ", ".join(missing) or kind.lacks()
    return f"{words} {'are' if len(missing) > 1 else 'is'} missing" if words else ""


def install_of(kind: ServerKind) -> str:
    """The command that brings what is missing: the server's packages, and the system's own."""
    missing = _programs_missing(kind)
    found = [_PACKAGES[program] for program in missing if program in _PACKAGES]
    system = list(dict.fromkeys(found))
    if missing and len(found) == len(missing):
        return f"apt-get install {' '.join(system)}"
    return " ".join([kind.install, *system])


def _programs_missing(kind: ServerKind) -> list[str]:
    return [program for program in kind.programs if find_tool(program) is None]


@contextmanager
def shared(
    study: Study,
    system: System,
    folders: P,
    held: OpenFolder | None,
    names: Sequence[str],
    ledger: Ledger,
) -> Iterator[tuple[P | ClientFolders | ServedFiles, Server | None]]:
    """The folders as clients reach them: through the system's server, if it has one. `held` is what
    is shared, where others could replace it; `names` are those of the folders in it in which
    clients work."""
    kind = _server_over(study, system)
    if kind is None or not isinstance(folders, ClientFolders | FilesTarget):
        yield folders, None
        return
    account = kind.account()
    files = directory = Path(folders.directory)
    if isinstance(folders, FilesTarget):
        names, directory = [files.name], files.parent
    with nullcontext(held) if held is not None else open_place(directory) as root:
        _give(root, names, account)
    directory = directory if held is None else Path(held.pinned)
    clients = Clients(access_of(study, system), study.workload.connections)
    with served(kind, directory, clients, system.server, ledger, account) as server:
        if isinstance(folders, ClientFolders):
            yield folders.model_copy(update={"share": server.target}), server
            return
        share = server.target.model_copy(update={"directory": files.name})
        yield ServedFiles(share=share, **folders.model_dump(exclude={"kind"})), server


def _give(root: OpenFolder, names: Sequence[str], account: Account) -> None:
    """Folders of a root, and the files in them, are the account's; it may enter the root."""
    user, group = account.user_id, account.group_id
    for name in names:
        with root.opened(root.path / name) as folder:
            for file in names_in(folder):
                os.chown(file, user, group, dir_fd=folder, follow_symlinks=False)
            os.fchown(folder, user, group)
    with root.opened(root.path) as folder:
        os.fchown(folder, 0, group)
        os.fchmod(folder, 0o750)


def with_server(facts: SystemFacts, server: Server | None) -> SystemFacts:
    if server is None:
        return facts
    found = server.facts
    details = {"server": f"{found.name} {found.version}", "protocol": found.protocol}
    if found.options:
        details["server options"] = ", ".join(f"{k} = {v}" for k, v in found.options.items())
    return facts.model_copy(update={"details": {**facts.details, **details}})


def require_answer(host: str, port: int) -> None:
    """RigError where there is no such host, or nobody answers at a server's port."""
    try:
        with socket.create_connection((host, port), timeout=_ANSWER_SECONDS):
            return
    except socket.gaierror as error:
        raise RigError(
            f"there is no host {host}", cause=str(error.strerror), next=f"getent hosts {host}"
        ) from None
    except OSError as error:
        refused = isinstance(error, ConnectionRefusedError)
        raise RigError(
            f"no server answers at {host}:{port}",
            cause="nothing listens on that port" if refused else f"{error}",
            next=f"start the server, or name its port: {host}:PORT",
        ) from None


def _require_processes(kind: ServerKind, clients: int) -> None:
    needed = clients * kind.processes_for_a_client + _SPARE_PROCESSES
    running = sum(entry.name.isdecimal() for entry in os.scandir("/proc"))
    for path in _MOST_PROCESSES:
        limit = number_in(path)
        if limit is not None and kind.processes_for_a_client and running + needed > limit:
            raise RigError(
                f"{kind.title} would have a process for each of {clients} clients, and"
                f" {path.name} is {limit}",
                cause=f"{running} processes are there already",
                next=f"sysctl kernel.{path.name}={2 * (running + needed)}, or fewer"
                " workload.clients",
            )


def _require_ports(kind: ServerKind, clients: int) -> None:
    """Each connection has a port of its own on the clients' side."""
    try:
        first, last = map(int, (text_of(_PORT_RANGE) or "").split())
    except ValueError:
        return
    needed = clients * kind.sockets_for_a_client + _SPARE_SOCKETS
    if needed > last - first:
        raise RigError(
            f"{clients:,} clients need {needed:,} ports, and this machine has {last - first:,}",
            next="sysctl net.ipv4.ip_local_port_range='1025 65000', or fewer workload.clients",
        )


def _require_memory(kind: ServerKind, clients: int) -> None:
    needed, there = clients * kind.memory_for_a_client_bytes, available_memory_bytes()
    if there is not None and needed > there:
        raise RigError(
            f"{kind.title} needs about {format_size(needed)} for {clients:,} clients, and"
            f" {format_size(there)} of memory are available",
            next="fewer workload.clients, or more memory",
        )
