"""Every option of fio 3.33 has one fate, and the page says it."""

from __future__ import annotations

from pathlib import Path

from fsgauge.converting.fio_options import by_name, canonical, engines, options
from tests.unit.converting.options_page import PAGE, options_page

NAMES = Path(__file__).parent / "fio-3.33-options.txt"
"""Of fio 3.33's HOWTO and of `fio --cmdhelp=all`, one a line."""
ALIASES = {
    "fileoffset", "nr_files", "ratemin", "ratecycle", "timeout", "gpu_dev_id", "volume", "brick",
    "single-instance", "svcl", "initiator", "hdfs_use_direct", "chunck_size", "xnvme_be", "thp",
    "uncached", "verifysort", "verifysort_nr", "flow_watermark",
}  # fmt: skip
"""Known to fio (of some engines alone, or to no effect), and in neither list."""


def test_every_option_of_fio_is_in_the_table() -> None:
    names = NAMES.read_text(encoding="utf-8").split()
    assert len(names) > 320
    assert [name for name in names if name not in by_name()] == []


def test_the_table_has_no_option_that_fio_has_not() -> None:
    names = set(NAMES.read_text(encoding="utf-8").split())
    assert set(by_name()) - names == ALIASES


def test_each_has_one_fate_and_all_but_carried_ones_a_reason() -> None:
    names = [name for option in options() for name in option.names]
    assert len(names) == len(set(names))
    assert [each.names for each in options() if bool(each.why) != (each.fate != "carried")] == []


def test_two_names_of_one_option_are_rows_of_one() -> None:
    for alias, usual in canonical().items():
        assert by_name()[alias].fate == by_name()[usual].fate, alias


def test_engines_are_taken_or_refused() -> None:
    assert engines()["psync"].fate == engines()["libaio"].fate == "carried"
    assert "io_uring" in engines()["posixaio"].why
    assert "never run" in engines()["exec"].why


def test_the_page_is_made_from_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == options_page(), "run: scripts/fio-options"
