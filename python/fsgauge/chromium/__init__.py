"""Chromium, started for one page: as PDF, or its beginning as a picture, in light colours."""

from __future__ import annotations

import base64
import json
import math
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fsgauge.chromium.devtools import ANOTHER_BROWSER, DevTools
from fsgauge.errors import RigError
from fsgauge.programs import Process, child_environment, end_process, search_path, start
from fsgauge.programs.starting import kill_group

LIMIT_SECONDS = 60.0
_END_SECONDS = 5.0
_PAUSE_SECONDS = 0.05
_LINES = 5
"""How much of what Chromium printed an error shows."""
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
__all__ = ["as_pdf", "as_png", "find_chromium"]
_HEIGHT_PIXELS = 800
_LIGHT = [{"name": "prefers-color-scheme", "value": "light"}]
_DRAWN = (
    "document.fonts.ready.then(() => Promise.all("
    "[...document.images].map((image) => image.decode().catch(() => 0)))).then(() => 0)"
)


def as_pdf(program: str, html: str, seconds: float = LIMIT_SECONDS) -> bytes:
    """The page on the paper that its own style names."""
    with chromium(program, seconds) as browser:
        _show(browser, html, "print", width_pixels=1200)
        answer = browser.ask("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        return base64.b64decode(answer["data"])


def as_png(
    program: str,
    html: str,
    *,
    width_pixels: int,
    part: str,
    below_pixels: int = 0,
    seconds: float = LIMIT_SECONDS,
) -> bytes:
    """The page from its top to the end of `part` (a CSS selector), on a screen so wide.
    `below_pixels` are added under the part."""
    with chromium(program, seconds) as browser:
        _show(browser, html, "screen", width_pixels)
        end = browser.evaluate(
            f"document.querySelector({json.dumps(part)})?.getBoundingClientRect().bottom ?? 0"
        )
        if not isinstance(end, int | float) or end <= 0:
            raise RigError(
                f"the page has no {part}",
                cause="it was made by another version of fsgauge, or its scripts did not run",
                next="open the page in any browser; fsgauge report writes it again",
            )
        height_pixels = math.ceil(end) + below_pixels
        _screen(browser, width_pixels, height_pixels)
        answer = browser.ask(
            "Page.captureScreenshot",
            format="png",
            captureBeyondViewport=True,
            clip={"x": 0, "y": 0, "width": width_pixels, "height": height_pixels, "scale": 1},
        )
        return base64.b64decode(answer["data"])


def _show(browser: DevTools, html: str, media: str, width_pixels: int) -> None:
    """The page written into the empty one: there is no file, so nothing has to find it."""
    browser.ask("Emulation.setEmulatedMedia", media=media, features=_LIGHT)
    _screen(browser, width_pixels, _HEIGHT_PIXELS)
    browser.evaluate(f"document.open(); document.write({json.dumps(html)}); document.close(); 0")
    browser.evaluate(_DRAWN)


def _screen(browser: DevTools, width_pixels: int, height_pixels: int) -> None:
    browser.ask(
        "Emulation.setDeviceMetricsOverride",
        width=width_pixels,
        height=height_pixels,
        deviceScaleFactor=1,
        mobile=False,
    )


@contextmanager
def chromium(program: str, seconds: float = LIMIT_SECONDS) -> Iterator[DevTools]:
    """A browser with one empty page, gone with its profile when the context ends. RigError where it
    does not start, fails, or takes longer than `seconds`."""
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
            "Chromium was started without pipes", cause="it ended at once", next=ANOTHER_BROWSER
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
    end_process(process, _END_SECONDS)
    kill_group(process)


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
