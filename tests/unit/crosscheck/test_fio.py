"""A fio that is not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fsgauge.crosscheck import fio
from fsgauge.crosscheck.fio import fio_numbers, parse_fio
from fsgauge.errors import RigError


def test_without_fio_the_next_command_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fio, "find_tool", lambda _name: None)
    with pytest.raises(RigError) as refusal:
        fio.fio_version()
    assert refusal.value.next == "apt-get install fio"


RECORDED = Path(__file__).with_name("fio-3.33-randrw.json").read_text(encoding="utf-8")


def document() -> dict[str, Any]:
    return parse_fio(RECORDED)


def test_numbers_are_those_of_all_jobs() -> None:
    job = document()["jobs"][0]
    found = fio_numbers(document())
    operations = job["read"]["total_ios"] + job["write"]["total_ios"]
    assert found.values["iops"] == pytest.approx(operations / 0.05, rel=0.05)
    assert found.values["read.p99"] == job["read"]["lat_ns"]["percentile"]["99.000000"]
    assert found.values["write.mean"] == job["write"]["lat_ns"]["mean"]
    assert found.values["read.p50"] < found.values["read.p99"]


def test_processor_time_is_that_of_all_jobs() -> None:
    """Two threads for 50 ms have 100 ms: fio's percentages are shares of these."""
    job, found = document()["jobs"][0], fio_numbers(document())
    operations = job["read"]["total_ios"] + job["write"]["total_ios"]
    in_all_ns = found.values["cpu"] * operations
    assert found.processor_share == pytest.approx((job["usr_cpu"] + job["sys_cpu"]) / 100)
    assert in_all_ns == pytest.approx(found.processor_share * 100e6, rel=0.05)


def test_messages_before_the_document_are_no_part_of_it() -> None:
    said = "fio: this platform does not support x\n{note} in braces\n{}\n"
    assert parse_fio(said + RECORDED + "\nfio: bye\n") == document()


def test_numbers_that_are_none_are_read() -> None:
    broken = RECORDED.replace('"bw_agg" : 0.000000', '"bw_agg" : -nan')
    assert broken != RECORDED
    assert parse_fio('{"jobs" : [{"a" : -nan, "b" : inf}]}') == {"jobs": [{"a": None, "b": None}]}
    assert fio_numbers(parse_fio(broken)) == fio_numbers(document())


@pytest.mark.parametrize("said", ["", "fio: out of memory", RECORDED[:2000], '{"jobs" : []}'])
def test_no_document_is_an_error_in_words(said: str) -> None:
    with pytest.raises(RigError, match="fio printed no results"):
        parse_fio(said)


def test_another_shape_is_an_error_that_names_what_lacks() -> None:
    changed = json.loads(RECORDED)
    del changed["jobs"][0]["read"]["lat_ns"]["percentile"]
    with pytest.raises(RigError, match="KeyError 'percentile'"):
        fio_numbers(changed)
    changed["jobs"][0]["error"] = 5
    with pytest.raises(RigError, match="I/O error 5"):
        fio_numbers(changed)
