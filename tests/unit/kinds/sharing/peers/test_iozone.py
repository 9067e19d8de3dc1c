"""IOzone is asked for the very passes, and its table is read whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.errors import InputError, RigError
from fsgauge.kinds.sharing.peers import PEERS
from fsgauge.kinds.sharing.peers.iozone import Row, read_table
from fsgauge.kinds.sharing.tests import IOZONE
from tests.unit.kinds.sharing.peers.test_bonnie import Workload, cell_of

HERE = Path(__file__).parent
ONE = (HERE / "iozone-one.txt").read_text()
"""-R -c -s 16384k -r 64k -i 0 -i 1, IOzone 3.471, in memory."""
AUTO = (HERE / "iozone-auto.txt").read_text()
"""-Rac -n 64k -g 256k -i 0 -i 1: as the publication, with smaller files."""


def test_every_number_of_a_real_run_is_read() -> None:
    assert list(read_table(ONE)) == [
        Row("write", 16384, 64, 730290),
        Row("rewrite", 16384, 64, 504449),
        Row("read", 16384, 64, 4613963),
        Row("reread", 16384, 64, 1417545),
    ]


def test_the_automatic_mode_has_records_by_files() -> None:
    found = {row[:3]: row.rate for row in read_table(AUTO)}
    assert {test for test, *_ in found} == {test.name for test in IOZONE}
    assert len(found) == 4 * (5 + 6 + 7)
    assert all(record <= size for _, size, record in found)
    assert found["rewrite", 128, 8] == 18609
    assert found["reread", 256, 256] == 19955913


def test_a_record_that_a_file_does_not_have_is_no_rate() -> None:
    cells = [cell_of("write", 16, 65536)]
    (run,) = PEERS["iozone"].runs("iozone", "/mnt", Workload(), cells)
    with pytest.raises(RigError, match="no write of 16384 KiB"):
        run.read(ONE.replace("  730290   504449", "       0   504449"))


def test_one_start_does_all_passes_of_a_size() -> None:
    cells = [cell_of(test.name, 16, 65536) for test in IOZONE]
    cells += [cell_of("write", 16, 4096), cell_of("put_block")]
    runs = PEERS["iozone"].runs("/opt/iozone", "/mnt/it", Workload(include_flush=False), cells)
    assert [len(run.cells) for run in runs] == [4, 1]
    words = "/opt/iozone -s 16384k -r 64k -i 0 -i 1 -c -f /mnt/it/fsgauge-iozone.tmp"
    assert " ".join(runs[0].command) == words
    rates = {cell: found and found.rate for cell, found in runs[0].read(ONE).items()}
    assert rates == {
        "write": 730290 << 10, "rewrite": 504449 << 10, "read": 4613963 << 10,
        "reread": 1417545 << 10,
    }  # fmt: skip
    with pytest.raises(RigError, match="no write of 16384 KiB in records of 4 KiB"):
        runs[1].read(ONE)


@pytest.mark.parametrize(("close", "flush", "words"), [(True, True, "-c -e"), (False, False, "")])
def test_what_counts_is_an_option(close: bool, flush: bool, words: str) -> None:
    workload = Workload(include_close=close, include_flush=flush)
    (run,) = PEERS["iozone"].runs("iozone", "/mnt", workload, [cell_of("read", 16, 65536)])
    assert " ".join(run.command[9:-2]) == words


def test_what_it_cannot_do_is_refused() -> None:
    with pytest.raises(InputError, match="no file of 1 MiB in records of 768 KiB"):
        PEERS["iozone"].runs("iozone", "/mnt", Workload(), [cell_of("read", 1, 768 << 10)])


@pytest.mark.parametrize(
    "output",
    [
        "",
        ONE[: ONE.index("iozone test complete")],
        ONE.replace("  730290", " -730290"),
        ONE.replace("  730290", "     nan"),
        ONE.replace("  730290", "9" * 4000),
        ONE.replace("  730290", "9" * 5000),
        ONE.replace("reclen", "length"),
        ONE[ONE.index("iozone test complete") :],
        "iozone test complete.\n" + "1 2 3\n" * 100_000,
    ],
)
def test_what_is_not_whole_is_an_error_in_words(output: str) -> None:
    (run,) = PEERS["iozone"].runs("iozone", "/mnt", Workload(), [cell_of("write", 16, 65536)])
    with pytest.raises(RigError) as refused:
        run.read(output)
    assert refused.value.cause and refused.value.next
    assert len(str(refused.value)) < 2000


def test_the_version_is_the_one_that_it_says() -> None:
    assert PEERS["iozone"].version("\tVersion $Revision: 3.471 $\n") == "3.471"
    assert PEERS["iozone"].version("") == "unknown"
