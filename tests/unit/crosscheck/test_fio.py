"""A fio that is not there."""

from __future__ import annotations

import pytest

from fsgauge.crosscheck import fio
from fsgauge.errors import RigError


def test_without_fio_the_next_command_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fio, "find_tool", lambda _name: None)
    with pytest.raises(RigError) as refusal:
        fio.fio_version()
    assert refusal.value.next == "apt-get install fio"
