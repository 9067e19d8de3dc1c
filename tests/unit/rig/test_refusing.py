"""All that is refused is said at once, and as a refusal: nothing was touched."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError, RefusedError, RigError
from fsgauge.rig.refusing import require_none


def test_nothing_is_raised_where_nothing_is_refused() -> None:
    require_none([])


def test_every_reason_is_there_with_what_helps() -> None:
    first = RefusedError("sdb holds data", details=("sdb1",), next="lsblk")
    others = [InputError("too small", next="--set storage.size=1GiB"), RigError("no mkfs.xfs")]
    with pytest.raises(RefusedError) as raised:
        require_none([first, *others])
    assert raised.value.details == (
        "sdb1",
        "also: too small (next: --set storage.size=1GiB)",
        "also: no mkfs.xfs",
    )


def test_wrong_input_comes_first_and_decides_the_code() -> None:
    with pytest.raises(InputError) as raised:
        require_none([RigError("the engine ended", details=("a line",)), InputError("no folder")])
    assert raised.value.what == "no folder" and raised.value.exit_code == 2
    assert raised.value.details == ("also: the engine ended", "a line")


def test_a_tool_that_failed_alone_is_no_wrong_input() -> None:
    with pytest.raises(RigError):
        require_none([RigError("the engine ended")])
