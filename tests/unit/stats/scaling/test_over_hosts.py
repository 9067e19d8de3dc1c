"""Rates over the number of hosts: a planted law comes back, and the answer says what it means."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from fsgauge.kinds.overhead.analysis import Overhead
from fsgauge.kinds.overhead.page import host_files_table
from fsgauge.kinds.writers.analysis.answer import writers_answer
from fsgauge.kinds.writers.analysis.model import Scaling
from fsgauge.report.hosts import over_hosts, over_hosts_tables
from fsgauge.report.write import write_report
from fsgauge.stats import Results
from fsgauge.stats.scaling.growth import host_groups
from fsgauge.stats.scaling.model import HostScaling
from tests.over_hosts_example import at_a_limit, on_hosts, over_hosts_study, slower
from tests.synthetic_connections import make_connections
from tests.synthetic_sharing import make_sharing
from tests.synthetic_writers import make_writers

ONE_CELL = {"patterns": ("randread",), "block_sizes": (4096,), "queue_depths": (1,)}
TWO = {"ext4": "ext4", "xfs": "xfs"}


def scaling_of(results: Results, system: str) -> HostScaling:
    assert results.hosts is not None
    (found,) = [each for each in results.hosts.scaling if each.system == system]
    return found


def test_a_planted_law_comes_back() -> None:
    counts = (1, 2, 3, 4, 6, 8)
    laws = {"ext4": (0.1, 0.0), "xfs": (0.0, 0.0)}
    results = over_hosts_study(counts, laws, systems=TWO, blocks=8, **ONE_CELL).results()
    ext4, xfs = scaling_of(results, "ext4"), scaling_of(results, "xfs")
    assert ext4.group == "randread 4 KiB, depth 1"
    assert [point.hosts for point in ext4.points] == list(counts)
    assert ext4.fit.state == xfs.fit.state == "fits"
    contention = ext4.fit.contention
    assert contention is not None and contention.low is not None and contention.high is not None
    assert contention.low <= 0.1 <= contention.high
    last = ext4.points[-1]
    assert last.change is not None and last.change.value == pytest.approx(8 / 1.7, rel=0.03)
    assert last.efficiency is not None
    assert last.efficiency.value == pytest.approx(1 / 1.7, rel=0.03)
    assert ext4.points[0].change is None and ext4.points[0].efficiency is None


def test_the_answer_says_how_many_times_one_host_s_work() -> None:
    laws = {"ext4": (0.1, 0.0)}
    results = over_hosts_study((1, 2, 4), laws, systems=TWO, blocks=5, **ONE_CELL).results()
    said = results.answer
    assert "Four hosts do 3.0" in said or "Four hosts do 3.1" in said, said
    assert "times the random reads of one on ext4 (" in said and "times on xfs (" in said
    assert "depth 1 on 4 hosts" in said
    assert scaling_of(results, "ext4").fit.state == "too few counts"
    assert "3 numbers of hosts" in scaling_of(results, "ext4").fit.reason


def test_one_system_over_hosts_has_an_answer_of_its_own() -> None:
    study = over_hosts_study((1, 2), {}, systems={"shared": "mounted"}, blocks=5, **ONE_CELL)
    results = study.results()
    assert results.answer.startswith("Two hosts do "), results.answer
    assert "There is only one system" not in results.answer


def test_what_a_second_node_adds_to_a_shared_file_system_is_the_answer() -> None:
    """It rested on one node, and said that there is only one system."""
    made = make_sharing(blocks=6)
    sound = replace(made, runs=[run for run in made.runs if run.fault is None])
    study = on_hosts(sound, (1, 2), {})
    said = study.results().answer
    assert re.search(r"Two hosts do \S+ times the writes of one on ext3 \(", said), said


def test_too_few_blocks_say_nothing_of_hosts() -> None:
    study = over_hosts_study((1, 2), {}, systems={"shared": "mounted"}, blocks=2, **ONE_CELL)
    assert "hosts do" not in study.results().answer


def test_one_host_stands_at_the_begin_of_each_choice_of_files() -> None:
    files = (("separate", 1.0), ("same", 0.8))
    study = over_hosts_study((1, 2), {}, files=files, systems=TWO, blocks=5, **ONE_CELL)
    groups = host_groups(study.study.plan.cells)
    assert [group.name for group in groups] == [
        "randread 4 KiB, depth 1, separate files",
        "randread 4 KiB, depth 1, same files",
    ]
    assert all(sorted(group.cells) == [1, 2] for group in groups)


def test_writers_scale_over_hosts_beside_their_own_scaling(tmp_path: Path) -> None:
    """Each host brings all writers: two laws, one over writers on as many hosts, one over hosts."""
    study = on_hosts(make_writers(writers=(1, 2), blocks=6), (1, 2, 4), {"xfs": (0.2, 0.0)})
    results = study.results()
    scaling = Scaling.of(results)
    assert scaling is not None
    assert list(dict.fromkeys(line.group for line in scaling.lines)) == [
        "1 host",
        "2 hosts",
        "4 hosts",
    ]
    assert scaling.between_groups == []  # more hosts are more load
    found = [line for line in results.host_scaling if line.system == "xfs"]
    assert [line.metric for line in found] == ["iops", "iops"]
    for line in found:
        last = line.points[-1]
        assert last.change is not None and last.change.value == pytest.approx(4 / 1.6, rel=0.05)
    subject = "Two writers of 8 KiB to one file on each of four hosts"
    assert results.answer.startswith(f"{subject} do "), results.answer
    assert "; the device alone 1.92 times." in results.answer
    assert " % of raw's 8 KiB sequential writes by 2 writers on 4 hosts (" in results.answer
    assert "Four hosts do 4.02 times the sequential writes of one on raw (" in results.answer
    said = writers_answer(scaling, [study.study.plan.cells[-1]], 3.0)
    assert said.startswith("Two writers of 8 KiB to one file on each of four hosts do "), said
    study.write(tmp_path)
    page = write_report(tmp_path).read_text()
    assert page.count('id="figure-over-hosts"') == 1 and page.count('id="figure-writers"') == 1
    rates_in(results, "IOPS", "IOPS")
    synced = results.model_copy(update={"commits": [cell.id for cell in results.cells]})
    rates_in(synced, "commits/s", "rate")


def rates_in(results: Results, unit: str, head: str) -> None:
    """Rates over hosts are in this unit, and this heads their column."""
    made, drawn = over_hosts_tables(results)[0], over_hosts(results)
    labels = [column.label for column in made.columns]
    assert drawn is not None and f"{unit} (higher is better)" in drawn.wide
    assert head in labels and {"IOPS", "rate"} & set(labels) == {head}
    said = {row[labels.index(head)].text.endswith(" commits/s") for row in made.rows}
    assert said == {unit == "commits/s"}
    assert re.search(rf" hosts?: [\d.]+( k)? {unit} \(", drawn.wide)


def test_clients_scale_over_hosts_by_what_a_test_is_judged_by(tmp_path: Path) -> None:
    made = make_connections(clients=20, tests=("write", "read"), blocks=6)
    study = on_hosts(made, (1, 2, 4), {"ext4 delalloc": (0.2, 0.0)})
    results = study.results()
    found = [line for line in results.host_scaling if line.system == "ext4 delalloc"]
    assert [(line.group, line.metric) for line in found] == [
        ("write", "bandwidth"),
        ("read", "bandwidth"),
    ]
    for line in found:
        last = line.points[-1]
        assert last.change is not None and last.change.value == pytest.approx(4 / 1.6, rel=0.05)
    assert "times the writes of one on ext4 nodelalloc (" in results.answer
    assert "writes by 20 clients on 4 hosts" in results.answer
    study.write(tmp_path)
    page = write_report(tmp_path).read_text()
    assert page.count('id="figure-over-hosts"') == 1
    assert "B/s (higher is better)" in page
    assert "80 clients at once" in page


def test_what_a_disk_s_limit_sets_is_said_to_be_set_by_it() -> None:
    """An answer said that two nodes do 2.00 times the reads of one, and as many on the same files:
    each had half of the disk's limit, and did all that it allows."""
    files = (("separate", 1.0), ("same", 0.8))
    study = over_hosts_study((1, 2), {}, files=files, systems=TWO, blocks=5, **ONE_CELL)
    free = study.results()
    assert "set by" not in free.answer
    limited = at_a_limit(study).results()
    cause = "set by a disk's IOPS limit)"
    assert limited.answer.count(cause) == 4, "two systems, twice"
    own = Overhead.of(limited)
    assert own is not None
    assert {each.limited_by for each in own.host_files} == {"a disk's IOPS limit"}
    (table,) = host_files_table(limited)
    assert all(row[-1].text.endswith("none: a disk's IOPS limit") for row in table.rows)
    assert "None: the rig set both rates" in table.note
    (of_free,) = host_files_table(free)
    assert "none" not in of_free.rows[0][-1].text and "None" not in of_free.note


