"""QEMU's monitor (QMP): limits of disks, their errors, and what they did, while they run."""

from __future__ import annotations

import json
import socket
import threading
import time
from typing import Any

from fsgauge.agents.agents import Lines
from fsgauge.errors import RigError
from fsgauge.rig.vm.qemu import Disk

_SECONDS = 20.0
_PIECE_BYTES = 1 << 16
_COUNTS = {
    "disk_requests": {
        "read": "rd_operations",
        "write": "wr_operations",
        "flush": "flush_operations",
    },
    "disk_bytes": {"read": "rd_bytes", "write": "wr_bytes"},
}
_EIO = 5
_SPOILED = ("read", "write", "write-zeroes", "discard")
"""A flush is not among them: QEMU itself flushes a disk before it mends it."""


class Monitor:
    def __init__(self, own: socket.socket) -> None:
        self._socket = own
        self._lines = Lines()
        self._is_ready = False
        self._asked = 0
        self._lock = threading.RLock()

    def close(self) -> None:
        self._socket.close()

    def limit_disk(self, disk: Disk, iops: int, bytes_per_second: int) -> None:
        apart = dict.fromkeys(("iops_rd", "iops_wr", "bps_rd", "bps_wr"), 0)
        limits = {"iops": iops, "bps": bytes_per_second, **apart}
        self.execute("block_set_io_throttle", id=disk.device, **limits)

    def disk_counts(self) -> dict[str, dict[str, dict[str, int]]]:
        """By a disk's device, what it did since the machine began, by counter and part."""
        asked: Any = self.execute("query-blockstats")
        return {
            str(each.get("qdev", "")): {
                name: {part: int(each["stats"].get(key, 0)) for part, key in parts.items()}
                for name, parts in _COUNTS.items()
            }
            for each in asked
            if "stats" in each
        }

    def spoil_disk(self, disk: Disk) -> None:
        """From now on it answers whatever reads, writes or discards with an error."""
        bad = f"{disk.serial}-bad"
        errors = [{"event": "none", "iotype": each, "errno": _EIO} for each in _SPOILED]
        self.execute(
            "blockdev-add",
            **{"driver": "blkdebug", "node-name": bad, "image": disk.below, "inject-error": errors},
            discard="unmap",
        )
        self.execute("blockdev-reopen", options=[disk.top(bad)])

    def mend_disk(self, disk: Disk) -> None:
        self.execute("blockdev-reopen", options=[disk.top()])
        self.execute("blockdev-del", **{"node-name": f"{disk.serial}-bad"})

    def execute(self, what: str, **arguments: object) -> object:
        """Carry out a command; RigError where QEMU refuses it or says nothing."""
        with self._lock:
            return self._execute(what, arguments)

    def _execute(self, what: str, arguments: dict[str, object]) -> object:
        if not self._is_ready:
            self._is_ready = True
            self._answer("greeting", "QMP")
            self.execute("qmp_capabilities")
        self._asked += 1
        asked = {"execute": what, "arguments": arguments, "id": self._asked}
        try:
            self._socket.settimeout(_SECONDS)
            self._socket.sendall(json.dumps(asked).encode())
        except OSError as error:
            raise _gone(error) from error
        return self._answer(what, "return")

    def _answer(self, what: str, key: str) -> object:
        ends = time.monotonic() + _SECONDS
        while time.monotonic() < ends:  # events come between answers, and one that was late
            message = self._next(what, ends)
            if message.get("id", self._asked) != self._asked:
                continue
            if "error" in message:
                raise _fault(f"QEMU refuses {what}: {_reason(message['error'])}")
            if key in message:
                return message[key]
        raise _fault(f"QEMU does not answer {what}")

    def _next(self, what: str, ends: float) -> dict[str, Any]:
        while (line := self._lines.take()) is None:
            left = ends - time.monotonic()
            self._socket.settimeout(max(0.01, left))
            try:
                piece = self._socket.recv(_PIECE_BYTES) if left > 0 else b""
            except TimeoutError:
                piece = b""
            except OSError as error:
                raise _gone(error) from error
            if not piece:
                raise _fault(f"QEMU does not answer {what}")
            try:
                self._lines.add(piece)
            except ValueError as error:
                raise _fault(f"QEMU's monitor answers {what} with {error}") from None
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise _fault(f"QEMU's monitor answers {what} with what is no message")
        return found


def _gone(error: OSError) -> RigError:
    return _fault(f"QEMU's monitor is gone: {error.strerror or error}")


def _fault(what: str) -> RigError:
    return RigError(
        what,
        cause="the machine ended or hangs, or this QEMU is older than those that are known",
        next="fsgauge rig test",
    )


def _reason(error: object) -> str:
    return str(error.get("desc", "")) if isinstance(error, dict) else str(error)
