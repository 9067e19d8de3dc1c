"""Where Chromium is: the first of its usual names on PATH."""

from __future__ import annotations

import shutil

from fsgauge.programs import search_path

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
