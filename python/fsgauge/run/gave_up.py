"""A run in which most clients gave up, or most files were given up, ends the study: what the others
did is not what was asked.
"""

from __future__ import annotations

from fsgauge.engine.wire import ClientsResult
from fsgauge.errors import RigError
from fsgauge.record.factors import factors_of
from fsgauge.record.records import RunRecord
from fsgauge.stats.client_errors import ERRORS, needed


def require_clients(record: RunRecord) -> None:
    """Raise RigError that says what is needed; the record is stored already."""
    clients = record.result.clients if record.result else None
    if clients is None or not record.most_gave_up:
        return
    error = max(clients.errors, key=lambda each: each.count, default=None)
    lost = _lost(clients, factors_of(record.cell).at_once_on_all_hosts)
    raise RigError(
        f'{lost} in "{record.cell.name}" on "{record.system}"',
        details=_counted(clients),
        cause=f"{error.message}: {error.first_path}" if error else "",
        next=needed(error.kind, record.cell) if error else "dmesg | tail",
    )


def _lost(clients: ClientsResult, of: int) -> str:
    """ "30 of 40 clients gave up"; of clients that all went on, "90 of 90 files were given up"."""
    if 2 * clients.clients_gave_up > of:
        return f"{clients.clients_gave_up} of {of} client{'s' if of > 1 else ''} gave up"
    tried = clients.files + clients.files_given_up
    return f"{clients.files_given_up} of {tried} file{'s were' if tried > 1 else ' was'} given up"


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
        f"{each.count} x {each.operation}: {ERRORS[each.kind].name}, the first at {each.first_path}"
        for each in found[:6]
    )
