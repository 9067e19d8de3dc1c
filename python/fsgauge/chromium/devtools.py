"""The DevTools protocol over two pipes: one JSON message each way, ended by a zero byte.

Pipes and not a port: no other program of this machine can speak to the browser, and it ends when
they are closed. Protocol: https://chromedevtools.github.io/devtools-protocol/, and Chromium's
--remote-debugging-pipe.
"""

from __future__ import annotations

import json
import os
import select
import time
from typing import Any

from fsgauge.errors import RigError

ANOTHER_BROWSER = "apt-get install --reinstall chromium, or print the page in any browser"

_PIECE_BYTES = 1 << 16


class DevTools:
    """Questions to a browser, one after the other, until `deadline` (of the monotonic clock)."""

    def __init__(self, to_browser: int, from_browser: int, deadline: float) -> None:
        self._to, self._from, self._deadline = to_browser, from_browser, deadline
        self._number = 0
        self._session = ""
        self._heard = bytearray()
        for descriptor in (to_browser, from_browser):
            os.set_blocking(descriptor, False)

    def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        """The answer to one command; RigError where it is refused, or comes too late."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._send(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                break
        if "error" in answer:
            raise _unknown_version(f"Chromium refused {method}: {answer['error'].get('message')}")
        return dict(answer["result"])

    def open_page(self) -> None:
        """A new, empty page, which all further questions are about."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = str(attached["sessionId"])

    def evaluate(self, script: str) -> object:
        """What JavaScript gives; of a promise, what it ends in. RigError where it throws."""
        answer = self.ask(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            thrown = answer["exceptionDetails"].get("text")
            raise _unknown_version(f"the page failed in Chromium: {thrown}")
        return answer["result"].get("value")

    def _send(self, message: bytes) -> None:
        left = memoryview(message)
        while left:
            readable, writable = self._wait([self._to])
            if readable:
                self._hear()
            if writable:
                try:
                    left = left[os.write(self._to, left[:_PIECE_BYTES]) :]
                except BrokenPipeError:
                    raise _ended() from None

    def _next(self) -> dict[str, Any]:
        """The next message, an answer or an event."""
        while (end := self._heard.find(0)) < 0:
            self._wait([])
            self._hear()
        message = bytes(self._heard[:end])
        del self._heard[: end + 1]
        return dict(json.loads(message))

    def _wait(self, writing: list[int]) -> tuple[list[int], list[int]]:
        left_seconds = self._deadline - time.monotonic()
        readable, writable, _ = select.select([self._from], writing, [], max(left_seconds, 0))
        if not readable and not writable:
            raise RigError(
                "Chromium did not answer in time",
                cause="this machine is busy, or Chromium does not work here",
                next="repeat it on a quieter machine, or print the page in any browser",
            )
        return readable, writable

    def _hear(self) -> None:
        heard = os.read(self._from, _PIECE_BYTES)
        if not heard:
            raise _ended()
        self._heard += heard


def _unknown_version(what: str) -> RigError:
    return RigError(
        what,
        cause="this version of Chromium is much older or newer than those that are known",
        next=ANOTHER_BROWSER,
    )


def _ended() -> RigError:
    return RigError(
        "Chromium ended before it had answered",
        cause="it crashed, or this machine ran out of memory",
        next=f"dmesg | tail; {ANOTHER_BROWSER}",
    )
