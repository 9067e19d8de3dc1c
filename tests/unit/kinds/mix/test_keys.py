"""Groups of a mix: what they are judged by, when they begin, and what contradicts itself."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.kinds.mix.factors import MixFactors
from fsgauge.study.document import document_of
from fsgauge.study.dump import dump_study
from fsgauge.study.overrides import set_key
from fsgauge.study.parse import check, parse_study
from tests.unit.kinds.mix.studies import HEAD, LOG, READERS, study, workload


def judged(lines: str) -> tuple[str, str, str]:
    found = workload(lines)
    cells = {cell.id: MixFactors.of(cell) for cell in found.cells()}
    factors = cells[found.default_primary()[0]]
    return factors.group, factors.judged_by, factors.work


def test_each_group_is_a_cell_and_the_first_is_judged_by_its_rate() -> None:
    found = workload(READERS + LOG)
    assert [cell.name for cell in found.cells()] == ["readers", "log"]
    assert judged(READERS + LOG) == ("readers", "iops", "operations")


def test_the_study_names_what_is_compared() -> None:
    assert judged('primary = "commits of log"\n' + READERS + LOG) == ("log", "iops", "commits")
    latency = judged('primary = "sync p99 of log"\n' + READERS + LOG)
    assert latency == ("log", "sync.p99", "operations")


def test_what_is_verified_may_be_read_by_others() -> None:
    verified = LOG.replace("fdatasync", "none") + "verify = true\n"
    assert len(workload(verified + READERS + 'files_of = "log"\n').group) == 2


def test_a_paced_group_is_judged_by_a_latency() -> None:
    assert judged(READERS + 'rate = "10 IOPS"\n') == ("readers", "read.p99", "operations")


@pytest.mark.parametrize("size", ["128 KiB", "1 MiB"])
def test_a_group_of_large_blocks_is_judged_in_bytes(size: str) -> None:
    large = f'{READERS}block_sizes = "{size}"\n'
    assert judged(large) == ("readers", "bandwidth", "bandwidth")
    assert judged(large.replace(size, "64 KiB")) == ("readers", "iops", "operations")
    assert judged(large + 'rate = "10 IOPS"\n') == ("readers", "read.p99", "operations")
    named = judged('primary = "operations of readers"\n' + large)
    assert named == ("readers", "iops", "operations"), "what the study names is told"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('primary = "commits of logs"\n' + LOG, ["names no group of this mix", "log"]),
        ('primary = "commits of readers"\n' + READERS, ['"readers" has no commits']),
        (READERS + READERS, ['two groups are called "readers"']),
        (READERS + 'files_of = "lok"\n' + LOG, ['there is no other group "lok"', "log"]),
        (READERS + 'after = "log"\n' + LOG, ["never begins", 'a duration for "log"']),
        (
            READERS + 'start_after = "1 min"\n',
            ["would never begin", "next: --set workload.duration=59s"],
        ),
        (
            READERS + 'duration = "1 min"\n',
            [
                "and the mix ends after 12 s",
                "next: --set workload.duration=58s; or --set workload.group.readers.duration=12s",
            ],
        ),
        ('steady_window = "3 s"\n' + LOG, ["not within a warm-up of 2 s", 'warm_up = "30 s"']),
        ('steady_window = "1 s"\n' + LOG + 'start_after = "1 s"\n', ["has times of its own"]),
        ('steady_window = "1 s"\n' + LOG + 'duration = "1 s"\n', ["has times of its own"]),
        ('steady_window = "100 ms"\n' + LOG, ["at least 200 ms"]),
        (
            LOG.replace("fdatasync", "none")
            + "verify = true\n"
            + READERS
            + 'operations = { write = 1 }\nfiles_of = "log"\n',
            ['what "log" writes is verified, and "readers" writes over it', "verify = false"],
        ),
        (
            'duration = "100 ms"\n' + READERS + 'rate = "1 IOPS"\n',
            ["0.1 operations are due in the 100 ms that are measured", "a longer duration"],
        ),
        (
            'duration = "1 s"\n' + READERS + 'rate = "10 IOPS"\nburst = 50\n',
            ["10 operations are due in the 1 s", "and 50 at a time", "a smaller burst"],
        ),
        (READERS + 'bandwidth = "1 B/s"\n', ["operations are due in the 10 s"]),
        (READERS + 'think = "1 h"\n', ["operations are due in the 10 s"]),
        ("", ["group"]),
        ("rate = 5\n" + READERS, ['unknown key "rate"']),
    ],
)
def test_what_cannot_be_is_refused(lines: str, words: list[str]) -> None:
    with pytest.raises(InputError) as refusal:
        study(lines)
    assert all(each in refusal.value.render() for each in words), refusal.value.render()


def test_groups_one_after_another_share_the_time() -> None:
    first = READERS + 'duration = "3 s"\n'
    found = workload(first + LOG + 'after = "readers"\n')
    readers, log = found.group
    assert found.span_ns(readers) == (0, 0, 3_000_000_000)
    assert found.span_ns(log) == (3_000_000_000, 0, 9_000_000_000)


def test_a_late_group_misses_only_the_warm_up() -> None:
    (group,) = workload(READERS + 'start_after = "500 ms"\n').group
    assert workload(READERS).span_ns(group) == (500_000_000, 1_500_000_000, 10_000_000_000)


def test_a_mix_that_is_written_back_reads_the_same() -> None:
    before = study('primary = "commits of log"\n' + READERS + LOG)
    assert parse_study(dump_study(before), "dumped.toml", "my") == before


def test_a_group_is_changed_by_its_name() -> None:
    document = document_of(f"{HEAD}{READERS}{LOG}", "my.toml")
    document.data["name"] = "my"
    set_key(document, "workload.group.log.sync_every=8")
    assert check(document).workload.group[1].sync_every == 8
    with pytest.raises(InputError, match="is not a key of a group"):
        set_key(document, "workload.group.nobody.rate=5 IOPS")


def test_a_key_of_groups_is_shown_where_it_belongs() -> None:
    """A mix was told that only another kind of study has a rate."""
    with pytest.raises(InputError) as refused:
        study('rate = "1000 IOPS"\n' + READERS)
    assert refused.value.location is not None
    assert refused.value.location.hint == "write workload.group.NAME.rate"
    assert refused.value.next == "fsgauge explain workload.group.rate"
