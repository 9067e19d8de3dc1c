"""nbench's rate is taken when enough is measured, and not from a client that failed."""

import pytest

import nbench
from side_by_side import Failed
from study_work import StudyWork

# smbtorture 4.17.12, bench.nbench --num-progs=100 --timelimit=20.
LINES = [
    "smbtorture 4.17.12-Debian\n",
    "   0         0  0.00 MB/sec  warmup 1 sec   \n",
    "100 clients started\n",
    " 100        93  15.44 MB/sec  execute 1 sec  latency 0.00 msec \n",
    " 100       861  51.94 MB/sec  execute 6 sec  latency 0.00 msec \n",
    " 100      1007  52.91 MB/sec  execute 8 sec  latency 0.00 msec \n",
    " 100      1100  53.30 MB/sec  execute 9 sec  latency 0.00 msec \n",
]


def test_the_rate_is_the_first_that_is_long_enough() -> None:
    lines = iter(LINES)
    assert nbench.rate(lines, clients=100) == 52.91
    assert len(list(lines)) == 1, "it reads no further"


def test_an_end_before_that_is_no_rate() -> None:
    with pytest.raises(Failed, match="nbench did not do its work"):
        nbench.rate(LINES[:5], clients=100)


def test_a_failed_call_is_no_rate() -> None:
    failed = "[12] Error: WriteX should have succeeded - NT_STATUS_DISK_FULL\n"
    with pytest.raises(Failed, match="NT_STATUS_DISK_FULL"):
        nbench.rate([*LINES[:4], failed, *LINES[4:]], clients=100)


def test_a_client_that_is_missing_ends_the_bench() -> None:
    with pytest.raises(Failed, match="100 clients of nbench are at work"):
        nbench.rate(LINES, clients=101)


def test_a_load_file_reads_each_file_when_it_is_written() -> None:
    work = StudyWork(clients=1, sizes=2, files_of_size=1)
    lines = list(nbench.load(work, calls=8))
    assert lines == [
        'Mkdir "\\clients\\client1" NT_STATUS_OK',
        'NTCreateX "\\clients\\client1\\f0" 0x0 0x2 7 NT_STATUS_OK',
        "WriteX 7 0 4096 4096 NT_STATUS_OK",
        "Close 7 NT_STATUS_OK",
        'NTCreateX "\\clients\\client1\\f0" 0x0 0x1 7 NT_STATUS_OK',
        "ReadX 7 0 4096 4096 NT_STATUS_OK",
        "Close 7 NT_STATUS_OK",
        'NTCreateX "\\clients\\client1\\f1" 0x0 0x2 7 NT_STATUS_OK',
        "WriteX 7 0 4096 4096 NT_STATUS_OK",
        "WriteX 7 4096 4096 4096 NT_STATUS_OK",
        "Close 7 NT_STATUS_OK",
        'NTCreateX "\\clients\\client1\\f1" 0x0 0x1 7 NT_STATUS_OK',
        "ReadX 7 0 4096 4096 NT_STATUS_OK",
        "ReadX 7 4096 4096 4096 NT_STATUS_OK",
        "Close 7 NT_STATUS_OK",
    ]
