"""--fail-if: what is read out of a condition, and how mistakes are answered."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fsgauge.errors import InputError
from fsgauge.stats.folders.condition import parse_condition, parse_limit


def selectors(text: str) -> list[tuple[str, str | int]]:
    return [(each.kind, each.value) for each in parse_condition(text).selectors]


def test_metric_selectors_and_limit() -> None:
    found = parse_condition("ratio(iops, randread, 4 KiB) < 0.95")
    assert (found.metric, found.comparison, found.limit) == ("iops", "<", 0.95)
    assert [(each.kind, each.value) for each in found.selectors] == [
        ("pattern", "randread"),
        ("size", 4096),
    ]


def test_a_size_may_be_written_as_in_fio() -> None:
    of_fio = parse_condition("ratio(iops, randread, 4k) < 0.95")
    assert [each.value for each in of_fio.selectors] == ["randread", 4096]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("bs=4k, iodepth=32", [("size", 4096), ("depth", 32)]),
        ("rw=randread blocksize=1M", [("pattern", "randread"), ("size", 1 << 20)]),
        ("rw, numjobs 4, qd 8", [("pattern", "rw"), ("jobs", 4), ("depth", 8)]),
        ("block_size=4k depth=8", [("size", 4096), ("depth", 8)]),
        ("pattern=randread, threads=4", [("pattern", "randread"), ("jobs", 4)]),
        ("writers=2, clients=4", [("jobs", 2), ("jobs", 4)]),
    ],
)
def test_a_cell_may_be_named_by_the_options_of_fio(text: str, found: list[object]) -> None:
    for metric in ("iops", "IOPS"):
        assert selectors(f"ratio({metric}, {text}) < 0.95") == found
    limit = parse_limit(f"BW({text}) > 100 MB/s")
    assert limit.metric == "bandwidth"
    assert [(each.kind, each.value) for each in limit.selectors] == found


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("ratio(iops, bs=) < 0.9", "a value of bs is missing", ""),
        ("ratio(iops, iodepth=many) < 0.9", "iodepth is a whole number", ""),
        ("ratio(iops, rw=4) < 0.9", "a value of rw is missing", ""),
        ("ratio(iops) < 95 %", 'unexpected "%"', "a ratio is a number: 0.95"),
        ("ratio(iops) < 80%", 'unexpected "%"', "a ratio is a number: 0.8"),
        ("ratio(iops) < 5%", 'unexpected "%"', "a ratio is a number: 5 % less is 0.95, more 1.05"),
        ("ratio(lat) > 1", 'there is no metric "lat"', 'did you mean "p99(read)" or "mean(read)"?'),
        ("ratio(p99) > 1", 'there is no metric "p99"', 'did you mean "p99(read)"?'),
        ("ratio(iops) < .95", 'unexpected "."', "a ratio is a number: 0.95"),
        ("ratio(iops) = 0.95", "a comparison is missing: <, <=, > or >=", ""),
    ],
)
def test_a_mistake_in_them_is_pointed_at(text: str, said: str, hint: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_condition(text)
    assert refused.value.location is not None
    assert (refused.value.what, refused.value.location.hint) == (said, hint)


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("ratio(p99(sync)) > 1.2", "sync.p99"),
        ("ratio(p99, sync) > 1.2", "sync.p99"),
        ("ratio(p99.9(read), randread, 4 KiB) > 1.2", "read.p999"),
        ("ratio(mean(log) randread) > 1.2", "log.mean"),
    ],
)
def test_a_metric_of_an_operation_may_be_written_as_in_limits(text: str, metric: str) -> None:
    assert parse_condition(text).metric == metric


def test_a_metric_of_no_operation_is_pointed_at() -> None:
    with pytest.raises(InputError) as refused:
        parse_condition("ratio(p99(randread)) > 1.2")
    assert "p99 of which operation?" in refused.value.render()
    with pytest.raises(InputError) as refused:
        parse_condition("ratio(p99 > 1.2")
    assert 'there is no metric "p99"' in refused.value.render()


def test_a_limit_with_a_unit_leads_to_the_gate() -> None:
    """compare answered "ratio" is missing to a promise that only the gate can check."""
    with pytest.raises(InputError) as refused:
        parse_condition("p99(sync) > 5 ms")
    assert "a condition is about a ratio" in refused.value.what
    assert "gate check DIR --limit 'p99(sync) <= 5 ms'" in refused.value.next


def test_every_kind_of_selector() -> None:
    text = "ratio(read.p99, randrw 64KiB, depth 32, 4 jobs, 'xfs, 8 groups') >= 1.1"
    assert selectors(text) == [
        ("pattern", "randrw"),
        ("size", 65536),
        ("depth", 32),
        ("jobs", 4),
        ("system", "xfs, 8 groups"),
    ]


def test_what_only_writers_have() -> None:
    text = "ratio(iops, write 8 KiB, 2 writers, own files, buffered, extend, 1 writer) < 0.9"
    assert selectors(text) == [
        ("pattern", "write"),
        ("size", 8192),
        ("jobs", 2),
        ("ranges", "own files"),
        ("access", "buffered"),
        ("allocation", "extend"),
        ("jobs", 1),
    ]


def test_a_cell_s_id_is_one_selector() -> None:
    assert selectors("ratio(iops, write-8KiB-writers2-own-files, 'xfs') < 0.9") == [
        ("cell", "write-8KiB-writers2-own-files"),
        ("system", "xfs"),
    ]


def test_a_limit_takes_a_count_of_operations_as_it_is_typed() -> None:
    assert parse_limit("iops(randread, 4k) > 10k").limit == 10_000
    assert parse_limit("bandwidth > 100MB/s").limit == 100_000_000


@pytest.mark.parametrize(
    ("parse", "text", "next"),
    [
        (parse_limit, "p99 < 5ms", "--limit 'p99(read) < 5ms'"),
        (parse_condition, "iops(read) < 10k", "fsgauge gate check DIR --limit 'iops(read) >= 10k'"),
    ],
)
def test_what_is_meant_is_said_with_what_was_typed(parse: Any, text: str, next: str) -> None:
    with pytest.raises(InputError) as refused:
        parse(text)
    assert next in refused.value.next


def test_a_metric_alone_asks_about_every_cell() -> None:
    assert selectors("ratio(cpu) > 1.2") == []


@pytest.mark.parametrize(
    ("text", "what", "column", "hint"),
    [
        ("ratio(iop) < 1", 'no metric "iop"', 7, 'did you mean "iops"?'),
        ("rato(iops) < 1", '"ratio" is missing', 1, ""),
        ("ratio(iops < 1", "is missing", 12, ""),
        ("ratio(iops, 4) < 1", "4 has no unit", 13, '"4 KiB", "4 jobs" or "2 writers"?'),
        ("ratio(iops, 2 threads) < 1", "threads", 13, '"4 jobs" or "2 writers"?'),
        ("ratio(iops, 2.5 writers) < 1", "a number of writers is a whole number", 13, ""),
        ("ratio(iops, 4 kk) < 1", "", 13, ""),
        ("ratio(iops, depth x) < 1", "a queue depth is a whole number", 19, ""),
        ("ratio(iops, 2.5 jobs) < 1", "a number of jobs is a whole number", 13, ""),
        ("ratio(iops) = 1", "a comparison is missing", 13, ""),
        ("ratio(iops) 1", "a comparison is missing", 13, ""),
        ("ratio(iops) < 0", "above 0", 15, ""),
        ("ratio(iops) < -1", 'unexpected "-"', 15, ""),
        ("ratio(iops) <", "above 0", 14, ""),
        ("ratio(iops) < 1 or", "continues after", 17, ""),
        ("ratio()", "a metric", 7, ""),
        ("", '"ratio" is missing', 1, ""),
    ],
)
def test_a_mistake_is_pointed_at(text: str, what: str, column: int, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_condition(text)
    error = caught.value
    assert what in error.what
    assert error.location is not None
    assert error.location.column == column
    assert hint in error.location.hint
    assert error.next


SIGNS = ["(", ")", ",", "<", "<=", ">", ">=", "'", '"', "-", "%", "\x00", "\n"]
WORDS = ["ratio", "iops", "read.p99", "depth", "jobs", "KiB", "EiB", "4", "0.95", "é", '"ext4"']
PIECES = st.sampled_from([*SIGNS, *WORDS, "9" * 400])


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=20).map(" ".join)))
@example("ratio(iops, " + "9" * 400 + " KiB) < 1")
@example("ratio(iops, depth " + "9" * 400 + ") < 1")
@example("ratio(iops) < " + "9" * 400)
@example("x" * 100_000)
def test_garbage_is_refused_in_words_or_understood(text: str) -> None:
    try:
        found = parse_condition(text)
    except InputError as error:
        assert error.render() and error.exit_code == 2
    else:
        assert found.metric and found.limit > 0


def test_what_only_many_clients_have() -> None:
    assert selectors("ratio(complete, backup fill, 590 clients) > 1.05") == [
        ("pattern", "backup fill"),
        ("jobs", 590),
    ]
    assert selectors("ratio(bandwidth, backup, directory order, 'xfs') < 0.9") == [
        ("pattern", "backup"),
        ("order", "directory"),
        ("system", "xfs"),
    ]
    assert selectors("ratio(create.mean, write) > 1.1") == [("pattern", "write")]


def test_a_limit_on_all_cells_needs_no_brackets() -> None:
    found = parse_limit("iops > 10 k IOPS")
    assert (found.metric, found.selectors, found.limit) == ("iops", [], 10_000)
    assert parse_limit("read.p99 < 5 ms").metric == "read.p99"
    with pytest.raises(InputError, match="p99 of which operation"):
        parse_limit("p99 < 5 ms")
    with pytest.raises(InputError, match='"500" has no unit'):
        parse_limit("iops > 500")
