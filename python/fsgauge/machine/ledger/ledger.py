"""The ledger: what a run makes on the host, written down and flushed before it is made.

One file a run, locked by its owner while it lives; see ledger_folder.py for its form. What the run
of a killed owner left is undone by the next one.
"""

from __future__ import annotations

import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fsgauge.errors import FsgaugeError, RigError, quoted
from fsgauge.machine.folder.marked_folder import Owner, make_marked
from fsgauge.machine.folder.open_folder import OpenFolder, cannot_open, open_place
from fsgauge.machine.ledger import ledger_folder
from fsgauge.machine.ledger.traces import AnyTrace, FolderTrace, Trace
from fsgauge.machine.process import processes
from fsgauge.plain_files.opening import closing
from fsgauge.programs.starting import undisturbed
from fsgauge.record.conditions import TOKEN_BYTES, own_name

_LEDGERS_LIMIT = 1000
_DYING_SECONDS = 5.0
"""How long a lock may outlive its owner: a child that was killed before its exec still holds it."""


class Ledger:
    def __init__(self, path: Path, descriptor: int, owner: Owner) -> None:
        self.path = path
        self.owner = owner
        self._descriptor = descriptor
        self._made = 0
        self._pending: dict[int, Trace] = {}
        self._stuck = False

    @property
    def token(self) -> str:
        return self.owner.token

    @property
    def mount_folder(self) -> Path:
        return ledger_folder.mount_folder(self.path.parent)

    @contextmanager
    def holding(self, trace: AnyTrace) -> Iterator[int]:
        """Write `trace` down; the body makes and uses it; it is undone however the body ends. Gives
        its number. When the body fails and what it made cannot be undone, the body's error comes
        first."""
        number = self._made
        self._made += 1
        self._write(number, trace)
        try:
            yield number
        except BaseException as first:
            self._undo_after(first, number)
            raise
        self.undo_down_to(number)

    def becomes(self, trace: AnyTrace, now: AnyTrace) -> None:
        number = next(made for made, held in self._pending.items() if held is trace)
        self._write(number, now)

    def own_name(self, purpose: str) -> str:
        return own_name(self.token, purpose)

    def undo_down_to(self, number: int) -> None:
        """Undo what was made from `number` on, the last first; signals wait until it is done. When
        something cannot be undone, what is below it is left alone too: the ledger keeps both for
        the next command. Raises the RigError that says why, once."""
        with undisturbed():
            for made in sorted(self._pending, reverse=True):
                if made < number or self._stuck:
                    return
                if self._pending[made].stays:
                    continue
                try:
                    self._pending[made].undo()
                except BaseException:
                    self._stuck = True
                    raise
                self._forget(made)

    def _forget(self, number: int) -> None:
        """Undone twice does no harm, so this need not be on disk before the next line is."""
        del self._pending[number]
        with suppress(RigError):
            ledger_folder.append_entry(
                self.path, self._descriptor, {"undone": number}, durably=False
            )

    def _undo_after(self, first: BaseException, number: int) -> None:
        try:
            self.undo_down_to(number)
        except FsgaugeError as second:
            told = f"and {_in_one_line(second)}"
            if isinstance(first, FsgaugeError):
                first.details = (*first.details, told)
            else:
                first.add_note(told)

    @contextmanager
    def folder(self, parent: Path, name: str) -> Iterator[Path]:
        with open_place(parent) as place, self.scratch(place, name, self.token) as folder:
            yield folder.path

    @contextmanager
    def scratch(self, place: OpenFolder, name: str, token: str = "") -> Iterator[OpenFolder]:
        """A marked folder in an open one, open itself while the body runs. Without a `token` its
        name is random, so that no one can take it first. RigError where somebody has renamed or
        replaced the folder by the time that the body ends well."""
        own = own_name(token or secrets.token_hex(TOKEN_BYTES), name)
        trace = FolderTrace(path=str(place.path / own), token=self.token)
        with self.holding(trace) as number:
            try:
                folder = make_marked(place, own, self.owner)
            except RigError:
                self._forget(number)  # what has its name is not ours, and nothing of ours is left
                raise
            except OSError as error:
                raise cannot_open(place.path, error) from error
            self._write(number, trace.made_as(folder))
            yield folder
            if number in self._pending:
                folder.require_still()

    def _write(self, number: int, trace: Trace) -> None:
        """Of a trace that is written again, the last one counts."""
        self._pending[number] = trace
        entry = {"made": number, "trace": trace.model_dump()}
        ledger_folder.append_entry(self.path, self._descriptor, entry)

    def close(self) -> None:
        with undisturbed():
            if not self._pending:
                self.path.unlink()
            os.close(self._descriptor)


