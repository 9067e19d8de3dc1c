"""A browser, the pages that it opens, and where screenshots go: FSGAUGE_ARTIFACTS, or pytest's own
folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.browser.opened import Open, Opened, ReportOf
from tests.browser.studies import STUDIES

QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright import sync_api

    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Open]:
    """Opens a page at a size in pixels; closed when the test ends."""
    pages: list[Opened] = []

    def open_page(path: Path, width: int, height: int, **options: Any) -> Opened:
        pages.append(Opened(browser, path, width, height, **options))
        return pages[-1]

    yield open_page
    for each in pages:
        each.context.close()


@pytest.fixture(scope="module")
def report_of(tmp_path_factory: pytest.TempPathFactory) -> ReportOf:
    """The page of one of STUDIES by its name, made when it is first asked for."""

    @cache
    def made(name: str) -> Path:
        return STUDIES[name](tmp_path_factory.mktemp(name))

    return made


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chosen = Path(os.environ.get("FSGAUGE_ARTIFACTS") or tmp_path_factory.mktemp("screenshots"))
    chosen.mkdir(parents=True, exist_ok=True)
    return chosen
