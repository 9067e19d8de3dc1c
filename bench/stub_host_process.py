"""Many hosts of a fleet in one process, without engines: they register, live, and answer.

Started by bench/stub_fleet.py. Bootstraps come as lines of JSON on standard input; the process ends
with it. Connections, certificates and plugin are the real ones.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading

from fsgauge.rig.fleet.launcher.launcher import Bootstrap, read_bootstrap
from fsgauge.rig.fleet.nodes import FleetWorker, configure


async def serve(bootstraps: list[Bootstrap], folder: str) -> None:
    """All of them, until standard input is closed."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()

    def watch() -> None:
        sys.stdin.read()
        loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=watch, daemon=True).start()
    workers = [FleetWorker.of(each, folder) for each in bootstraps]
    await asyncio.gather(*workers)
    await ended.wait()


def main() -> None:
    """Read so many bootstraps as the first line says."""
    count = int(sys.stdin.readline())
    bootstraps = [read_bootstrap(sys.stdin.readline()) for _ in range(count)]
    configure()
    with tempfile.TemporaryDirectory(prefix="fsgauge-bench-") as folder:
        asyncio.run(serve(bootstraps, folder))


if __name__ == "__main__":
    main()
