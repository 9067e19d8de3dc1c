"""One child that draws for all commands of a process of tests, one after the other.

    python -P tests/drawing_server.py DESCRIPTOR      a socket over which the askers' sockets come

Each socket is served as fsgauge.report.drawing serves its standard streams, by its own code.
"""

from __future__ import annotations

import io
import os
import socket
import sys
import threading

from fsgauge.report.drawing import __main__ as drawing


class _Streams(threading.local):
    """Standard input and output of the thread that serves one asker."""

    buffer: io.BufferedIOBase


def main(requests: socket.socket) -> None:
    sys.stdin, sys.stdout = _Streams(), _Streams()  # type: ignore[assignment]
    while True:
        word, descriptors, _, _ = socket.recv_fds(requests, 1, 1)
        if not word:
            os._exit(0)
        threading.Thread(target=_serve, args=(socket.socket(fileno=descriptors[0]),)).start()


def _serve(asker: socket.socket) -> None:
    with asker, asker.makefile("rb") as questions, asker.makefile("wb") as answers:
        sys.stdin.buffer, sys.stdout.buffer = questions, answers  # type: ignore[misc]
        drawing.main()


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
