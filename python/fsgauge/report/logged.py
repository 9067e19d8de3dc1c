"""A log and its page in one folder: NAME.json, and NAME.html by the template of that name."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

from fsgauge.report.compared import write_pages
from fsgauge.report.theme import template


def write_logged(name: str, log: BaseModel, folder: Path, **words: object) -> Path:
    """Write both; gives the page. The template has the log and `words`. RigError where they cannot
    be written."""
    page = template(f"{name}.html.j2").render(log=log, **words)
    write_pages(folder, {f"{name}.json": log.model_dump_json(indent=1), f"{name}.html": page})
    return folder / f"{name}.html"
