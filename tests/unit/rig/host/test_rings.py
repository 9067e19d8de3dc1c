"""io_uring that is forbidden is known before a study begins, with the change that does without."""

from __future__ import annotations

import re
import shlex

import pytest

from fsgauge.errors import InputError
from fsgauge.rig.host import process_limits
from fsgauge.rig.host.process_limits import NoRings, require_rings, ring_cautions
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study
from fsgauge.study.reached import accesses_of
from fsgauge.study.shipped import shipped_studies
from fsgauge.workload import method_of

FORBIDDEN = NoRings("io_uring is forbidden here", "sysctl", is_forbidden=True)
TOO_FEW = NoRings("4 rings need more locked memory", "ulimit -l unlimited")


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_limits, "no_rings", lambda count, depth: FORBIDDEN)


def on_host(name: str, *changes: str) -> Study:
    return load_study(name, list(changes))


@pytest.mark.usefixtures("without")
@pytest.mark.parametrize("name", shipped_studies())
def test_every_shipped_study_is_refused_or_goes_on_as_it_says(name: str) -> None:
    """Of `aging`, 36 of 36 runs failed. What is proposed is accepted, and needs no ring."""
    study = on_host(name)
    asked = method_of(study.workload).rings()
    accesses = accesses_of(study)
    if accesses and all(each.protocol != "path" for each in accesses):
        asked = None
    if asked is None or asked.by_itself:
        require_rings(study)
        assert len(ring_cautions(study)) == (asked is not None)
        return
    with pytest.raises(InputError) as refused:
        require_rings(study)
    assert refused.value.cause == FORBIDDEN.cause
    assert ring_cautions(study) == []
    proposed = re.findall(r"--set ('[^']*'|[^\s,]+)", refused.value.next)
    assert proposed
    changed = on_host(name, *(shlex.split(each)[0] for each in proposed))
    require_rings(changed)
    assert method_of(changed.workload).rings() is None


@pytest.mark.usefixtures("without")
def test_an_interface_that_was_asked_for_is_not_replaced() -> None:
    for change in (
        ["overhead", "workload.interface=io_uring", "workload.queue_depths=[1]"],
        ["writers", "workload.interface=io_uring"],
        ["connections", "workload.interface=io_uring"],
    ):
        with pytest.raises(InputError, match="needs io_uring"):
            require_rings(on_host(*change))


def test_too_little_locked_memory_is_refused_where_clients_could_do_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The engine makes plain calls only where io_uring is forbidden altogether."""
    monkeypatch.setattr(process_limits, "no_rings", lambda count, depth: TOO_FEW)
    with pytest.raises(InputError) as refused:
        require_rings(on_host("connections"))
    assert refused.value.next == "--set workload.interface=plain, or ulimit -l unlimited"


def test_buffers_that_cannot_be_locked_are_said_and_no_reason_to_refuse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process_limits, "no_rings", lambda count, depth: None)
    study = on_host("aging")
    asked = method_of(study.workload).rings()
    assert asked is not None
    for locked, count in ((asked.buffer_bytes - 1, 1), (asked.buffer_bytes, 0), (None, 0)):
        monkeypatch.setattr(process_limits, "lockable_bytes", lambda locked=locked: locked)
        require_rings(study)
        assert len(ring_cautions(study)) == count
