"""A page in a folder, next to what it shows: NAME.html, NAME.json and perhaps charts/NAME.svg."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel

from fsgauge.errors import InputError, RigError
from fsgauge.plain_files import PlainFolder, SeenFolder, cause_of
from fsgauge.report.draw import Drawing
from fsgauge.report.theme import template


def write_logged(name: str, log: BaseModel, folder: Path, **words: object) -> Path:
    """Write a log and its page by the template of that name, which has the log and `words`; raises
    as `write_page`."""
    return write_page(name, log, template(f"{name}.html.j2").render(log=log, **words), folder)


def write_page(
    name: str,
    data: BaseModel,
    page: str,
    folder: Path | SeenFolder,
    drawing: Drawing | None = None,
) -> Path:
    """Write all of them; gives the page. RigError where they cannot be written."""
    pages = {f"{name}.json": data.model_dump_json(indent=1), f"{name}.html": page}
    if drawing is not None:
        pages[f"charts/{name}.svg"] = drawing.alone
    write_pages(folder, pages)
    return (folder.path if isinstance(folder, SeenFolder) else folder) / f"{name}.html"


def write_pages(output: Path | SeenFolder, pages: Mapping[str, str]) -> None:
    """Write files into a folder, which is made, or which is the one that was seen; RigError says
    how to choose another one."""
    if isinstance(output, SeenFolder):
        opened, output = output.opened(), output.path
    else:
        opened = PlainFolder.made(output)
    try:
        with opened as folder:
            for name, text in pages.items():
                folder.write(name, text)
    except (OSError, InputError) as error:
        raise RigError(
            f"cannot write into {output}: {getattr(error, 'strerror', None) or error}",
            cause=f"{_cause(error)}; no record is changed",
            next="--output DIR   (a folder where you may write)",
        ) from error


def _cause(error: OSError | InputError) -> str:
    return cause_of(error) if isinstance(error, OSError) else error.cause or "it is no folder"
