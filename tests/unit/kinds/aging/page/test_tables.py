"""Tables of an aged file system: what is decided, what is not, and what is said once."""

from __future__ import annotations

import pytest

from fsgauge.kinds.aging.page.claims import claims_table
from fsgauge.kinds.aging.page.tables import disk_table, predicted_table, summary_table
from fsgauge.published.ledger import ledger_of
from fsgauge.record.machine import Simulation
from fsgauge.report.table_parts import Table
from fsgauge.stats.results import Results
from tests.synthetic_aging import BASELINE, SYSTEMS, make_aging

LEVELS = (5, 50, 100)
TWO = {name: SYSTEMS[name] for name in ("ext4 1 MiB", "ext4 8 MiB")}


def results_of(**changes: object) -> Results:
    return make_aging(**{"levels": LEVELS, "systems": TWO, "maps": False, **changes}).results()


def summary(results: Results) -> Table:
    assert results.own is not None
    return summary_table(results, results.own)[0]


@pytest.fixture(scope="module")
def results() -> Results:
    return results_of()


def test_each_system_has_a_line_for_writes_and_one_for_reads(results: Results) -> None:
    rows = [[cell.text for cell in row[:2]] for row in summary(results).rows]
    assert rows == [[system, side] for system in TWO for side in ("write", "read")]


def test_a_decided_loss_has_its_mark_and_its_end(results: Results) -> None:
    row = summary(results).rows[0]
    assert row[3].text.endswith("▼") and row[4].below.endswith(", at 5 % free")
    assert row[5].text == "100 %" and row[5].below == "less at 2 levels"


def test_nothing_decided_is_not_called_whole() -> None:
    noisy = summary(results_of(noise=0.3, blocks=3, kept=lambda chunk, free, side: 1.0))
    assert "undecided" in (words := {row[5].text for row in noisy.rows}) and "always" not in words
    calm = summary(results_of(noise=0.002, kept=lambda chunk, free, side: 1.0))
    assert {row[5].text for row in calm.rows} == {"always"}


def test_too_few_blocks_are_told_once() -> None:
    few = summary(results_of(blocks=2))
    assert few.note.endswith("No interval is known from 2 blocks.")
    assert not any("not known" in cell.below for row in few.rows for cell in row)
    assert few.rows[0][4].below == "at 5 % free"


def test_claims_stand_beside_the_systems_that_they_are_about(results: Results) -> None:
    assert results.own is not None
    (table,) = claims_table(results, results.own)
    rows = {row[0].text: row for row in table.rows}
    of_writes = rows["the least that 8 MiB keeps of its clean write rate"]
    assert of_writes[1].text.endswith(" %") and of_writes[2].text == "91 %"
    assert (of_writes[3].text, of_writes[3].below) == ("at least 89 %", "S-27")
    of_small = rows["what 1 MiB keeps of its clean read rate at 5 % free"]
    assert of_small[2].text == "30 %" and of_small[3].below == "S-23, in our words"
    assert rows["clean write rate, 8 MiB over 1 MiB"][1].text.endswith(" %")


def test_a_simulated_claim_is_not_called_measured(results: Results) -> None:
    """The page of a simulation had a column "measured here"."""
    assert results.own is not None
    models = Simulation(
        model_version=3, policies={}, proofs={}, device="disk-2012", device_words="", numbers=[]
    )
    simulated = results.model_copy(update={"simulation": models})
    heads = []
    for each in (results, simulated):
        (table,) = claims_table(each, results.own)
        heads.append(table.columns[1].label)
    assert heads == ["measured here", "simulated here"]


def test_an_interval_whose_ends_read_alike_is_within_rounding(results: Results) -> None:
    """ "85 % to 85 %" stood beside the clean rates, and "within rounding" in every other table."""
    assert results.own is not None
    near = [each.model_copy(update={"low": 0.851, "high": 0.852}) for each in results.comparisons]
    alike = results.model_copy(update={"comparisons": near})
    (table,) = claims_table(alike, results.own)
    rows = {row[0].text: row for row in table.rows}
    assert rows["clean write rate, 8 MiB over 1 MiB"][1].below == "within rounding"


def test_every_published_cell_is_a_claim_of_the_ledger(results: Results) -> None:
    assert results.own is not None
    (table,) = claims_table(results, results.own)
    for row in table.rows:
        claim = ledger_of("aging").of(row[3].below.split(",")[0])
        said = {claim.fact, *(figure.printed for figure in claim.figures)}
        assert row[3].text in said


def test_where_the_model_contradicts_the_publication_the_page_says_so() -> None:
    all_sizes = results_of(systems=SYSTEMS, blocks=3)
    assert all_sizes.own is not None
    (table,) = claims_table(all_sizes, all_sizes.own)
    assert "contradicts the publication" in table.note and "for 2 MiB" in table.note
    two = results_of(blocks=3, systems={BASELINE: SYSTEMS[BASELINE]})
    assert two.own is not None
    (alone,) = claims_table(two, two.own)
    assert "contradicts" not in alone.note


def test_claims_about_sizes_that_the_study_does_not_have_are_left_out() -> None:
    results = results_of(systems={BASELINE: SYSTEMS[BASELINE]}, blocks=2)
    assert results.own is not None
    (table,) = claims_table(results, results.own)
    assert not any("8 MiB over" in row[0].text or "that 8 MiB" in row[0].text for row in table.rows)
    own = results_of(systems={"xfs": None}, blocks=2)
    assert own.own is not None and claims_table(own, own.own) == []


def test_predictions_name_their_levels(results: Results) -> None:
    assert results.own is not None
    (table,) = predicted_table(results, results.own, [5, 100])
    assert [column.label for column in table.columns[2:]] == ["5 % free", "100 % free"]
    assert [cell.text for cell in table.rows[0][2:]] == ["30 %", "100 %"]


def test_every_number_of_the_disk_has_a_unit_and_a_source(results: Results) -> None:
    assert results.own is not None
    rows = {row[0].text: row for row in disk_table(results.own)[0].rows}
    assert rows["outer_rate"][1].text == "175 MB/s" and rows["seek_average"][1].text == "8.5 ms"
    assert rows["position"][1].text == "35 %" and rows["window"][1].text == "64"
    assert all(row[2].text and row[3].text for row in rows.values())
