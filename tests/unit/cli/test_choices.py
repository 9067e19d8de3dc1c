"""What a study needs again when it is resumed is taken from the words that began it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from fsgauge.cli.choices import needed_again
from fsgauge.cli.execution import _resume


@pytest.mark.parametrize(
    ("typed", "needed"),
    [
        ("run overhead --system ext4 --seed 3", ""),
        ("run s.toml --rig fleet --hosts 'my hosts.toml' --quiet", "--hosts 'my hosts.toml'"),
        ("run s.toml --rig=fleet --hosts=same:h.toml", "--hosts=same:h.toml"),
        ("run s.toml --hosts a,b --set workload.files=2", "--hosts a,b"),
        (
            "run s.toml --destroy S1 --destroy S2 --discard-unknown-data",
            "--destroy S1 --destroy S2 --discard-unknown-data",
        ),
        ("resume old --despite changed-records", "--despite changed-records"),
    ],
)
def test_resume_is_named_with_what_it_needs(
    typed: str, needed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`fsgauge resume DIR` of a fleet was refused: it names no hosts."""
    assert shlex.join(needed_again(shlex.split(typed))) == needed
    monkeypatch.setattr(sys, "argv", ["fsgauge", *shlex.split(typed)])
    assert _resume(Path("my results/s-1")) == f"fsgauge resume 'my results/s-1' {needed}".rstrip()
