"""How fsgauge rig test ends: by what does not work and is not known not to."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from fsgauge.cli.rig import command
from fsgauge.rig.vm import trials
from fsgauge.rig.vm.trials import RigTest, RigTestResult

WORKS = RigTestResult(RigTest("ext4"), 1.0, "made, mounted and filled")
KNOWN = RigTestResult(
    RigTest("ext4", reached_by="ksmbd", known="no share is found"), 1.0, fault="no"
)
BROKEN = RigTestResult(RigTest("xfs"), 1.0, fault="mkfs failed")


@pytest.mark.parametrize(
    ("found", "code", "last"),
    [
        ([WORKS], 0, "1 of 1 work"),
        ([WORKS, KNOWN], 0, "1 of 2 work; 1 known not to"),
        ([WORKS, KNOWN, BROKEN], 1, "1 of 3 work; 1 known not to"),
        ([BROKEN], 1, "0 of 1 work"),
    ],
)
def test_what_is_known_not_to_work_is_no_failure(
    found: list[RigTestResult], code: int, last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Debian 12 a test of all systems ended with 1 wherever it was done: ksmbd works nowhere."""
    monkeypatch.setattr(trials, "chosen", lambda _: [each.trial for each in found])
    monkeypatch.setattr(trials, "outcomes", lambda *_: iter(found))
    done = CliRunner().invoke(command, ["test"], standalone_mode=False)
    assert done.return_value == code
    assert done.output.splitlines()[-1] == last
    assert done.output.count("does not work: ") == len(found) - int(last[0])
