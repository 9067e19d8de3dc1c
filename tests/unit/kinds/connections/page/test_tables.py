"""Tables of many clients: what was measured, and apart from it what others published."""

from __future__ import annotations

from functools import cache

from fsgauge.kinds.connections.analysis.model import Connections
from fsgauge.kinds.connections.page import connections_parts
from fsgauge.kinds.connections.page.tables import (
    call_table,
    error_table,
    extents_table,
    extents_words,
    fairness_table,
    latency_table,
    little_table,
    published_tables,
    signed_percent,
)
from fsgauge.kinds.connections.published import asks_of_delayed_allocation, published_rows
from fsgauge.pages import explain_metric
from fsgauge.published.ledger import Figure, ledger_of
from fsgauge.record.machine import Simulation
from fsgauge.report.table_parts import TOO_FEW, Table
from fsgauge.stats.results import Results
from tests.synthetic_connections import BASELINE, OTHER, make_connections


@cache
def results() -> Results:
    return make_connections(clients=20, blocks=4).results()


def connections_of(found: Results) -> Connections:
    own = Connections.of(found)
    assert own is not None
    return own


def both(found: Results) -> tuple[Results, Connections]:
    return found, connections_of(found)


def tables(found: Results) -> dict[str, Table]:
    return {table.name: table for table in published_tables(found)}


def test_published_figures_stand_at_the_right_and_are_marked() -> None:
    table = tables(results())["test-write"]
    assert [column.label for column in table.columns] == [
        "average of all blocks",
        BASELINE,
        OTHER,
        "change",
        "without delayed allocation",
        "with delayed allocation",
        "change",
    ]
    assert table.elsewhere == 3 and "not measured here" in table.note
    creates = next(row for row in table.rows if "create" in row[0].text)
    assert creates[0].text == "average create response time (ms)"
    assert [cell.text for cell in creates[4:]] == ["66.31 ms", "58.17 ms", "\u221212 %"]
    assert "better" in creates[3].text and " to " in creates[3].below


def test_the_publications_change_is_that_of_its_own_values() -> None:
    for test, rows in published_rows().items():
        for row in rows.values():
            before, after = row.values
            if row.change is not None:
                assert abs(100 * (after / before - 1) - row.change) < 1.0, (test, row.name)


def test_every_published_figure_is_the_ledgers_and_names_its_claim() -> None:
    ledger = ledger_of("connections")
    found = tables(results())
    shown = [row[-3:] for table in found.values() if table.elsewhere for row in table.rows]
    assert len(shown) == 16
    for first, second, change in shown:
        claim = ledger.of(change.below.split(",")[0])
        numbers = [*claim.computed] if "computed" in change.below else [*claim.figures]
        values = [v for n in numbers for v in (n.values if isinstance(n, Figure) else [n.value])]
        for cell in (first, second):
            assert float(cell.text.split()[0].replace(",", "")) in values, claim.id


def test_a_test_that_nobody_published_has_no_such_columns() -> None:
    found = make_connections(
        clients=20,
        blocks=2,
        tests=("write", "stat", "backup"),
        backup_orders=("directory", "inode"),
    ).results()
    by_name = tables(found)
    assert by_name["test-stat"].elsewhere == 0 and by_name["test-backup-inode"].elsewhere == 0
    assert by_name["test-backup-directory"].elsewhere == 3


def test_models_of_both_allocators_are_the_published_question() -> None:
    """Block at a time against delayed, in the simulator, had no published columns."""
    found = results()
    for models, is_asked in ((("block-at-a-time", "delayed"), True), (("ext4", "delayed"), False)):
        policies = dict(zip(found.systems, models, strict=True))
        simulation = Simulation.model_construct(policies=policies)
        asked = found.model_copy(update={"simulation": simulation, "differences": []})
        assert asks_of_delayed_allocation(asked) == is_asked


def test_beside_another_question_nothing_published_is_shown() -> None:
    """A page of xfs against btrfs had the figures of delayed allocation at its right."""
    found = results()
    same = [each for each in found.differences if each.fact != "mount options in force"]
    other = [
        each.model_copy(update={"values": {BASELINE: "inode64", OTHER: "none"}})
        for each in found.differences
        if each.fact == "mount options in force"
    ]
    assert other
    for differences in (same, [*same, *other]):
        asked = found.model_copy(update={"differences": differences})
        assert all(table.elsewhere == 0 for table in tables(asked).values())


def test_work_that_was_not_done_leaves_its_place_empty() -> None:
    found = make_connections(
        clients=20, blocks=3, lost=lambda turn, cell: (5, 1) if turn.system == OTHER else (0, 0)
    ).results()
    time = next(r for r in tables(found)["test-write"].rows if r[0].text == "time to complete")
    assert time[1].text and time[2].text == time[3].text == ""


def test_latency_has_percentiles_where_samples_lie_beyond_and_the_call_beside() -> None:
    (table,) = latency_table(*both(results()))
    labels = [column.label for column in table.columns]
    row = next(r for r in table.rows if (r[0].text, r[1].text) == ("write", "create"))
    values = dict(zip(labels, row, strict=True))
    assert values["operation"].below == "200 a run" and values["p50"].text
    assert values["p99"] == TOO_FEW and values["p99.9"] == TOO_FEW
    assert values["of the response"].text == "50 %"
    writes = next(r for r in table.rows if (r[0].text, r[1].text) == ("write", "write"))
    assert dict(zip(labels, writes, strict=True))["p99.9"].text


def test_extents_with_the_ratio_in_words() -> None:
    (table,) = extents_table(*both(results()))
    assert [row[0].text for row in table.rows] == ["write", "write", "backup fill", "backup fill"]
    assert table.rows[1][5].text == "0.05 ▲ better"
    by_extents = [column.label for column in table.columns].index("files by their extents")
    cell = table.rows[0][by_extents]
    assert (cell.text, cell.below) == ("16 to 31: 90 %", "1: 10 %")
    extents = connections_of(results()).extents_of("write", OTHER)
    assert extents is not None
    assert extents_words(extents) == "0.05 (the same in all blocks) ▲ better"


def test_the_check_is_printed_with_both_sides() -> None:
    (table,) = little_table(*both(results()))
    assert len(table.rows) == 6
    assert {row[-1].text for row in table.rows} == {"0.0 %"}
    wrong = make_connections(clients=20, blocks=1, unaccounted=lambda turn, cell: 0.05).results()
    (table,) = little_table(*both(wrong))
    assert {row[-1].text for row in table.rows} == {"\u22125.0 %"}
    assert signed_percent(0.31) == "+0.3 %" and signed_percent(-0.04) == "0.0 %"


def test_fairness_and_calls() -> None:
    (fair,) = fairness_table(*both(results()))
    assert len(fair.rows) == 6 and fair.rows[0][2].text == "90 %"
    (calls,) = call_table(connections_of(results()))
    assert ["write", "pwrite"] in [[row[0].text, row[1].text] for row in calls.rows]


def test_errors_have_a_table_only_where_there_are_any() -> None:
    assert error_table(*both(results())) == []
    found = make_connections(
        clients=20, blocks=2, errors=lambda turn, cell: [("write", "no_space", 7)]
    ).results()
    (table,) = error_table(*both(found))
    assert table.rows[0][3].text == "no space" and "No space left" in table.rows[0][6].below


def test_every_number_has_a_page() -> None:
    parts = connections_parts(results())
    sections = (parts["published"], parts["clients"], parts["latency"], parts["extents"])
    pages = {page for section in sections for table in section for page in table.pages}
    assert len(pages) > 8
    for page in pages:
        assert explain_metric(page)
