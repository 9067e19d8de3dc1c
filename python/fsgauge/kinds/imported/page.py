"""What the page shows of imported tests: what it shows of every study."""

from __future__ import annotations

from fsgauge.report.kind_page import KindPage

PAGE = KindPage()