@pytest.mark.parametrize("systems", [TWO, {"shared": "mounted"}], ids=["two", "one"])
def test_the_page_draws_rates_over_hosts(systems: dict[str, str], tmp_path: Path) -> None:
    study = over_hosts_study((1, 2, 4), {}, systems=systems, blocks=5, **ONE_CELL)
    study.write(tmp_path)
    page = write_report(tmp_path).read_text()
    assert page.count('id="figure-over-hosts"') == 1
    assert "By number of hosts" in page and "there is nothing to compare it with" not in page
    assert "No scalability law is fitted: 3 numbers of hosts" in page


def test_a_study_that_does_not_vary_hosts_has_none_of_it() -> None:
    study = over_hosts_study((2,), {}, systems=TWO, blocks=5, **ONE_CELL)
    results = study.results()
    assert results.hosts is not None and results.hosts.scaling == []
    assert "hosts do" not in results.answer


def test_the_same_files_are_held_against_separate_ones(tmp_path: Path) -> None:
    """A planted loss of 20 % comes back, in the answer, in the results and on the page."""
    files = (("separate", 1.0), ("same", 0.8))
    systems = {"shared": "mounted"}
    study = over_hosts_study((1, 2), {}, files=files, systems=systems, blocks=6, **ONE_CELL)
    results = study.results()
    own = Overhead.of(results)
    assert own is not None
    (ratio,) = own.host_files
    assert ratio.ratio.ratio == pytest.approx(0.8, rel=0.03) and ratio.ratio.verdict == "worse"
    assert results.answer.startswith("On the same files, two hosts do 80 % on shared ("), (
        results.answer
    )
    assert "Two hosts do 1.6" in results.answer
    study.write(tmp_path)
    page = write_report(tmp_path).read_text()
    assert "The same files, against separate ones" in page


def test_of_several_systems_what_the_study_asks_comes_first() -> None:
    """`two-nodes` said that ocfs2 cannot be told from gfs2, and not what its question asks: the
    same files against separate ones, two nodes against one, and where it is worst."""
    files = (("separate", 1.0), ("same", 0.9))
    keys = ONE_CELL | {"patterns": ("randread", "randwrite")}
    study = over_hosts_study((1, 2), {}, files=files, systems=TWO, blocks=6, **keys)
    runs = [
        slower(run, 0.5) if run.cell.id == "randwrite-4KiB-depth1-hosts2-same" else run
        for run in study.runs
    ]
    said = replace(study, runs=runs).results().answer
    assert said.startswith("On the same files, two hosts do "), said
    files, hosts = said.split(" Two hosts do ")
    assert "f the random writes 4" in files and files.count(" on xfs (") == 2
    assert hosts.startswith("1.8") and "f the random writes 0.9" in hosts
    assert ", on the same files." in said and "xfs does 1.05 times ext4's" in said
