"""The process on a host: one dask worker that holds the host's rig, for as long as it is wanted.

It ends when its standard input does (the coordinator, or the ssh that it came by, is gone), when
the scheduler is gone, on a signal, or once the coordinator asks nothing any more. However it ends,
what the study made on this host is undone first; what a kill leaves is in the ledger, and the next
fsgauge command on this host undoes it.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from fsgauge.errors import InputError
from fsgauge.plain_files import read_named
from fsgauge.rig.fleet.launcher.launcher import LONGEST_BYTES, Bootstrap, read_bootstrap

_DEATH_SECONDS = 60
_FIRST_WORD_SECONDS = 60.0


def serve_standard_input() -> int:
    serve(read_bootstrap(_first_line()), lease=sys.stdin.fileno())
    return 0


def serve_file(path: Path) -> int:
    """The same with a bootstrap from a file, where there is no one at the standard input."""
    text = read_named(path, LONGEST_BYTES)  # a Secret of Kubernetes lies behind links
    serve(read_bootstrap(text.decode("utf-8", errors="replace")), lease=None)
    return 0


def serve(bootstrap: Bootstrap, lease: int | None) -> None:
    """Serve until the coordinator ends it or is gone; `lease` is the descriptor that says so."""
    asyncio.run(_serve(bootstrap, lease))


async def _serve(bootstrap: Bootstrap, lease: int | None) -> None:
    from fsgauge.rig.fleet.nodes import FleetWorker, configure

    configure()
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    if lease is not None:
        _watch(lease, partial(loop.call_soon_threadsafe, ended.set))
    with tempfile.TemporaryDirectory(prefix="fsgauge-host-", ignore_cleanup_errors=True) as folder:
        async with FleetWorker.of(
            bootstrap, folder, death_timeout=_DEATH_SECONDS, silence_logs=False
        ) as worker:
            closed = asyncio.ensure_future(worker.finished())
            asked = asyncio.ensure_future(ended.wait())
            await asyncio.wait({closed, asked}, return_when=asyncio.FIRST_COMPLETED)
            asked.cancel()
            with suppress(Exception):
                await worker.close(executor_wait=False)


def _watch(descriptor: int, gone: Callable[[], object]) -> None:
    """Call `gone` when the other end is closed; what comes before that is not for this process."""

    def read() -> None:
        with suppress(OSError):
            while os.read(descriptor, 1 << 16):
                continue
        gone()

    threading.Thread(target=read, name="lease", daemon=True).start()


def _first_line() -> str:
    """One line, without waiting for ever; nothing after it is taken."""
    found = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(sys.stdin, selectors.EVENT_READ)
        while not found.endswith(b"\n") and len(found) < LONGEST_BYTES:
            if not selector.select(_FIRST_WORD_SECONDS):
                raise InputError(
                    f"nothing came on standard input for {_FIRST_WORD_SECONDS:.0f} s",
                    cause="fsgauge starts this command itself, on each host",
                    next="fsgauge run STUDY --rig fleet --hosts hosts.toml",
                )
            if not (piece := os.read(sys.stdin.fileno(), 1 << 16)):
                break
            found += piece
    return found.decode("utf-8", errors="replace")
