"""Prints docs/reference/fio.md."""

from __future__ import annotations

import sys

from fsgauge.converting.fio_options import options_page

sys.stdout.write(options_page())
