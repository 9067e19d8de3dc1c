"""`python -m fsgauge.published` prints docs/published.md."""

from __future__ import annotations

import sys

from fsgauge.published.page import page

sys.stdout.write(page())
