"""Chromium, started for one page: as PDF, or its beginning as a picture, in light colours."""

from __future__ import annotations

import base64
import json
import math

from fsgauge.chromium.devtools import DevTools
from fsgauge.chromium.running import LIMIT_SECONDS, chromium, find_chromium
from fsgauge.errors import RigError

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

    `below_pixels` are added under the part.
    """
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
