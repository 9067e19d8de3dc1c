"""Bonnie++ is asked for the very tests, and what it printed is read whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from fsgauge.errors import InputError, RigError
from fsgauge.kinds.sharing.peers import PEERS
from fsgauge.kinds.sharing.peers.bonnie import PLACES, read_csv
from fsgauge.kinds.sharing.tests import BONNIE, TESTS, FileTest
from fsgauge.record.records import Cell

HERE = Path(__file__).parent
WHOLE = (HERE / "bonnie-2.00a-whole.csv").read_text()
"""-s 512:8k:100000:3 -f1 -n 256, in memory."""


@dataclass(frozen=True)
class Workload:
    include_close: bool = True
    include_flush: bool = True
    seeks: int = 8000


def cell_of(test: str, file_mib: int = 64, record_bytes: int = 8192, files: int = 2048) -> Cell:
    factors: dict[str, str | int] = {"test": test}
    if isinstance(TESTS[test], FileTest):
        factors |= {"file_size_bytes": file_mib << 20, "record_size_bytes": record_bytes}
    else:
        factors |= {"folder_files": files}
    return Cell(id=test, name=test, kind="sharing", factors=factors)


def test_every_test_of_bonnie_has_its_place() -> None:
    assert set(PLACES) == {test.name for test in BONNIE}


def test_every_rate_of_a_real_run_is_read() -> None:
    numbers = read_csv(WHOLE)
    put_byte, seeks = numbers["put_byte"], numbers["seeks"]
    assert put_byte is not None and seeks is not None
    assert (put_byte.rate, put_byte.unit, put_byte.processor_share) == (444 << 10, "bytes/s", 0.33)
    assert (seeks.rate, seeks.unit, seeks.processor_share) == (65073, "operations/s", 0.84)
    rates = {test: found and round(found.rate) for test, found in numbers.items()}
    assert rates["put_block"] == 557825 << 10
    assert rates["rewrite_in_place"] == 421417 << 10
    assert rates["get_byte"] == 437 << 10
    assert [rates[test] for test in list(PLACES)[6:]] == [
        41938, 175285, 56540, 37727, 147611, 46431,
    ]  # fmt: skip


def test_pluses_are_no_number() -> None:
    assert read_csv(WHOLE)["get_block"] is None
    for name in ("file", "folder"):
        alone = read_csv((HERE / f"bonnie-2.00a-{name}.csv").read_text())
        assert all(found is None for found in alone.values())


def test_one_start_does_a_file_of_one_size_and_one_the_folder() -> None:
    cells = [cell_of(test.name) for test in BONNIE] + [cell_of("put_block", record_bytes=65536)]
    runs = PEERS["bonnie++"].runs("/bin/bonnie++", "/mnt/it", Workload(), cells)
    commands = [" ".join(run.command) for run in runs]
    assert "-s 64:8192:8000:3 -f64 -n 0" in commands[0]
    assert "-s 0 -n 2" in commands[1]
    assert "-s 64:65536:8000:3 -f -n 0" in commands[2]
    assert [len(run.cells) for run in runs] == [6, 6, 1]
    assert all("-d /mnt/it" in command for command in commands)
    found = runs[0].read(WHOLE)
    assert set(found) == {cell.id for cell in runs[0].cells}


def test_what_another_program_does_is_left_out() -> None:
    cells = [cell_of("write"), cell_of("putc")]
    assert PEERS["bonnie++"].runs("bonnie++", "/mnt", Workload(include_flush=False), cells) == []


@pytest.mark.parametrize(
    ("cell", "workload", "words"),
    [
        (cell_of("put_block"), Workload(include_flush=False), "always counts fsync"),
        (cell_of("put_block"), Workload(include_close=False), "always counts fsync"),
        (cell_of("put_block", record_bytes=3 << 12), Workload(), "no file of 64 MiB"),
        (cell_of("put_block", record_bytes=2 << 20), Workload(), "no file of 64 MiB"),
        (cell_of("create_random", files=1000), Workload(), "no folder of 1000 files"),
    ],
)
def test_what_it_cannot_do_is_refused(cell: Cell, workload: Workload, words: str) -> None:
    with pytest.raises(InputError, match=words):
        PEERS["bonnie++"].runs("bonnie++", "/mnt", workload, [cell])


@pytest.mark.parametrize(
    "output",
    [
        "",
        "Can't write block 7.\n",
        WHOLE[:60],
        WHOLE + WHOLE,
        WHOLE.replace("1.98,", "1.99,", 1),
        WHOLE.replace(",444,", ","),
        WHOLE.replace(",444,", ",444,,"),
        WHOLE.replace(",444,", ",many,"),
        WHOLE.replace(",444,", ",-444,"),
        WHOLE.replace(",444,", ",nan,"),
        WHOLE.replace(",444,", ",1e999,"),
        WHOLE.replace(",444,", ",++4++,"),
        "1.98" + "," * 100_000,
    ],
)
def test_what_is_not_whole_is_an_error_in_words(output: str) -> None:
    with pytest.raises(RigError) as refused:
        read_csv(output)
    assert refused.value.cause and refused.value.next
    assert len(str(refused.value)) < 2000


def test_the_version_is_the_one_that_it_says() -> None:
    assert PEERS["bonnie++"].version("usage:\nbonnie++ [-d dir]\n\nVersion: 2.00a\n") == "2.00a"
    assert PEERS["bonnie++"].version("") == "unknown"
