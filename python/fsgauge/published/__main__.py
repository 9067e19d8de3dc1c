"""`python -m fsgauge.published` prints docs/published.md; with `predictions`,
docs/evidence/predictions.md."""

from __future__ import annotations

import sys

from fsgauge.published.page import page, predictions_page

sys.stdout.write(predictions_page() if "predictions" in sys.argv[1:] else page())