@contextmanager
def opened_ledger() -> Iterator[Ledger]:
    """A ledger for this process; removed at the end when everything in it is undone."""
    folder = ledger_folder.private_folder()
    owner = Owner(
        token=secrets.token_hex(TOKEN_BYTES),
        pid=os.getpid(),
        start_ticks=processes.start_ticks(os.getpid()) or 0,
        boot_id=processes.boot_id(),
    )
    path = folder / f"{owner.token}{ledger_folder.SUFFIX}"
    descriptor = ledger_folder.begin_ledger(path, owner)
    before = os.environ.get(processes.RUN_VARIABLE)
    os.environ[processes.RUN_VARIABLE] = owner.token
    ledger = Ledger(path, descriptor, owner)
    try:
        yield ledger
    finally:
        try:
            ledger.undo_down_to(0)
        finally:
            if before is None:
                os.environ.pop(processes.RUN_VARIABLE, None)
            else:
                os.environ[processes.RUN_VARIABLE] = before
            ledger.close()


def clean_up_after_the_dead() -> list[str]:
    """Undo what dead runs of this user left; a sentence for each thing done or not possible."""
    said: list[str] = []
    deadline = time.monotonic() + _DYING_SECONDS
    for path in ledger_folder.ledgers()[:_LEDGERS_LIMIT]:
        try:
            said += _clean_up(path, deadline)
        except OSError as error:
            said.append(_left_alone(path, error.strerror or str(error)))
    return said


def _clean_up(path: Path, deadline: float) -> list[str]:
    """Undo one ledger's traces if its owner is dead; two cleaners never work on one ledger."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            return [_left_alone(path, "it is not a plain file of this user")]
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return []
    with closing(descriptor):
        while not (locked := _lock(path, descriptor)) and _is_dying(descriptor):
            if time.monotonic() > deadline:
                break
            time.sleep(0.02)
        return _undo_all(path, descriptor) if locked and path.exists() else []


def _lock(path: Path, descriptor: int) -> bool:
    with ledger_folder.lock_of_all(path.parent):
        return ledger_folder.try_lock(descriptor)


def _is_dying(descriptor: int) -> bool:
    """Whether the owner is gone, so that what holds its lock is about to go as well."""
    owner = ledger_folder.read_ledger(descriptor).owner
    return (
        owner is not None
        and owner.boot_id == processes.boot_id()
        and processes.has_ended(owner.pid, owner.start_ticks)
    )


def _left_alone(path: Path, why: str) -> str:
    return f"{path} is not a readable ledger: {why}; inspect it, then: rm -r {quoted(path)}"


def _undo_all(path: Path, descriptor: int) -> list[str]:
    entries = ledger_folder.read_ledger(descriptor)
    owner = entries.owner
    if owner is None:
        if entries.unreadable:
            return [_left_alone(path, "it does not name its owner")]
        path.unlink()
        return []
    same_boot = owner.boot_id == processes.boot_id()
    ended = processes.end_children_of_run(owner.token) if same_boot else []
    said = [f"ended {process}, left by an earlier run" for process in ended]
    failed, forgettable = False, True
    for number, trace in reversed(entries.pending):
        if not same_boot and not trace.outlives_a_boot:
            continue
        try:
            sentence = trace.undo_for_the_dead() if same_boot else trace.undo_after_a_boot()
        except (FsgaugeError, OSError) as error:
            failed = True
            said.append(_failure(error))
            forgettable = forgettable and trace.may_be_forgotten
            continue
        with suppress(RigError):  # undone twice does no harm
            ledger_folder.append_entry(path, descriptor, {"undone": number})
        said += [f"{sentence}, left by an earlier run"] if sentence else []
    if entries.unreadable:
        return [*said, _unread(path, entries.unreadable)]
    if not failed:
        path.unlink()
    elif forgettable:
        said[-1] += f"; see to it by hand, and forget it here: rm {quoted(path)}"
    return said


def _unread(path: Path, lines: int) -> str:
    count = "a line" if lines == 1 else f"{lines} lines"
    return (
        f"{count} of {path} cannot be read: an earlier run, of another version or on a disk that"
        f" corrupted data, may have left more; inspect it, then: rm {quoted(path)}"
    )


def _failure(error: Exception) -> str:
    words = _in_one_line(error) if isinstance(error, FsgaugeError) else str(error)
    return f"left by an earlier run: {words}"


def _in_one_line(error: FsgaugeError) -> str:
    because = "; ".join(filter(None, (*error.details, error.cause, error.next)))
    return error.what + (f" ({because})" if because else "")
