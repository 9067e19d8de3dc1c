"""dbench's load files hold the engine's work, and its words are read as it means them."""

import sys
from pathlib import Path

import pytest

import dbench
from side_by_side import Failed, Skipped
from study_work import StudyWork
from tool import Finished

# dbench 5.0 (a8e1c0f) with --run-once --warmup=2, its words in the middle left out.
OUTPUT = """dbench version 5.0 - Copyright Andrew Tridgell 1999-2004

Waiting for child processes to finish setup.
Releasing clients
  10         2     0.00 MB/sec  warmup   1 sec  latency 999.966 ms
  10      2484    99.39 MB/sec  execute   1 sec  latency 30.665 ms
  10     10431    80.36 MB/sec  execute   5 sec  latency 1304.348 ms

 Operation                Count    AvgLat    MaxLat
 --------------------------------------------------
 READ                     51150     0.443   141.804

Throughput 80.3629 MB/sec  10 clients  10 procs  max_latency=1304.348 ms
"""


def test_the_rate_is_that_of_the_whole_work() -> None:
    assert dbench.rate(OUTPUT, lines=10431) == 80.3629


def test_cpu_time_is_of_all_lines_of_all_clients(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def dbench_ends(_: list[str]) -> Finished:
        assert len(list(tmp_path.glob("*.load"))) == 10
        return Finished(OUTPUT, cpu_ns=10431 * 10 * 7000, peak_bytes=0)

    monkeypatch.setenv(dbench.VARIABLE, sys.executable)
    monkeypatch.setattr(dbench, "run_tool", dbench_ends)
    work = StudyWork(clients=10, sizes=10, files_of_size=5)
    done = dbench.run(dbench.SMB, [], work, tmp_path, [])
    assert done == dbench.Done(megabytes_per_second=80.3629, cpu_us_of_line=7)
    assert not list(tmp_path.iterdir())


def test_lines_left_out_end_the_bench() -> None:
    with pytest.raises(Failed, match="10431 lines were done by each client of dbench"):
        dbench.rate(OUTPUT, lines=10432)


def test_an_end_in_the_warm_up_is_no_rate() -> None:
    words = OUTPUT.replace("execute", "warmup ")
    with pytest.raises(Failed, match="reports no throughput"):
        dbench.rate(words, lines=10431)


def test_a_load_file_is_the_work_of_one_client() -> None:
    work = StudyWork(clients=3, sizes=2, files_of_size=1)
    lines = list(dbench.load(dbench.SMB, work, client=2, begin_seconds=5))
    assert lines == [
        '0.017 MKDIR "/clients/client1" SUCCESS',
        '5.000 OPEN "/clients/client1/f0" 0x1a SUCCESS',
        'WRITE "/clients/client1/f0" 0 4096 SUCCESS',
        'CLOSE "/clients/client1/f0" SUCCESS',
        'OPEN "/clients/client1/f1" 0x1a SUCCESS',
        'WRITE "/clients/client1/f1" 0 4096 SUCCESS',
        'WRITE "/clients/client1/f1" 4096 4096 SUCCESS',
        'CLOSE "/clients/client1/f1" SUCCESS',
        'OPEN "/clients/client1/f0" 0x01 SUCCESS',
        'READ "/clients/client1/f0" 0 4096 SUCCESS',
        'CLOSE "/clients/client1/f0" SUCCESS',
        'OPEN "/clients/client1/f1" 0x01 SUCCESS',
        'READ "/clients/client1/f1" 0 4096 SUCCESS',
        'READ "/clients/client1/f1" 4096 4096 SUCCESS',
        'CLOSE "/clients/client1/f1" SUCCESS',
    ]
    assert dbench.load_lines(work) == len(lines)


@pytest.mark.parametrize("calls", [dbench.SMB, dbench.NFS])
def test_a_load_file_has_every_record_twice(calls: dbench.Calls) -> None:
    work = StudyWork(clients=10, sizes=10, files_of_size=5)
    lines = list(dbench.load(calls, work, client=0, begin_seconds=2))
    assert len(lines) == dbench.load_lines(work) == 10431
    for verb in (calls.write[1].split()[0], calls.read[1].split()[0]):
        assert sum(line.startswith(f"{verb} ") for line in lines) == work.records / work.clients


def test_without_a_binary_the_bench_says_which_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(dbench.VARIABLE, raising=False)
    with pytest.raises(Skipped, match="FSGAUGE_DBENCH5 names no dbench 5"):
        dbench.binary()
    monkeypatch.setenv(dbench.VARIABLE, "/nowhere/dbench")
    with pytest.raises(Skipped, match="/nowhere/dbench, which cannot be run"):
        dbench.binary()
