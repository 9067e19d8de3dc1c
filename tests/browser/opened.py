"""A page that was opened from a file in a real browser, with the network off."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


class Opened:
    """The page, and everything it complained about or asked for."""

    def __init__(self, browser: Any, path: Path, width: int, height: int, **options: Any) -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        size = {"width": width, "height": height}
        self.context = browser.new_context(viewport=size, offline=True, **options)
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def width_needed(self) -> int:
        return int(self.page.evaluate("document.documentElement.scrollWidth"))

    def bottom_of(self, selector: str) -> float:
        """Where a part of the page ends, from its top, in pixels."""
        box = self.page.locator(selector).bounding_box()
        assert box is not None
        return float(box["y"] + box["height"])

    def is_drawn(self, chart: Any, height: int = 60) -> bool:
        box = chart.bounding_box()
        return box is not None and box["width"] > 200 and box["height"] > height

    def tip_of(self, mark: Any) -> str:
        """What the page says of a mark that is pointed at."""
        mark.hover(force=True)
        tip = self.page.locator("#tip")
        assert tip.is_visible()
        return str(tip.inner_text())


Open = Callable[..., Opened]
ReportOf = Callable[[str], Path]
