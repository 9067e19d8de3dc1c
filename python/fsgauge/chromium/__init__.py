"""Chromium, started for one page: printed as PDF, or its beginning as a picture.

finding.py    the program, under the names that it has
devtools.py   what is asked of it, over two pipes
running.py    one run: bounded in time, a profile of its own, no network
paper.py      a page as PDF, and as PNG
"""

from fsgauge.chromium.finding import find_chromium
from fsgauge.chromium.paper import as_pdf, as_png

__all__ = ["as_pdf", "as_png", "find_chromium"]
