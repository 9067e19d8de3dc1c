"""What the page shows of a mix: what every study shows, a group in place of a cell."""

from __future__ import annotations

from fsgauge.report.kind_page import KindPage

PAGE = KindPage()
