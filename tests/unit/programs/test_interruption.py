"""An interruption in the middle of what must be whole, and one that a library wraps."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from pydantic import BaseModel, field_serializer

from fsgauge.errors import Interrupted, RigError
from fsgauge.programs.interruption import interruptible, undisturbed, unwrapped


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


class Endless(BaseModel):
    """A record that is written just when the user has enough."""

    value: int = 1

    @field_serializer("value")
    def written(self, value: int) -> int:
        interrupt()
        return value


def test_what_must_be_whole_is_done_before_the_study_ends() -> None:
    """A record was announced in the journal and Ctrl-C kept it from its place: no resume took the
    folder, whose records "were changed after they were written"."""
    done = []
    with pytest.raises(Interrupted, match="ended by SIGINT"), interruptible():
        with undisturbed():
            interrupt()
            with undisturbed():
                done.append("announced")
            done.append("stored")
        done.append("next")
    assert done == ["announced", "stored"]


def test_an_interruption_outside_is_raised_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    done = []
    with pytest.raises(Interrupted), interruptible():
        with undisturbed():
            done.append("stored")
        try:
            interrupt()
            done.append("never")
        finally:
            interrupt()
            done.append("undone")
    assert done == ["stored", "undone"]
    assert "already stopping" in capsys.readouterr().err


def test_an_error_does_not_swallow_the_interruption() -> None:
    with pytest.raises(Interrupted), interruptible(), undisturbed():
        interrupt()
        raise RigError("no room is left")


def test_an_interruption_that_pydantic_wraps_is_one() -> None:
    """It was called a bug in fsgauge, with a file to send in, and no way to go on."""
    with interruptible(), pytest.raises(Interrupted, match="ended by SIGINT"), unwrapped():
        Endless().model_dump_json()


def test_an_error_that_nobody_asked_for_stays_what_it_is() -> None:
    with pytest.raises(ZeroDivisionError), interruptible(), unwrapped():
        raise ZeroDivisionError
    with pytest.raises(RigError), interruptible(), undisturbed():
        raise RigError("no room is left")


def test_another_thread_has_nothing_to_wait_for() -> None:
    """Signals are the main thread's."""
    held, go = threading.Event(), threading.Event()

    def writes() -> None:
        with undisturbed():
            held.set()
            go.wait(10)

    thread = threading.Thread(target=writes)
    with pytest.raises(Interrupted), interruptible():
        thread.start()
        held.wait(10)
        try:
            interrupt()
        finally:
            go.set()
            thread.join(10)
