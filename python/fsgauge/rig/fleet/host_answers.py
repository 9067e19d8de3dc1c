"""What a host answers to the questions of control.py: in a worker of dask, and in a guest. Words
and answers are plain, and JSON where they hold a message."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

from fsgauge.errors import FsgaugeError, RigError
from fsgauge.record.records import Plan
from fsgauge.rig.fleet.clock import exchanged
from fsgauge.rig.fleet.control import Question
from fsgauge.rig.fleet.ground import Grounds, grounds_here
from fsgauge.rig.fleet.held import HeldRig, abandon
from fsgauge.rig.fleet.identity import own_identity
from fsgauge.rig.fleet.messages import Allowed, Described, Fault, Label, Sized
from fsgauge.rig.happenings import Happening
from fsgauge.rig.host.rig import HostRig
from fsgauge.study.model import Study
from fsgauge.workload.dealing import Share


class HostAnswers:
    """Holds the rig of one study at most. Public methods but `answer` and `leave` are questions.

    `seen` and `remounts` are those of HeldRig; an engine that is sent to this host lies in
    `folder`, and is gone with it.
    """

    def __init__(
        self,
        folder: Path,
        seen: Callable[[Happening], Happening] = lambda happening: happening,
        *,
        remounts: bool = False,
    ) -> None:
        self.held: HeldRig | None = None
        self._folder, self._seen, self._remounts = folder, seen, remounts
        self._run: str | None = None
        self._alone = threading.Lock()
        self._has_left = False

    def answer(self, question: str, words: Mapping[str, Any]) -> object:
        """The answer to a question; ValueError for what is not asked."""
        if question not in get_args(Question):
            raise ValueError(f'"{question}" is not asked')
        return getattr(self, question)(**words)

    def identify(self) -> str:
        return own_identity().model_dump_json()

    def attend(self) -> str:
        """How soon the answer comes may be all that the coordinator wants."""
        return "ok"

    def take_engine(self, engine: bytes, sha256: str) -> str:
        """Use this engine in place of the host's own; why that cannot be, or ""."""
        return use_engine(engine, sha256, self._folder)

    def refusals(self, study: str, destroy: dict[str, Any] | None = None) -> str:
        """What this host would refuse of a study; nothing is touched."""
        rig = HostRig(say=lambda _: None)
        consent = Allowed.validate_python(destroy)
        found = rig.refusals(Study.model_validate_json(study), consent)
        return json.dumps([Fault.of(error).model_dump() for error in found])

    def size_bytes(self, study: str) -> str:
        """How large the storage of a study will be on this host; nothing is touched."""
        asked = Study.model_validate_json(study)
        try:
            found = Sized(size_bytes=HostRig(say=lambda _: None).size_bytes(asked))
        except FsgaugeError as error:
            found = Sized(fault=Fault.of(error))
        return found.model_dump_json()

    def grounds(self, study: str) -> str:
        return Grounds.dump_json(grounds_here(Study.model_validate_json(study))).decode()

    def prepare(
        self, study: str, number: int, hosts: int, run: str, destroy: dict[str, Any] | None = None
    ) -> str:
        """Check and attach the storage of a study; "again" where this run has been prepared here,
        "busy" where an earlier study does not end."""
        asked, share = Study.model_validate_json(study), Share(number, hosts)
        consent = Allowed.validate_python(destroy)
        with self._alone:
            if self._run == run:
                return "again"
            if self._has_left or not abandon(self.held, "another study begins"):
                return "busy"
            self._run = run
            self.held = HeldRig(asked, share, consent, self._seen, remounts=self._remounts)
            self.held.begin()
        return "ok"

    def leave(self, held: HeldRig | None, because: str, *, for_good: bool) -> None:
        """End this study, if it is still the one that is held; `for_good`: none is begun again."""
        with self._alone:
            self._has_left = self._has_left or for_good
            if self.held is held or for_good:
                abandon(self.held, because)
                self.held = None

    def look(self, known: int, seconds: float) -> str:
        """Where the host is, as soon as that changes; at the latest after so many seconds."""
        return self._rig().state(known, seconds).model_dump_json()

    def describe(self) -> str:
        self._rig().describe()
        return "ok"

    def described(self) -> str:
        found = self._rig().described
        return Described.dump_json(found).decode() if found is not None else "null"

    def measure(self, plan: str, block: int) -> str:
        self._rig().block(Plan.model_validate_json(plan), block)
        return "ok"

    def arm(self, block: int, turn: int, cell: str, start_at_ns: int) -> bool:
        """Have the run that waits begin at a moment of this host's clock; False where another
        waits. The engine says so where the moment has passed."""
        return self._rig().open(Label(block=block, turn=turn, cell=cell), start_at_ns)

    def pass_meeting(self, label: dict[str, Any], offer: str) -> bool:
        return self._rig().open(Label(**label), offer)

    def compare_clock(self, job: str) -> str:
        """This host's monotonic clock against the coordinator's, by the engine."""
        return exchanged(job)

    def abort(self, because: str) -> str:
        """End the block; the rig stays open for the next one."""
        if self.held is not None:
            self.held.abort(because)
        return "ok"

    def close(self, because: str, seconds: float) -> bool:
        """End the study here; whether nothing of it is left."""
        held, self.held, self._run = self.held, None, None
        return held is None or held.close(because, seconds)

    def _rig(self) -> HeldRig:
        if self.held is None:
            raise RigError(
                "no study is prepared on this host",
                cause="it was started again, or another coordinator ended the study",
                next="fsgauge resume goes on with the study",
            )
        return self.held


def digest_of(binary: bytes) -> str:
    """SHA-256 of an engine, in hexadecimal digits."""
    return hashlib.sha256(binary).hexdigest()


def use_engine(binary: bytes, sha256: str, folder: Path) -> str:
    """Have this process use that engine from now on; why it cannot, or "". What is installed here
    is not touched."""
    if digest_of(binary) != sha256:
        return "the engine arrived damaged: its digest is another one"
    try:
        path = Path(tempfile.mkdtemp(prefix="engine-", dir=folder)) / "fsgauge-engine"
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o700), "wb") as file:
            file.write(binary)
    except OSError as error:
        return f"the engine cannot be stored in {folder}: {error.strerror}"
    if not os.access(path, os.X_OK):
        return f"no program can be run from {folder}: it is mounted noexec (TMPDIR names another)"
    os.environ["FSGAUGE_ENGINE"] = str(path)
    return ""
