"""The ledger: what a run makes on the host, written down and flushed before it is made.

One file a run (NDJSON: the owner, then traces as they are made and undone), locked by its owner.
A file whose lock is free belongs to a dead run: `clean_up_after_the_dead` undoes what it lists.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import signal
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from fsgauge.errors import FsgaugeError, RigError
from fsgauge.host.marked_folder import PREFIX, Owner, make_marked, owner_of, remove_marked
from fsgauge.host.processes import RUN_VARIABLE, boot_id, end_children_of_run, start_ticks
from fsgauge.host.traces import AnyTrace, FolderTrace, Trace

_TRACE: TypeAdapter[AnyTrace] = TypeAdapter(AnyTrace)
_SUFFIX = ".ledger"
_LEDGERS_LIMIT = 1000
_LOCK_SECONDS = 30.0
_ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LASTING_SCRATCH = Path("/var/tmp")  # noqa: S108 - only marked folders of this user are touched


def ledger_folder() -> Path:
    """Where ledgers and mount points are: one place for each user."""
    uid = os.geteuid()
    if uid == 0:
        return Path("/run/fsgauge")
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return Path(runtime) / "fsgauge" if runtime else Path(f"/tmp/fsgauge-{uid}")  # noqa: S108


class Ledger:
    """One run's ledger, open and locked. Make it with `opened_ledger`."""

    def __init__(self, path: Path, descriptor: int, owner: Owner) -> None:
        self.path = path
        self.owner = owner
        self._descriptor = descriptor
        self._made = 0
        self._pending: dict[int, Trace] = {}
        self._stuck = False

    @property
    def token(self) -> str:
        """Marks everything that this run makes."""
        return self.owner.token

    @property
    def mount_folder(self) -> Path:
        """Where this run's mount points are made: for this user alone."""
        return self.path.parent

    @contextmanager
    def holding(self, trace: AnyTrace) -> Iterator[None]:
        """Write `trace` down; the body makes and uses it; it is undone however the body ends."""
        number = self._made
        self._made += 1
        self._pending[number] = trace
        self._append({"made": number, "trace": trace.model_dump()})
        try:
            yield
        finally:
            self.undo_down_to(number)

    def undo_down_to(self, number: int) -> None:
        """Undo what was made from `number` on, the last first; signals wait until it is done.

        When something cannot be undone, what it stands on is left alone too: the ledger keeps
        both for the next command. Raises the RigError that says why, once.
        """
        with _signals_wait():
            for made in sorted(self._pending, reverse=True):
                if made < number or self._stuck:
                    return
                try:
                    self._pending[made].undo()
                except BaseException:
                    self._stuck = True
                    raise
                del self._pending[made]
                self._append({"undone": made})

    @contextmanager
    def folder(self, parent: Path, name: str) -> Iterator[Path]:
        """A marked folder below `parent`, there while the body runs."""
        path = parent / f"{PREFIX}{self.token}-{name}"
        with self.holding(FolderTrace(path=str(path), token=self.token)):
            make_marked(path, self.owner)
            yield path

    def close(self) -> None:
        """Let go; the file stays only while something in it is not undone."""
        with _signals_wait():
            if not self._pending:
                self.path.unlink()
            os.close(self._descriptor)

    def _append(self, entry: dict[str, object]) -> None:
        os.write(self._descriptor, (json.dumps(entry) + "\n").encode())
        os.fsync(self._descriptor)


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Block the signals that end a run; the tools that undo are started with them blocked too."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def opened_ledger() -> Iterator[Ledger]:
    """A ledger for this process; removed at the end when everything in it is undone."""
    folder = _private_folder()
    owner = Owner(
        token=secrets.token_hex(6),
        pid=os.getpid(),
        start_ticks=start_ticks(os.getpid()) or 0,
        boot_id=boot_id(),
    )
    path = folder / f"{owner.token}{_SUFFIX}"
    descriptor = _locked_new_file(path, owner)
    before = os.environ.get(RUN_VARIABLE)
    os.environ[RUN_VARIABLE] = owner.token
    ledger = Ledger(path, descriptor, owner)
    try:
        yield ledger
    finally:
        try:
            ledger.undo_down_to(0)
        finally:
            _restore_environment(before)
            ledger.close()


