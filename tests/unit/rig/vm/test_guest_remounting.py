"""A system mounted anew before each run: what is done in the guest, and what the record says."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.rig.happenings import RunStarted
from fsgauge.rig.vm import guest_set_up
from fsgauge.rig.vm.around_runs import Remounting
from tests.unit.stats.one_run import one_run


def test_it_is_done_as_a_run_begins_and_the_record_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[Any] = []
    monkeypatch.setattr(guest_set_up, "done", lambda do, words: done.append((do, words)))
    remounting, run = Remounting(), one_run()
    begins: Any = RunStarted.__new__(RunStarted)
    assert remounting.told(begins) is begins and remounting.told(run) is run and not done
    orders: Any = [("run", {"text": "umount"}), ("run", {"text": "mount"})]
    remounting.before_each_run(orders, "mounted again")
    assert remounting.told(begins) is begins and done == orders
    told: Any = remounting.told(run)
    assert told.caches.endswith("; mounted again") and len(done) == 2
