"""`python -m fsgauge.store` prints docs/reference/records.md."""

from __future__ import annotations

import sys

from fsgauge.store.reference import reference_page

sys.stdout.write(reference_page())
