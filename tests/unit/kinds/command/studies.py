"""A study of a program to vary, for the tests of its parts."""

from __future__ import annotations

from fsgauge.kinds.command.keys import CommandWorkload
from fsgauge.study.model import Study
from fsgauge.study.parse import parse_study

HEAD = """\
format = 1
question = "How long does it take?"

[storage]
kind = "loop"

[[system]]
name = "ext4"

[[system]]
name = "xfs"

[workload]
kind = "command"
"""
NUMBER = """\
[[workload.number]]
name = "tps"
better = "higher"
pattern = '^tps = (\\S+)'
"""


def study(lines: str) -> Study:
    """The study with these lines behind `kind`; raises InputError."""
    return parse_study(f"{HEAD}{lines}\n", "my.toml", "my")


def workload(lines: str) -> CommandWorkload:
    """Its [workload]."""
    found = study(lines).workload
    assert isinstance(found, CommandWorkload)
    return found
