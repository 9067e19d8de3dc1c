"""The page of a sweep: what was simulated, how often, and the command that does it again."""

from __future__ import annotations

import re
from pathlib import Path

from fsgauge.study.parse import parse_study
from fsgauge.sweep.folder import new_sweep
from fsgauge.sweep.lines import results_of
from fsgauge.sweep.page import write_sweep

FILE = """\
format = 1
question = "How long do reads stay fast?"
[storage]
kind = "simulated"
size = "8 GiB"
devices = 2
parameters = { window = 16 }
[[system]]
name = "8 MiB"
kind = "ldiskfs"
settings = { prealloc_table = "2048" }
[workload]
kind = "churn"
[sweep]
rewrites_a_year = 0.5
[plan]
blocks = 3
"""


def test_the_page_says_what_was_simulated(tmp_path: Path) -> None:
    """Size, settings and the command were in the folder's sweep.toml alone."""
    sweep = new_sweep(parse_study(FILE, "years.toml", "years"), tmp_path)
    page = write_sweep(results_of(sweep, []), sweep.directory).read_text()
    first = page.split("</header>")[0]
    assert "8 GiB in a model on 2 devices (disks-8+2-2012, window 16)" in first
    assert "<b>8 MiB</b>: ldiskfs, prealloc_table 2048" in first
    assert "written 0.5 times a year; 3 blocks" in first
    assert "Repeat it" in first
    assert re.search(r"sweep\.toml(<[^>]*>| )+--rig", first)
