"""One run of Chromium: bounded in time, a profile of its own, no network; nothing of it stays."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fsgauge.chromium.devtools import ANOTHER_BROWSER, DevTools
from fsgauge.errors import RigError
from fsgauge.programs import Process, child_environment, search_path, start

LIMIT_SECONDS = 60.0
_END_SECONDS = 5.0
_PAUSE_SECONDS = 0.05
_LINES = 5
"""Of what Chromium said, in an error."""

_FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--no-first-run",
    "--no-default-browser-check",
    "--password-store=basic",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--hide-scrollbars",
    # No network: no name is resolved, no address reached, nothing is fetched for the browser.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
)
_PIPES = 'exec "$@" 3<&0 4>&1 </dev/null 1>&2'
"""Chromium reads commands from descriptor 3 and answers on 4."""


@contextmanager
def chromium(program: str, seconds: float = LIMIT_SECONDS) -> Iterator[DevTools]:
    """A browser with one empty page, gone with its profile when the context ends.

    RigError where it does not start, fails, or takes longer than `seconds`.
    """
    profile = Path(tempfile.mkdtemp(prefix="fsgauge-chromium-"))
    try:
        said = profile / "said"
        try:
            with _started(program, profile, said) as process:
                yield _connected(process, time.monotonic() + seconds)
        except RigError as error:
            raise _with_words(error, said) from error
    finally:
        _remove(profile)


@contextmanager
def _started(program: str, profile: Path, said: Path) -> Iterator[Process]:
    # Only root: the sandbox of Chromium does not work for root, and matters for all others.
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    command = [program, *_FLAGS, *sandbox, f"--user-data-dir={profile / 'profile'}"]
    process = None
    try:
        with said.open("wb") as words:
            process = start(
                ["/bin/sh", "-c", _PIPES, "sh", *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=words,
                environment=_environment(profile),
                folder=profile,
                dies_with_us=True,
            )
        yield process
    finally:
        if process is not None:
            _end(process)


def _environment(profile: Path) -> dict[str, str]:
    """Chromium keeps its files below the profile, and speaks to no desktop."""
    home = str(profile)
    places = dict.fromkeys(("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), home)
    return child_environment(**places, DBUS_SESSION_BUS_ADDRESS="disabled:")


def _connected(process: Process, deadline: float) -> DevTools:
    if process.stdin is None or process.stdout is None:
        raise RigError(
            "Chromium was started without pipes",
            cause="it ended at once",
            next=ANOTHER_BROWSER,
        )
    browser = DevTools(process.stdin.fileno(), process.stdout.fileno(), deadline)
    browser.open_page()
    browser.ask("Network.enable")
    browser.ask(
        "Network.emulateNetworkConditions",
        offline=True,
        latency=0,
        downloadThroughput=0,
        uploadThroughput=0,
    )
    return browser


def _end(process: Process) -> None:
    """Closed pipes end it; what has not ended then is killed, with all of its processes."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_END_SECONDS)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_END_SECONDS)


def _remove(profile: Path) -> None:
    """Also while the last of its processes still writes; what stays then is an error."""
    last = time.monotonic() + _END_SECONDS
    while profile.exists():
        shutil.rmtree(profile, ignore_errors=True)
        if time.monotonic() > last:
            shutil.rmtree(profile)
        time.sleep(_PAUSE_SECONDS)


def _with_words(error: RigError, said: Path) -> RigError:
    """The error with what Chromium printed last."""
    lines = said.read_text(errors="replace").splitlines() if said.is_file() else []
    words = [line.strip() for line in lines if line.strip()]
    return RigError(
        error.what,
        details=(*error.details, *words[-_LINES:]),
        cause=error.cause,
        next=error.next or "open the page in any browser and print it there",
    )


NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome-headless-shell",
)
"""Debian and Fedora, Ubuntu, Google's own packages."""


def find_chromium() -> str | None:
    """Full path of the program, or None where it is not installed."""
    path = search_path()
    return next((found for name in NAMES if (found := shutil.which(name, path=path))), None)
