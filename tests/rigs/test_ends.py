"""However a run ends, nothing stays: Ctrl-C cleans up, and after SIGKILL the next command does."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from fsgauge.machine.ledger.ledger import clean_up_after_the_dead
from tests.patience import patience
from tests.rigs.conftest import Scene

pytestmark = pytest.mark.root
TURNS = Path(__file__).with_name("turns.py")
KILLS = 20


@contextmanager
def turns(scene: Scene, engine: Engine, *design: str) -> Iterator[subprocess.Popen[bytes]]:
    """The program, running; surely gone afterwards."""
    places = [str(scene.scratch), str(scene.ledgers), str(engine.binary)]
    process = subprocess.Popen(
        [sys.executable, str(TURNS), *places, *design],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=patience(30))


def wait_for_begin(scene: Scene, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while not list(scene.ledgers.glob("*.ledger")):
        assert process.poll() is None, process.stderr and process.stderr.read().decode()
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("design", "seconds"), [((), 2.0), (("beside",), 6.0)])
def test_twenty_kills_at_random_moments_leave_nothing(
    design: tuple[str, ...], seconds: float, scene: Scene, engine: Engine
) -> None:
    """One system after the other, and five of them mounted at once."""
    chance = random.Random(20261121)
    said: list[str] = []
    for _ in range(KILLS):
        with turns(scene, engine, *design) as process:
            wait_for_begin(scene, process)
            time.sleep(chance.uniform(0, seconds))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=patience(30))
        sentences = clean_up_after_the_dead()
        assert scene.left() == [], sentences
        said += sentences
    assert any("unmounted" in sentence for sentence in said)
    assert any("detached" in sentence for sentence in said)
    assert all("earlier run" in sentence for sentence in said)
    assert clean_up_after_the_dead() == []


@pytest.mark.parametrize("design", [(), ("beside",)])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_leaves_nothing_even_when_pressed_twice(
    number: signal.Signals, design: tuple[str, ...], scene: Scene, engine: Engine
) -> None:
    chance = random.Random(7)
    for again in (False, True, False, True):
        with turns(scene, engine, *design) as process:
            wait_for_begin(scene, process)
            time.sleep(chance.uniform(0.1, 2.0))
            os.killpg(process.pid, number)
            if again:
                time.sleep(0.02)
                os.killpg(process.pid, number)
            code = process.wait(timeout=patience(60))
            after_all_is_undone = {-number} if again else set()
            assert code in {130} | after_all_is_undone, process.stderr and process.stderr.read()
        assert scene.left() == []


def test_a_living_run_is_left_alone_and_two_do_not_disturb_each_other(
    scene: Scene, engine: Engine
) -> None:
    with turns(scene, engine) as first, turns(scene, engine) as second:
        wait_for_begin(scene, first)
        deadline = time.monotonic() + 60
        while len(list(scene.ledgers.glob("*.ledger"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        for _ in range(10):
            assert clean_up_after_the_dead() == []
            time.sleep(0.05)
        os.killpg(first.pid, signal.SIGKILL)
        first.wait(timeout=patience(30))
        clean_up_after_the_dead()
        assert len(list(scene.ledgers.glob("*.ledger"))) == 1
        time.sleep(0.5)
        assert second.poll() is None, second.stderr and second.stderr.read()
        os.killpg(second.pid, signal.SIGINT)
        assert second.wait(timeout=patience(60)) == 130
    assert scene.left() == []
