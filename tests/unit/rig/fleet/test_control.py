"""What hosts answer: one of our own messages within bounds, or a sentence with the host's name."""

from __future__ import annotations

import json

import pytest
from pydantic import TypeAdapter

from fsgauge.rig.fleet.control import HostLostError, Lost, Said, all_understood, understood
from fsgauge.rig.fleet.messages import Fault, Faults, State

IDLE = {"serial": 1, "phase": "idle"}


def test_a_message_is_read() -> None:
    assert understood("b", json.dumps(IDLE), State) == State(serial=1, phase="idle")
    assert all_understood("b", '[{"kind": "RigError", "what": "x"}]', Faults)[0].what == "x"


def test_a_host_that_gave_no_answer_is_lost_in_its_own_words() -> None:
    with pytest.raises(HostLostError, match=r"^b: it gave no answer for 15 s$"):
        understood("b", Lost("silent", "it gave no answer for 15 s"), State)


@pytest.mark.parametrize(
    "words",
    [
        *("null", "[]", '"x"', "{", "", "[" * 100_000),
        json.dumps({**IDLE, "more": 2}),
        json.dumps({**IDLE, "serial": float("-inf")}),
        json.dumps({**IDLE, "serial": 1 << 64}),
        json.dumps({**IDLE, "serial": 1}).replace("1", "9" * 5000),
        json.dumps({**IDLE, "told": [{"kind": "run", "turn": 0, "record": {"x": float("nan")}}]}),
        json.dumps({**IDLE, "told": [{"kind": "run", "turn": 0}] * 10_001}),
        json.dumps({**IDLE, "armed": {"block": 0, "turn": 0, "cell": "", "patience_seconds": 1e9}}),
        json.dumps({**IDLE, "told": [{"kind": "run", "turn": 0, "record": {"x": 7}}]}).replace(
            "7", "1e999"
        ),
        json.dumps({**IDLE, "offer": "X"}).replace("X", "\\ud800"),
    ],
)
def test_what_makes_no_sense_is_a_short_sentence(words: str) -> None:
    with pytest.raises(HostLostError, match=r"^b: its answer makes no sense: ") as caught:
        understood("b", words, State)
    assert len(caught.value.what) <= 310


@pytest.mark.parametrize("answer", [None, True, 7, b"{}", {}, (), 1.0])
def test_what_is_no_text_is_not_read(answer: object) -> None:
    with pytest.raises(HostLostError, match="it is no text"):
        all_understood("b", answer, TypeAdapter(object))


def test_words_are_cut_off() -> None:
    fault = Fault.model_validate(
        {"kind": "RigError", "what": "x" * 10_000, "details": ["y" * 9999]}
    )
    assert (len(fault.what), len(fault.details[0])) == (4000, 4000)


def test_sentences_have_an_end() -> None:
    told: list[str] = []
    said = Said(told.append)
    said.of("a", ["one"] * 1000)
    said.of("b", ["two"])
    assert (told[0], told[-1]) == ("a: one", "b: two")
    with pytest.raises(HostLostError, match="a: it says more than 1000 sentences"):
        said.of("a", ["one"])
