"""After a death: undo what the ledgers of dead runs list, and say so.

A run died by a kill, or ended by itself and could not undo all (its server was gone).
A ledger whose lock is free belongs to a dead run: the lock went with the process.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from fsgauge.errors import FsgaugeError
from fsgauge.host import ledger_folder as folders
from fsgauge.host.ledger_folder import SUFFIX, lock_of_all, private_folder, read_ledger, try_lock
from fsgauge.host.marked_folder import owner_of, remove_marked
from fsgauge.host.processes import boot_id, end_children_of_run
from fsgauge.own_names import PREFIX

_LEDGERS_LIMIT = 1000
_LASTING_SCRATCH = Path("/var/tmp")  # noqa: S108 - only marked folders of this user are touched


def clean_up_after_the_dead() -> list[str]:
    """Undo what dead runs of this user left; sentences that say what was done or could not be."""
    folder = folders.ledger_folder()
    if not folder.is_dir():
        return _clean_lasting_scratch(set())
    folder = private_folder()
    said: list[str] = []
    for path in sorted(folder.glob(f"*{SUFFIX}"))[:_LEDGERS_LIMIT]:
        said += _clean_up(path)
    living = {path.name.removesuffix(SUFFIX) for path in folder.glob(f"*{SUFFIX}")}
    return said + _clean_lasting_scratch(living)


def _clean_up(path: Path) -> list[str]:
    """Undo one ledger's traces if its owner is dead; two cleaners never work on one ledger."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return []
    try:
        with lock_of_all(path.parent):
            dead = try_lock(descriptor) and path.exists()
        return _undo_all(path, descriptor) if dead else []
    finally:
        os.close(descriptor)


def _undo_all(path: Path, descriptor: int) -> list[str]:
    owner, pending = read_ledger(path)
    if owner is None:
        path.unlink()
        return []
    same_boot = owner.boot_id == boot_id()
    ended = end_children_of_run(owner.token) if same_boot else []
    said = [f"ended {process}, left by an earlier run" for process in ended]
    failed, forgettable = False, True
    for number, trace in reversed(pending):
        if not same_boot and not trace.outlives_a_boot:
            continue
        try:
            sentence = trace.undo_for_the_dead()
        except (FsgaugeError, OSError) as error:
            failed = True
            said.append(_failure(error))
            forgettable = forgettable and trace.may_be_forgotten
            continue
        os.write(descriptor, (json.dumps({"undone": number}) + "\n").encode())
        said += [f"{sentence}, left by an earlier run"] if sentence else []
    if not failed:
        path.unlink()
    elif forgettable:
        said[-1] += f"; remove it there by hand and forget it here: rm {path}"
    return said


def _failure(error: Exception) -> str:
    if isinstance(error, FsgaugeError):
        because = "; ".join(filter(None, (*error.details, error.cause, error.next)))
        return f"left by an earlier run: {error.what}" + (f" ({because})" if because else "")
    return f"left by an earlier run: {error}"


def _clean_lasting_scratch(living: set[str]) -> list[str]:
    """Folders in /var/tmp from before the last boot: their ledgers in /run went with it."""
    said = []
    for path in sorted(_LASTING_SCRATCH.glob(f"{PREFIX}*"))[:_LEDGERS_LIMIT]:
        owner = owner_of(path)
        if owner is None or owner.token in living or path.lstat().st_uid != os.geteuid():
            continue
        if owner.boot_id != boot_id() and remove_marked(path, owner.token):
            said.append(f"removed {path}, left by a run that a reboot ended")
    return said
