"""How every log of a test with agents begins."""

from __future__ import annotations

import time

import pytest
from pydantic import ValidationError

from fsgauge import __version__
from fsgauge.agents.agents import AgentsLog


class _Own(AgentsLog):
    trials: int


def test_a_log_says_which_fsgauge_began_it_and_when() -> None:
    before = time.time_ns()
    log = _Own.begun(trials=3)
    assert (log.format, log.fsgauge, log.trials) == (1, __version__, 3)
    assert before <= log.started_unix_ns <= time.time_ns()


def test_a_log_of_another_format_or_with_an_unknown_key_is_not_read() -> None:
    text = _Own.begun(trials=3).model_dump_json()
    assert _Own.model_validate_json(text).trials == 3
    for changed in (text.replace('"format":1', '"format":2'), text.replace("trials", "trails")):
        with pytest.raises(ValidationError):
            _Own.model_validate_json(changed)
