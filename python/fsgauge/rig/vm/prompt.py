"""The prompt of a machine on this terminal: keys go there, what it prints comes here."""

from __future__ import annotations

import os
import select
import socket
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager

LEAVE = b"\x1d"
"""Ctrl-], which leaves the prompt and ends the machine."""
_OFF = b"\npoweroff -f\n"
_PIECE_BYTES = 1 << 14


def join(machine: socket.socket) -> None:
    """Until the machine ends or Ctrl-] is pressed.

    Where the standard input is no terminal, its lines are typed, and the machine is turned off
    after the last one.
    """
    keys: int | None = sys.stdin.fileno()
    with _raw(sys.stdin.fileno()):
        while True:
            waited = [machine.fileno(), *([keys] if keys is not None else [])]
            ready, _, _ = select.select(waited, [], [])
            if machine.fileno() in ready and not _show(machine):
                return
            if keys is None or keys not in ready:
                continue
            typed = os.read(keys, _PIECE_BYTES)
            if LEAVE in typed and os.isatty(keys):
                return
            if not typed:
                keys, typed = None, _OFF
            machine.sendall(typed)


def _show(machine: socket.socket) -> bool:
    try:
        piece = machine.recv(_PIECE_BYTES)
    except OSError:
        return False
    if piece:
        sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    return bool(piece)


@contextmanager
def _raw(terminal: int) -> Iterator[None]:
    """Each key as it is pressed, without its echo here."""
    if not os.isatty(terminal):
        yield
        return
    before = termios.tcgetattr(terminal)
    try:
        tty.setraw(terminal)
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
