"""A study of commits to vary, for the tests of its parts."""

from __future__ import annotations

from fsgauge.kinds.commits.keys import CommitsWorkload
from fsgauge.study.parse import parse_study

HEAD = """\
format = 1
question = "What does a commit cost?"

[storage]
kind = "loop"

[[system]]
name = "ext4"

[workload]
kind = "commits"
"""


def workload(lines: str = "") -> CommitsWorkload:
    """[workload] with these lines behind `kind`; raises InputError."""
    found = parse_study(f"{HEAD}{lines}\n", "my.toml", "my").workload
    assert isinstance(found, CommitsWorkload)
    return found
