"""The report on paper and as a picture, through the Chromium that is installed here."""

from __future__ import annotations

from pathlib import Path

from fsgauge.chromium import as_pdf, as_png, find_chromium
from fsgauge.errors import RigError
from fsgauge.plain_files import write_whole
from fsgauge.programs.interruption import interruptible
from fsgauge.report.write import write_beside
from fsgauge.store import StoredStudy

PICTURE_WIDTH_PIXELS = 1200
_EDGE_PIXELS = 18
_PACKAGE = "apt-get install chromium (Debian), dnf install chromium (Fedora)"


def on_paper(stored: StoredStudy, sheet: str, name: str) -> bytes:
    """A sheet (HTML) as PDF. Without Chromium the sheet is left as NAME.html; RigError names it."""
    program = find_chromium()
    if program is None:
        write_beside(stored, {f"{name}.html": sheet})
        raise RigError(
            "Chromium is not installed, which makes the PDF",
            next=f"{_PACKAGE}; or print {stored.directory / f'{name}.html'} in any browser",
        )
    with interruptible():
        return as_pdf(program, sheet)


def first_screen(stored: StoredStudy, page: str) -> bytes:
    """The first screen of the page (HTML) as PNG; RigError without Chromium."""
    program = find_chromium()
    if program is None:
        raise RigError(
            "Chromium is not installed, which takes the picture",
            next=f"{_PACKAGE}; or take it of {stored.directory / 'report.html'} in any browser",
        )
    with interruptible():
        return as_png(
            program,
            page,
            width_pixels=PICTURE_WIDTH_PIXELS,
            part="#first-screen",
            below_pixels=_EDGE_PIXELS,
        )


def write_sheet(stored: StoredStudy, usual: str, content: str | bytes, file: str) -> Path:
    """Write FILE, or where it is "" the usual name into the folder; gives the path."""
    if not file:
        write_beside(stored, {usual: content})
        return stored.directory / usual
    write_whole(Path(file), content)
    return Path(file)
