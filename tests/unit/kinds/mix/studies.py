"""A mix to vary, for the tests of its parts."""

from __future__ import annotations

from fsgauge.kinds.mix.keys import MixWorkload
from fsgauge.study.model import Study
from fsgauge.study.parse import parse_study

HEAD = """\
format = 1
question = "How do they get on?"

[storage]
kind = "loop"

[[system]]
name = "ext4"

[workload]
kind = "mix"
"""
READERS = '[[workload.group]]\nname = "readers"\n'
LOG = """\
[[workload.group]]
name = "log"
operations = { write = 1 }
order = "sequential"
sync = "fdatasync"
"""


def study(lines: str) -> Study:
    """The study with these lines behind `kind`; raises InputError."""
    return parse_study(f"{HEAD}{lines}\n", "my.toml", "my")


def workload(lines: str) -> MixWorkload:
    """Its [workload]."""
    found = study(lines).workload
    assert isinstance(found, MixWorkload)
    return found
