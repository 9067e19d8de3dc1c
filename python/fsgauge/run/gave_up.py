"""A run in which most clients gave up, or most files were given up, ends the study: what the others
did is not what was asked.
"""

from __future__ import annotations

from fsgauge.errors import RigError
from fsgauge.factors import factors_of
from fsgauge.record import RunRecord
from fsgauge.wire import ClientErrorKind, ClientsResult

_NEEDED: dict[ClientErrorKind, str] = {
    "quota": "a larger quota for this user on that file system, or fewer files",
    "too_many_open_files": "a higher limit of open files (ulimit -Hn), or fewer workload.clients",
    "permission_denied": "a folder in which this user may make directories and files",
    "read_only": "a file system that is mounted for writing; dmesg | tail says why it is not",
    "exists": "an empty folder: something else makes files of the same names",
    "missing": "a folder that nothing else removes while the study runs",
    "io": "healthy storage: dmesg | tail",
    "connection_refused": "a server that listens on that port and takes so many connections: its"
    " limit of connections or processes, and net.core.somaxconn; or fewer workload.clients",
    "connection_lost": "a server that stays up: its log says why it dropped its sessions",
    "timed_out": "a server that answers within 30 s: look at its load and at the network",
    "login_refused": "the user's password (FSGAUGE_SMB_PASSWORD, or access.password_file), and a"
    " server that takes so many sessions of one user",
    "protocol": "a server that speaks this version: --set access.smb_dialect=2.1 is an older one",
    "short": "a folder in which nothing else changes files while the study runs",
}


def require_clients(record: RunRecord) -> None:
    """Raise RigError that says what is needed; the record is stored already."""
    clients = record.result.clients if record.result else None
    if clients is None or not record.most_gave_up:
        return
    error = max(clients.errors, key=lambda each: each.count, default=None)
    lost = _lost(clients, factors_of(record.cell).at_once)
    raise RigError(
        f'{lost} in "{record.cell.name}" on "{record.system}"',
        details=_counted(clients),
        cause=f"{error.message}: {error.first_path}" if error else "",
        next=_needed(record, error.kind) if error else "dmesg | tail",
    )


def _lost(clients: ClientsResult, of: int) -> str:
    """ "30 of 40 clients gave up"; of clients that all went on, "90 of 90 files were given up"."""
    if 2 * clients.clients_gave_up > of:
        return f"{clients.clients_gave_up} of {of} client{'s' if of > 1 else ''} gave up"
    tried = clients.files + clients.files_given_up
    return f"{clients.files_given_up} of {tried} file{'s were' if tried > 1 else ' was'} given up"


def _needed(record: RunRecord, kind: ClientErrorKind) -> str:
    """What would let the clients do their work."""
    if kind == "no_space":
        return factors_of(record.cell).more_space
    return _NEEDED.get(kind, "dmesg | tail")


_ENDS_ALL = ("network.", "password.")
"""Codes of faults that the next run would meet as well."""


def require_server(record: RunRecord) -> None:
    """Raise RigError where clients could not even begin to talk to the server."""
    fault = record.fault
    if fault is not None and fault.code.startswith(_ENDS_ALL):
        raise RigError(
            fault.what,
            details=(f'in "{record.cell.name}" on "{record.system}"',),
            cause=fault.cause,
            next=fault.next or "look at the server's log",
        )


def _counted(clients: ClientsResult) -> tuple[str, ...]:
    """Errors by operation and kind, the most frequent first."""
    found = sorted(clients.errors, key=lambda each: -each.count)
    return tuple(
        f"{each.count} x {each.operation}: {each.kind.replace('_', ' ')}, the first at"
        f" {each.first_path}"
        for each in found[:6]
    )
