"""What each number of a report means: pages/NAME.md, the short answer first.

`explain_metric` gives a page as Markdown; metrics of an operation ("read.p99", "create.mean")
share the page of their part ("p99", "mean").
"""

from __future__ import annotations

from importlib.resources import files

from fsgauge.errors import InputError, did_you_mean, nearest

OPERATIONS = (
    "create",
    "open",
    "read",
    "write",
    "sync",
    "fsync",
    "close",
    "stat",
    "list",
    "rename",
    "unlink",
    "log",
    "reader",
)


def metric_pages() -> dict[str, str]:
    """Each page's name and its short answer, by name."""
    folder = files("fsgauge.pages")
    pages = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".md"))
    names = [page.removesuffix(".md") for page in pages if page != "README.md"]
    return {name: _text(name).splitlines()[2] for name in names}


def explain_metric(name: str) -> str:
    """The page of a metric or number, as Markdown; raises InputError with the nearest names."""
    known = metric_pages()
    page = _page_of(name)
    if page not in known:
        near = nearest(page, known)
        meant = f"{did_you_mean(near)} ".lstrip()
        raise InputError(
            f'no page explains "{name}"',
            next=f"{meant}fsgauge explain NAME, with one of: {', '.join(known)}",
        )
    return _text(page)


def is_metric(name: str) -> bool:
    """Whether it has a page, or is one of an operation's numbers: iops, create.mean."""
    operation, dot, _ = name.partition(".")
    return _page_of(name) in metric_pages() or (dot == "." and operation in OPERATIONS)


def _page_of(name: str) -> str:
    """The page that would explain it, whether there is one or not."""
    page = name.strip().lower().replace("-", "_").replace(" ", "_")
    operation, _, part = page.rpartition(".")
    return part if operation in OPERATIONS else page


def _text(page: str) -> str:
    return (files("fsgauge.pages") / f"{page}.md").read_text(encoding="utf-8")
