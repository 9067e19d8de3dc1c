"""A host's gate, and its errors in the words of the host."""

from __future__ import annotations

import threading

import pytest

from fsgauge.errors import InputError, Interrupted, RigError
from fsgauge.rig.fleet.gated_engine import Gate
from fsgauge.rig.fleet.messages import Fault, Faults, Label

HERE, THERE = (Label(block=0, turn=1, cell=name) for name in ("randread", "randwrite"))


class Waiting:
    """A thread at a gate."""

    def __init__(self, gate: Gate, label: Label) -> None:
        self.gate = gate
        self.found: list[object] = []
        self.thread = threading.Thread(target=self._wait, args=(label,), daemon=True)
        self.thread.start()
        while gate.waiting is None and self.thread.is_alive():
            continue

    def _wait(self, label: Label) -> None:
        try:
            self.found.append(self.gate.wait(label))
        except Interrupted as error:
            self.found.append(error.what)

    def ended(self) -> list[object]:
        self.thread.join(10)
        return self.found


def test_a_gate_opens_for_the_run_that_waits_and_no_other() -> None:
    gate = Gate(threading.Condition())
    waiting = Waiting(gate, HERE)
    assert not gate.open(THERE, 7)
    assert gate.waiting == HERE
    assert gate.open(HERE, 9)
    assert waiting.ended() == [9] and gate.waiting is None


def test_a_gate_that_is_ended_says_why_to_whoever_waits_and_comes() -> None:
    gate = Gate(threading.Condition())
    waiting = Waiting(gate, HERE)
    gate.end("b was lost")
    assert waiting.ended() == ["b was lost"]
    with pytest.raises(Interrupted, match="b was lost"):
        gate.require_not_ended()
    gate.reopen()
    again = Waiting(gate, THERE)
    assert gate.open(THERE, 5) and again.ended() == [5]


def test_hosts_that_meet_hear_what_the_first_one_offers() -> None:
    """A meeting is no run: it is not begun, and a run is not let pass."""
    gate = Gate(threading.Condition())
    here = Label(block=0, turn=1).met("files laid out", 60.0)
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(gate.meet(here, "mine")), daemon=True)
    thread.start()
    while gate.waiting is None and thread.is_alive():
        continue
    assert gate.offer == "mine" and str(gate.waiting) == "block 1, turn 2, files laid out"
    assert not gate.open(Label(block=0, turn=2).met("files laid out", 60.0), "theirs")
    assert gate.open(here, "theirs")
    thread.join(30)
    assert found == ["theirs"]


def test_no_start_is_given_to_a_run_that_does_not_wait() -> None:
    assert not Gate(threading.Condition()).open(HERE, 5)


@pytest.mark.parametrize("kind", [InputError, RigError])
def test_an_error_of_a_host_keeps_its_kind_and_names_it(kind: type[InputError]) -> None:
    error = kind("no room", details=("df",), cause="full", next="rm")
    (sent,) = Faults.validate_json(f"[{Fault.of(error).model_dump_json()}]")
    raised = sent.raised("b")
    assert type(raised) is kind
    assert raised.what == "b: no room"
    assert (raised.details, raised.cause, raised.next) == (("df",), "full", "rm")


def test_who_interrupts_a_host_interrupts_nothing_here() -> None:
    assert type(Fault.of(Interrupted("over")).raised("b")) is RigError


def test_an_error_that_no_one_foresaw_is_fsgauge_s_own() -> None:
    assert Fault.of(ZeroDivisionError("x")).what == "fsgauge itself failed: ZeroDivisionError: x"
