"""Runs the engine on broken jobs: a line of JSON an example says how it took it.

Run as `unshare --mount --net python engine_driver.py ENGINE FOLDER FIRST COUNT`; a plain user adds
`--map-root-user`. The folder is then a small file system in memory, there is no network, and a
driver that is root runs the engine as nobody: whatever a job names, nothing outside is written to.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from engine_jobs import broken_input

# A valid job takes milliseconds; a changed one may take longer, and must end when it is asked to.
_SECONDS = 0.7
_SECONDS_TO_END = 20.0
_MEMORY_BYTES = 3 << 30
_FILE_BYTES = 64 << 20
_NOBODY = 65534
_CODES = {"finished": {0, 130}, "failed": {2, 3}}
PASSWORD = "of-the-share"  # noqa: S105 - of no share


@dataclass(frozen=True)
class Ended:
    """What became of one example."""

    code: int
    last: str
    errors: str
    was_asked: bool
    seconds: float

    def fault(self) -> str | None:
        """What is wrong with it; None where it ended as the protocol says."""
        if self.code < 0:
            return f"it was ended by {signal.Signals(-self.code).name}"
        if "panicked" in self.errors or PASSWORD in self.errors + self.last:
            return "it panicked, or said the password"
        try:
            event = json.loads(self.last)
        except ValueError:
            return "its last line is no event"
        kind = event.get("event")
        if self.code not in _CODES.get(kind, set()):
            return f"it ended with code {self.code} after the event {kind}"
        if kind == "failed" and not _is_sentence(event["error"]):
            return "the failure says too little"
        return None


def _is_sentence(error: dict[str, Any]) -> bool:
    parts = (error.get(part) for part in ("code", "what", "cause", "next"))
    return all(isinstance(part, str) and part.strip() for part in parts)


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _run(engine: Path, folder: Path, text: bytes, *, drops: bool) -> Ended:
    begin = time.monotonic()
    child = subprocess.Popen(
        [engine],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={"FSGAUGE_SMB_PASSWORD": PASSWORD, "RUST_BACKTRACE": "0"},
        preexec_fn=_bounded,
        # A file that grows too large is an error, not a signal.
        restore_signals=False,
        **({"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if drops else {}),
    )
    was_asked = False
    try:
        output, errors = child.communicate(text, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        was_asked = True
        child.send_signal(signal.SIGTERM)
        try:
            output, errors = child.communicate(timeout=_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            child.kill()
            output, errors = child.communicate()
    lines = output.decode("utf-8", "replace").splitlines()
    seconds = time.monotonic() - begin
    return Ended(
        child.returncode,
        lines[-1] if lines else "",
        errors.decode("utf-8", "replace"),
        was_asked,
        seconds,
    )


def _furnish(folder: Path, *, drops: bool) -> None:
    """The places that jobs name: a folder with files, an empty one, one to serve."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("data", "served", "aged"):
        (folder / name).mkdir(parents=True)
    for name in ("f0000", "f0001", "one"):
        (folder / "data" / name).write_bytes(bytes(range(256)) * 256)
    if drops:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, _NOBODY, _NOBODY)


def main() -> None:
    """Run the examples."""
    engine, room, first, count = Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:])
    is_root = Path("/proc/self/uid_map").read_text().split()[2] != "1"
    if len(socket.if_nameindex()) > 1:
        raise SystemExit("there is a network: run it below unshare --net")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256m,mode=755", "tmpfs", room], check=True)
    engine = Path(shutil.copy2(engine, room / "engine"))
    # Deep enough that names which climb stay in the room.
    folder = room / "deep/deeper/work"
    for number in range(first, first + count):
        _furnish(folder, drops=is_root)
        text = broken_input(number)
        ended = _run(engine, folder, text, drops=is_root)
        kind = ended.last[:20].partition('":"')[2].partition('"')[0]
        line = {"number": number, "kind": kind, "fault": ended.fault(), "asked": ended.was_asked}
        if line["fault"]:
            line |= {"job": text[:3000].decode("utf-8", "replace"), "code": ended.code}
            line |= {"last": ended.last[:2000], "errors": ended.errors[:2000]}
        line["seconds"] = round(ended.seconds, 3)
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
