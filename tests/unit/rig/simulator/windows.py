"""A study of two policies that set windows aside for open files: the larger ones fill a device."""

from __future__ import annotations

from fsgauge.study.model import Study
from fsgauge.study.parse import parse_study

_STUDY = """\
format = 1
question = "What fills up?"
[storage]
kind = "simulated"
size = "SIZE"
[[system]]
name = "small"
kind = "window"
settings = { window = "1 MiB" }
[[system]]
name = "large"
kind = "window"
settings = { window = "128 MiB" }
[workload]
kind = "churn"
fills = ["FILL"]
tests = ["TEST"]
written_in_turns = "1 MiB"
median_size = "4 MiB"
size_sigma = 0.2
streams = 64
[plan]
blocks = 2
seed = SEED
"""


def windows(size: str, fill: str, test: str, seed: int) -> Study:
    text = _STUDY.replace("SIZE", size).replace("FILL", fill)
    return parse_study(text.replace("TEST", test).replace("SEED", str(seed)), "mine.toml", "mine")
