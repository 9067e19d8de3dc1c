"""The engine's client: what it passes on to the process that it starts."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine, EngineFaultError, mixed
from fsgauge.engine.wire import Held, ProbeJob, SimulateJob
from tests.unit.kinds.mix.studies import LOG, READERS
from tests.unit.kinds.mix.test_method import loads

SAYS_WHAT_IT_HOLDS = f"""#!{sys.executable}
import json, os, sys
held = json.load(sys.stdin).get("held")
found = held and [[place["path"], os.fstat(place["descriptor"]).st_ino] for place in held]
error = {{"code": "told", "what": json.dumps(found), "cause": "", "next": "", "errno": None}}
print(json.dumps({{"event": "failed", "error": error}}), flush=True)
"""


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """One that fails with what it was given."""
    binary = tmp_path / "engine"
    binary.write_text(SAYS_WHAT_IT_HOLDS)
    binary.chmod(0o755)
    return Engine(binary)


def _told(engine: Engine, job: ProbeJob | SimulateJob) -> str:
    with pytest.raises(EngineFaultError) as raised:
        engine.run(job)
    return raised.value.what


def test_jobs_reach_what_is_held_by_descriptor(engine: Engine, tmp_path: Path) -> None:
    """Within the context alone; the key is left out where nothing is held."""
    descriptor = os.open(tmp_path, os.O_PATH | os.O_DIRECTORY)
    try:
        with engine.holding(Held(path="/named", descriptor=descriptor)):
            assert _told(engine, ProbeJob()) == f'[["/named", {tmp_path.stat().st_ino}]]'
        assert engine.held == ()
        assert _told(engine, ProbeJob()) == "null"
        assert not os.get_inheritable(descriptor)
    finally:
        os.close(descriptor)


def test_a_place_is_held_by_its_newest_descriptor(engine: Engine) -> None:
    """A folder within a folder is one more place; the same folder is the same place."""
    first, newest, other = (
        Held(path=path, descriptor=number)
        for path, number in (("/a", 10), ("/a", 11), ("/a/b", 12))
    )
    with engine.holding(first, other), engine.holding(newest):
        assert engine.held == (newest, other)
    assert engine.held == ()


def test_contexts_that_overlap_let_go_of_their_own_places(engine: Engine) -> None:
    """Of two systems that stand side by side the first may go first."""
    one, other = (Held(path=path, descriptor=number) for path, number in (("/a", 10), ("/b", 11)))
    first, second = engine.holding(one), engine.holding(other)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert engine.held == (other,)
    second.__exit__(None, None, None)
    assert engine.held == ()


def test_loads_of_a_mix_are_in_its_job_in_their_order() -> None:
    """Without what belongs to the caller of the engine."""
    both = loads(READERS + LOG)
    job = mixed(both)
    assert [each["read_percent"] for each in job.loads] == [100, 0]
    assert all(key not in each for each in job.loads for key in ("kind", "held", "lease"))
    assert not job.lay_out
    assert mixed(both, lay_out=True).lay_out