def clean_up_after_the_dead() -> list[str]:
    """Undo what killed runs of this user left; sentences that say what was done or could not be."""
    folder = ledger_folder()
    if not folder.is_dir():
        return _clean_lasting_scratch(set())
    folder = _private_folder()
    said: list[str] = []
    for path in sorted(folder.glob(f"*{_SUFFIX}"))[:_LEDGERS_LIMIT]:
        said += _clean_up(path)
    living = {path.name.removesuffix(_SUFFIX) for path in folder.glob(f"*{_SUFFIX}")}
    return said + _clean_lasting_scratch(living)


def _clean_up(path: Path) -> list[str]:
    """Undo one ledger's traces if its owner is dead; two cleaners never work on one ledger."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return []
    try:
        with _lock_of_all(path.parent):
            dead = _try_lock(descriptor) and path.exists()
        return _undo_all(path, descriptor) if dead else []
    finally:
        os.close(descriptor)


def _undo_all(path: Path, descriptor: int) -> list[str]:
    owner, pending = _pending(path)
    if owner is None:
        path.unlink()
        return []
    same_boot = owner.boot_id == boot_id()
    ended = end_children_of_run(owner.token) if same_boot else []
    said = [f"ended {process}, left by a killed run" for process in ended]
    failed = False
    for number, trace in reversed(pending):
        if not same_boot and not trace.outlives_a_boot:
            continue
        try:
            sentence = trace.undo_for_the_dead()
        except (FsgaugeError, OSError) as error:
            failed = True
            said.append(_failure(error))
            continue
        os.write(descriptor, (json.dumps({"undone": number}) + "\n").encode())
        said += [f"{sentence}, left by a killed run"] if sentence else []
    if not failed:
        path.unlink()
    return said


def _failure(error: Exception) -> str:
    if isinstance(error, FsgaugeError):
        because = "; ".join(filter(None, (*error.details, error.cause)))
        return f"left by a killed run: {error.what}" + (f" ({because})" if because else "")
    return f"left by a killed run: {error}"


def _pending(path: Path) -> tuple[Owner | None, list[tuple[int, Trace]]]:
    """The owner and what is made and not undone, in the order of making.

    A last line that the kill cut short describes something that was not made yet.
    """
    owner: Owner | None = None
    pending: dict[int, Trace] = {}
    for line in path.read_bytes().splitlines():
        try:
            entry = json.loads(line)
            if "owner" in entry:
                owner = Owner.model_validate(entry["owner"])
            elif "made" in entry:
                pending[entry["made"]] = _TRACE.validate_python(entry["trace"])
            else:
                pending.pop(entry["undone"], None)
        except (ValueError, KeyError, TypeError, ValidationError):
            continue
    return owner, list(pending.items())


def _locked_new_file(path: Path, owner: Owner) -> int:
    """Create, lock and begin the ledger, under the lock of all: a free lock means a dead owner."""
    with _lock_of_all(path.parent):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(descriptor, (json.dumps({"owner": owner.model_dump()}) + "\n").encode())
        os.fsync(descriptor)
    return descriptor


@contextmanager
def _lock_of_all(folder: Path) -> Iterator[None]:
    """Held for moments only, while a ledger is begun or found dead."""
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    deadline = time.monotonic() + _LOCK_SECONDS
    try:
        while not _try_lock(descriptor):
            if time.monotonic() > deadline:
                raise RigError(
                    f"another fsgauge process holds {folder / 'lock'} and does not let go",
                    next=f"fuser -v {folder / 'lock'}",
                )
            time.sleep(0.01)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _private_folder() -> Path:
    """The ledger folder, made if needed; RigError when it is not this user's alone."""
    folder = ledger_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.lstat()
    ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    if not ours or status.st_mode & 0o022:
        raise RigError(
            f"{folder} can be written by others, so nothing is recorded there",
            next=f"look at it, then: rm -r {folder}",
        )
    return folder


def _restore_environment(before: str | None) -> None:
    if before is None:
        os.environ.pop(RUN_VARIABLE, None)
    else:
        os.environ[RUN_VARIABLE] = before


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
