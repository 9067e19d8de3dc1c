"""What clients and servers do to each other has words: every kind, in every place."""

from __future__ import annotations

from typing import get_args

import pytest

from fsgauge.engine.wire import ClientErrorKind, EngineFault
from fsgauge.errors import RigError
from fsgauge.record.records import RunRecord
from fsgauge.run.recording import require_server
from fsgauge.stats.client_errors import ERRORS, needed
from tests.synthetic.setting import with_result
from tests.unit.run.test_gave_up import record


def with_fault(monkeypatch: pytest.MonkeyPatch, code: str) -> RunRecord:
    fault = EngineFault(what="nobody answers", cause="port closed", next="start it", code=code)
    return with_result(record(monkeypatch, 0), None, fault)


@pytest.mark.parametrize("code", ["network.refused", "network.login", "password.missing"])
def test_a_server_that_takes_nobody_ends_the_study(
    monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    with pytest.raises(RigError) as end:
        require_server(with_fault(monkeypatch, code))
    assert (end.value.what, end.value.next) == ("nobody answers", "start it")
    assert end.value.exit_code == 3


def test_other_faults_are_what_a_run_gave(monkeypatch: pytest.MonkeyPatch) -> None:
    require_server(with_fault(monkeypatch, "io.eio"))
    require_server(record(monkeypatch, 0))


@pytest.mark.parametrize("kind", get_args(ClientErrorKind))
def test_every_kind_of_error_has_words_and_advice(
    monkeypatch: pytest.MonkeyPatch, kind: ClientErrorKind
) -> None:
    words, cell = ERRORS[kind], record(monkeypatch, 1).cell
    assert words.name and words.because and needed(kind, cell)
