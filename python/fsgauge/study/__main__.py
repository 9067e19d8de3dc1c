"""`python -m fsgauge.study` prints docs/reference/study-file.md."""

from __future__ import annotations

import sys

from fsgauge.study.reference import reference_page

sys.stdout.write(reference_page())
