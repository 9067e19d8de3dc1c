"""What every page of a study has to be: whole, by itself, with no link that leads nowhere."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

from fsgauge.stats.results import Results


def whole_page(folder: Path) -> tuple[str, Results]:
    """The text of its report.html, and its results."""
    page = (folder / "report.html").read_text(encoding="utf-8")
    results = Results.model_validate_json((folder / "report.json").read_text())
    assert results.question in page
    assert "NaN" not in page and "undefined" not in page.split("<script>")[0]
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    for place in re.findall(r'href="(?!#|data:)([^"]+)"', page):
        assert (folder / place).exists(), place
    ids = [each for each in re.findall(r' id="([\w-]+)"', page) if not each.startswith("clip")]
    assert len(ids) == len(set(ids))
    for target in re.findall(r'href="#([\w-]+)"', page):
        assert target in ids, target
    embedded = re.findall(r'<script type="application/json" id="data-(\w+)">(.*?)</script>', page)
    drawn = {path.stem: path for path in (folder / "charts").glob("*.svg")}
    assert {name for name, _ in embedded} == set(drawn)
    for _, rows in embedded:
        assert json.loads(rows)
    for path in drawn.values():
        picture = path.read_text(encoding="utf-8")
        assert "var(--" not in picture
        ET.fromstring(picture)  # noqa: S314 - our own drawing
    return page, results
