"""What other tools measured becomes a folder that is read like every other one."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from fsgauge import importing
from fsgauge.errors import InputError
from fsgauge.importing import import_results, read_file
from fsgauge.plain_files.bounds import Bound
from fsgauge.record.command import ForeignJob
from fsgauge.stats.metrics import values
from fsgauge.stats.read import read_stored
from fsgauge.store import StoredStudy
from fsgauge.store.read import read_results

DATA = Path(__file__).parents[1] / "kinds" / "sharing" / "peers"
ELBENCHO = """\
ISO date,label,path type,paths,hosts,threads,dirs,files,file size,block size,direct IO,random,random aligned,IO depth,shared paths,truncate,operation,time ms [first],time ms [last],entries/s [first],entries/s [last],IOPS [first],IOPS [last],MiB/s [first],MiB/s [last],CPU% [first],CPU% [last],entries [first],entries [last],MiB [first],MiB [last],Ent lat us [min],Ent lat us [avg],Ent lat us [max],IO lat us [min],IO lat us [avg],IO lat us [max],version,command
2026-11-20T10:00:00.000+0000,,file,1,1,4,,,1073741824,4096,1,1,1,8,,0,WRITE,900,1000,,,250000,240000,976,937,50,51,,,900,937,,,,10,120,900,3.0.1,"elbencho" "-w"
2026-11-20T10:00:02.000+0000,,file,1,1,4,,,1073741824,4096,1,1,1,8,,0,READ,900,1000,,,350000,340000,1367,1328,50,51,,,900,1328,,,,10,90,900,3.0.1,"elbencho" "-r"
"""  # noqa: E501 - as elbencho writes it
IOR = """\
IOR-4.0.0: MPI Coordinated Test of Parallel I/O
Began               : Fri Nov 20 10:00:00 2026
Command line        : ior -w -r -t 1m -b 64m -i 2
Machine             : Linux node1

Options:
tasks               : 4

Results:

access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----
write     512.00     520.10     0.007000    65536      1024.00    0.000500   0.490000   0.000300   0.500000   0
read      1024.00    1030.00    0.003000    65536      1024.00    0.000500   0.240000   0.000300   0.250000   0
write     500.00     505.00     0.007100    65536      1024.00    0.000500   0.500000   0.000300   0.512000   1
read      1000.00    1010.00    0.003100    65536      1024.00    0.000500   0.250000   0.000300   0.256000   1
"""  # noqa: E501 - as IOR writes it

_BONNIE_1_97 = (
    "1.97,1.97,host1,1,1446545498,16G,,770,99,118120,21,57219,13,1866,98,151320,16,209.1,7,16,,,,,"
    "2389,19,+++++,+++,4217,22,5011,32,+++++,+++,5163,24,11438us,1124ms,1305ms,9423us,345ms,491ms,"
    "50551us,1098us,1142us,10121us,208us,1135us"
)


def side(operations: int, runtime_ms: int = 10_000, **latency: Any) -> dict[str, Any]:
    """What was read, or written."""
    known = {"min": 20_000, "max": 900_000, "mean": 1e5, "N": operations, **latency}
    done = {"total_ios": operations, "io_bytes": operations * 4096, "runtime": runtime_ms}
    return {**done, "clat_ns": known, "lat_ns": {"min": 0, "max": 0, "mean": 0.0, "N": 0}}


def fio(path: Path, iops: float, *, bins: bool = False, name: str = "job", at: int = 0) -> Path:
    """fio's JSON of one job that reads for ten seconds."""
    operations = round(10 * iops)
    latency = {"percentile": {"50.000000": 90_000, "99.000000": 110_000, "99.900000": 800_000}}
    if bins:
        latency = {"bins": {"90000": operations - 100, "110000": 80, "800000": 20}}
    nothing = {"total_ios": 0, "io_bytes": 0, "runtime": 0, "lat_ns": {}, "clat_ns": {}}
    job = {
        "jobname": name, "error": 0, "job options": {"bs": "4k", "iodepth": "8"},
        "read": side(operations, **latency), "write": nothing, "trim": nothing,
        "job_runtime": 10_000, "usr_cpu": 5.0, "sys_cpu": 15.0,
    }  # fmt: skip
    document = {
        "fio version": "fio-3.33",
        "timestamp_ms": 1_795_000_000_000 + at * 60_000,
        "global options": {"rw": "randread"},
        "jobs": [job],
    }
    path.write_text("fio: a message before it\n" + json.dumps(document), encoding="utf-8")
    return path


def imported(tmp_path: Path, **files: list[Path]) -> StoredStudy:
    directory, _ = import_results(files, tmp_path / "results", ["fsgauge", "import"])
    return read_results(directory)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_repeated_runs_of_two_systems_have_a_verdict(tmp_path: Path) -> None:
    ext4 = [fio(tmp_path / f"e{n}.json", 10_000 + 20 * n, at=2 * n) for n in range(5)]
    xfs = [fio(tmp_path / f"x{n}.json", 13_000 + 30 * n, at=2 * n + 1) for n in range(5)]
    stored = imported(tmp_path, ext4=ext4, xfs=xfs)
    results = read_stored(stored)
    (rate,) = [each for each in results.comparisons if each.metric == "iops"]
    assert rate.verdict == "better" and rate.n == 5
    assert rate.low is not None and 1.2 < rate.low < rate.ratio < 1.4


def with_another_job(path: Path, name: str) -> Path:
    """fio's JSON with its job once more, under another name."""
    message, _, text = path.read_text(encoding="utf-8").partition("\n")
    document = json.loads(text)
    document["jobs"].append(document["jobs"][0] | {"jobname": name})
    return written(path, f"{message}\n{json.dumps(document)}")


def test_each_of_a_few_tests_is_in_the_answer(tmp_path: Path) -> None:
    """The second was told in no sentence, and no comparison of two folders was about it."""
    files = {
        system: [
            with_another_job(fio(tmp_path / f"{system}{n}.json", rate + 20 * n, at=n), "index")
            for n in range(6)
        ]
        for system, rate in (("ext4", 10_000), ("xfs", 13_000))
    }
    headline, *more = read_stored(imported(tmp_path, **files)).lines
    assert headline.startswith("xfs does 1."), headline
    assert " times ext4's job of 4 KiB (1." in headline
    assert any(each.startswith("Index of 4 KiB: xfs 1.") for each in more), more


def test_a_record_says_whose_it_is(tmp_path: Path) -> None:
    stored = imported(tmp_path, a=[fio(tmp_path / "one.json", 10_000)])
    (run,) = stored.runs
    assert isinstance(run.job, ForeignJob)
    assert (run.job.tool, run.job.test, run.job.file) == ("fio 3.33", "job", "one.json")
    assert len(run.job.sha256) == 64
    assert stored.study.rig == "foreign"
    assert run.load is None
    assert run.cell.factors["block_size_bytes"] == 4096
    assert stored.before.load.kernel == "unknown"


@pytest.mark.parametrize("bins", [True, False])
def test_quantiles_are_fios_own(tmp_path: Path, bins: bool) -> None:
    stored = imported(tmp_path, a=[fio(tmp_path / "one.json", 10_000, bins=bins)])
    result = stored.runs[0].result
    assert result is not None
    found = values(result)
    assert found["iops"] == pytest.approx(10_000)
    assert found["bandwidth"] == pytest.approx(10_000 * 4096)
    assert found["read.mean"] == pytest.approx(100_000)
    assert found["read.p50"] == pytest.approx(90_000, rel=1 / 64)
    assert found["cpu"] == pytest.approx(0.2 * 10e9 / 100_000)
    if not bins:
        assert found["read.p99"] == pytest.approx(110_000, rel=1 / 64)
        assert found["read.p999"] == pytest.approx(800_000, rel=1 / 64)


def test_a_run_that_is_not_there_for_every_system_is_left_out(tmp_path: Path) -> None:
    files = {name: [fio(tmp_path / f"{name}{n}.json", 10 * count + n) for n in range(count)]
             for name, count in (("a", 3), ("b", 2))}  # fmt: skip
    _, found = import_results(files, tmp_path / "results", [])
    assert found.blocks == 2
    assert found.left_out == ["1 of 3 runs of a: b has 2"]


def test_tests_that_not_all_have_are_left_out(tmp_path: Path) -> None:
    one, two = fio(tmp_path / "1.json", 1000, name="x"), fio(tmp_path / "2.json", 1000, name="y")
    with pytest.raises(InputError, match="no test in common"):
        import_results({"a": [one, two]}, tmp_path / "results", [])


def test_iozone_whatever_it_prints(tmp_path: Path) -> None:
    stored = imported(tmp_path, a=[DATA / "iozone-one.txt"])
    rates = {run.cell.name: values(run.result)["bandwidth"] for run in stored.runs if run.result}
    assert rates == {
        "write": 730290 * 1024,
        "rewrite": 504449 * 1024,
        "read": 4613963 * 1024,
        "reread": 1417545 * 1024,
    }
    assert stored.runs[0].cell.factors["block_size_bytes"] == 64 << 10


def test_iozone_of_many_sizes_names_each(tmp_path: Path) -> None:
    stored = imported(tmp_path, a=[DATA / "iozone-auto.txt"])
    names = {run.cell.name for run in stored.runs}
    assert len(names) == len(stored.runs) > 20
    assert "write 4 KiB, 64 KiB file" in names


def test_bonnies_lines_are_runs(tmp_path: Path) -> None:
    line = (DATA / "bonnie-2.00a-whole.csv").read_text(encoding="utf-8")
    later = line.replace(",1795448497,", ",1795448999,")
    stored = imported(tmp_path, a=[written(tmp_path / "two.csv", line.strip() + "\n" + later)])
    assert len(stored.turns) == 2
    names = {run.cell.name for run in stored.runs}
    assert "put block" in names or "create sequential" in names


def test_elbenchos_phases(tmp_path: Path) -> None:
    stored = imported(tmp_path, a=[written(tmp_path / "e.csv", ELBENCHO)])
    found = {run.cell.name: values(run.result) for run in stored.runs if run.result}
    assert found["write"]["iops"] == pytest.approx(240_000)
    assert found["write"]["write.mean"] == pytest.approx(120_000)
    assert found["read"]["bandwidth"] == pytest.approx(1328 * (1 << 20))
    assert stored.runs[0].cell.factors["queue_depth"] == 8


def test_elbencho_reads_and_writes_in_one_phase(tmp_path: Path) -> None:
    """Of --rwmixpct the writes alone were told, as if they were all."""
    head, write, _ = ELBENCHO.splitlines()
    named = [f"rwmix read {name} [last]" for name in ("IOPS", "MiB/s")]
    columns = head.replace(",version", f",{','.join(named)},rwmix read IO lat us [avg],version")
    row = write.replace("WRITE", "RWMIX70").replace(",3.0.1", ",560000,2188,90,3.0.1")
    (run,) = read_file(written(tmp_path / "m.csv", f"{columns}\n{row}\n"))
    last = {"elapsed_time_ms": 1000, "iops": 240_000, "bytes/s": 240_000 << 12}
    last |= {"rwmix_read": {"iops": 560_000, "bytes/s": 560_000 << 12}}
    last |= {"latency": {"IO": {"avg_us": 120, "rwmix_read": {"avg_us": 90}}}}
    text = json.dumps({"phase_type": "RWMIX70", "last_done": last, "config": {}})
    (other,) = read_file(written(tmp_path / "m.json", text))
    for (test,) in (run.tests, other.tests):
        assert test.read is not None and test.write is not None
        assert (test.read.operations, test.write.operations) == (560_000, 240_000)
        assert (test.read.latency.sum_ns, test.write.latency.sum_ns) == (504 * 10**8, 288 * 10**8)


def test_elbenchos_direct_runs_are_no_buffered_ones(tmp_path: Path) -> None:
    buffered = ELBENCHO.replace("4096,1,1,1,8", "4096,0,1,1,8")
    files = [written(tmp_path / f"{n}.csv", each) for n, each in enumerate((ELBENCHO, buffered))]
    with pytest.raises(InputError, match="not the same load") as raised:
        import_results({"a": files}, tmp_path / "results", [])
    assert any("direct_io: 1" in line for line in raised.value.details)


def test_other_modes_of_iozone_and_ior_are_no_repetitions(tmp_path: Path) -> None:
    table = (DATA / "iozone-one.txt").read_text(encoding="utf-8")
    direct = table.replace("\tInclude close", "\tO_DIRECT feature enabled\n\tInclude close")
    options = "tasks               : 4\naccess              : single-shared-file\n"
    shared = IOR.replace("tasks               : 4\n", options)
    own = shared.replace("single-shared-file", "file-per-process")
    for texts, told in (((table, direct), "modes: "), ((shared, own), "access: single-shared-")):
        files = [written(tmp_path / f"{at}.txt", text) for at, text in enumerate(texts)]
        with pytest.raises(InputError, match="not the same load") as raised:
            import_results({"a": files}, tmp_path / "results", [])
        assert raised.value.details[0].startswith(told)
    assert len(read_file(written(tmp_path / "s.txt", shared))) == 2


def test_ior_behind_the_words_of_mpirun_and_of_before_3_2(tmp_path: Path) -> None:
    """MPI's own messages were more than was looked at; 3.0 says its options with =, indented."""
    said = "[0] MPI startup(): I_MPI_WAIT_MODE is not supported\n" * 100
    assert len(read_file(written(tmp_path / "mpi.txt", said + IOR))) == 2
    options = "\taccess             = file-per-process\n\tclients            = 8 (8 per node)\n"
    old = IOR.replace("tasks               : 4\n", options).replace("IOR-4.0.0", "IOR-3.0.1")
    first = read_file(written(tmp_path / "old.txt", old))[0].tests[0]
    assert (first.said["access"], first.factors["jobs"]) == ("file-per-process", 8)


def test_a_folder_is_called_one(tmp_path: Path) -> None:
    """It was "no plain file", put there by another program."""
    with pytest.raises(InputError, match="is a folder") as folder:
        read_file(tmp_path)
    assert str(folder.value.next).endswith("/*"), "a shell names the files of a folder"


def test_iors_repetitions_are_runs(tmp_path: Path) -> None:
    stored = imported(tmp_path, a=[written(tmp_path / "ior.txt", IOR)])
    assert [run.cell.name for run in stored.runs] == ["write", "read"] * 2
    first = stored.runs[0].result
    assert first is not None and values(first)["bandwidth"] == pytest.approx(512 << 20, rel=0.01)
    assert stored.runs[0].cell.factors["jobs"] == 4


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "nothing that is known"),
        ("hello\n", "nothing that is known"),
        ('{"fio version": "fio-3.33", "jobs": []}', "it has no jobs"),
        ('{"fio version": "fio-3.33", "jobs": [{"jobname": "x"}]}', "it has no 'read'"),
        ("Iozone: Performance Test of File I/O\n", "did not complete"),
        ("1.98,2.00a,host\n", "fields"),
        (IOR.split("write ")[0], "no row"),
        (IOR.replace("0.007000", "NA"), "is no whole result of IOR: 'NA' is no number"),
        (IOR.replace("1024.00 ", "0       "), "is no whole result of IOR: a number is missing"),
        (ELBENCHO.replace("900,1000", "0,0"), "it has no results"),
        (ELBENCHO.replace("240000", "-240000"), "a number is missing"),
        (ELBENCHO.replace("240000", "inf"), "a number is missing"),
        (ELBENCHO.replace("240000", "1" * 200_000), "of elbencho: field larger"),
        (ELBENCHO.splitlines()[0] + "\n", "of elbencho: it has no results"),
        (ELBENCHO[:-130], r"line 3 has \d+ columns instead of 39"),
        (IOR[:-40], "a row of 7 columns below a head of 11"),
        ('{"Command line": "ior", "tests": [', "its JSON is cut short or damaged at line 1"),
        (_BONNIE_1_97[:90], "a line of 22 fields instead of 48"),
    ],
)
def test_what_is_no_whole_result_is_refused(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        import_results({"a": [written(tmp_path / "x", text)]}, tmp_path / "results", [])
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    "text",
    [
        '{"fio version": "fio-3.33", "jobs": [' + "[]," * 2000 + "[]]}",
        '{"Command line": "ior", "tests": [' + "[]," * 2000 + "[]]}",
        '{"phase_type": "READ", "last_done": [' + "[]," * 2000 + "[]]}",
        '{"fio version": "fio-3.33", "jobs": ' + "[" * 1000 + "]" * 1000 + "}",
    ],
    ids=["fio", "IOR", "elbencho", "deep"],
)
def test_a_small_file_of_a_great_deal_is_refused_before_it_is_understood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """180 MiB of empty lists took 8 GiB."""
    monkeypatch.setattr(importing, "RESULT", Bound(1 << 20, 1000))
    with pytest.raises(InputError, match=r"allowed"):
        import_results({"a": [written(tmp_path / "x.json", text)]}, tmp_path / "results", [])


def test_eight_times_the_phases_of_elbencho_take_no_fifty_times_as_long(tmp_path: Path) -> None:
    """Each phase copied the rest of the file."""

    def seconds(phases: int) -> float:
        last = {"elapsed_time_ms": 1000, "iops": 5, "padding": "x" * 2000}
        row = json.dumps({"phase_type": "READ", "last_done": last, "config": {}})
        path = written(tmp_path / "x.json", f"{row}\n \n" * phases)
        began = time.process_time()
        read_file(path)
        return time.process_time() - began

    few, many = (min(seconds(phases) for _ in range(3)) for phases in (500, 4000))
    assert many < 25 * few


def test_a_clock_before_1970_says_no_time(tmp_path: Path) -> None:
    message, _, text = fio(tmp_path / "t.json", 100).read_text().partition("\n")
    document = {**json.loads(text), "timestamp": 1, "timestamp_ms": 1}
    path = written(tmp_path / "t.json", f"{message}\n{json.dumps(document)}")
    assert [run.started_unix_ns for run in read_file(path)] == [None]


def test_trims_are_no_reads_and_writes_that_did_nothing(tmp_path: Path) -> None:
    document = json.loads(fio(tmp_path / "t.json", 100).read_text().partition("\n")[2])
    (job,) = document["jobs"]
    job["trim"], job["read"] = job["read"], job["trim"]
    path = written(tmp_path / "t.json", json.dumps(document))
    with pytest.raises(InputError, match="job trims, and no number here is of trims"):
        import_results({"a": [path]}, tmp_path / "results", [])


def test_two_tools_are_no_repetition(tmp_path: Path) -> None:
    files = [fio(tmp_path / "1.json", 1000), DATA / "iozone-one.txt"]
    with pytest.raises(InputError, match="several tools"):
        import_results({"a": files}, tmp_path / "results", [])


@pytest.mark.parametrize("version", ["1.96", "1.97"])
def test_a_line_of_an_older_bonnie_has_no_seeks_behind_its_chunk(
    tmp_path: Path, version: str
) -> None:
    line = _BONNIE_1_97.replace("1.97", version)
    (run,) = read_file(written(tmp_path / "b.csv", line))
    rates = {test.name: test for test in run.tests}
    assert run.tool == f"bonnie++ {version}" and run.machine == "host1"
    written_bytes, created = rates["put block"].write, rates["create sequential"].write
    assert written_bytes is not None and written_bytes.size_bytes == 118120 * 1024
    assert created is not None and created.operations == 2389 * 1000
    assert rates["put block"].factors["file_size_bytes"] == 16 << 30


def test_texts_one_behind_another_are_runs_of_each(tmp_path: Path) -> None:
    later = IOR.replace("Nov 20 10:", "Nov 21 10:").replace("512.00", "511.00")
    assert len(read_file(written(tmp_path / "ior.txt", "srun: job 5\n" + IOR + later))) == 4
    rows = "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s)"
    text = f"{rows},numTasks,iter\nwrite,512,520,0.007,65536,1024,0.1,0.4,0.1,0.5,4,0\n"
    assert len(read_file(written(tmp_path / "ior.csv", text * 2))) == 2
    row = {"access": "write", "bwMiB": 5, "iops": 5, "latency": 0.1, "xferKiB": 1024}
    test = {"Results": [[{**row, "totalTime": 2.0}]]}
    text = json.dumps({"Command line": "ior", "tests": [test]})
    assert len(read_file(written(tmp_path / "ior.json", f"{text}\n{text}"))) == 2
    assert len(read_file(written(tmp_path / "elbencho.csv", ELBENCHO * 2))) == 2


def test_the_summary_below_the_table_of_ior_has_no_rows(tmp_path: Path) -> None:
    """ "a row of 27 columns below a head of 11": each of IOR's results was refused."""
    numbers = " ".join(["1.00"] * 26)
    summary = f"\nMax Write: 512.00 MiB/sec\n\nSummary of all tests:\nOperation Max(MiB) API RefNum\nwrite {numbers}\nread {numbers}\nFinished : now\n"  # noqa: E501
    path = written(tmp_path / "ior.txt", f"{IOR}{summary}{IOR.replace('512.00', '511.00')}")
    assert [len(run.tests) for run in read_file(path)] == [2] * 4


def test_sizes_that_ior_swept_are_tests_of_their_own(tmp_path: Path) -> None:
    row = "write 800.00 200.00 0.003000 65536 4096.00 0.0005 0.4 0.0003 0.3 0\n"
    stored = imported(tmp_path, a=[written(tmp_path / "ior.txt", IOR + row)])
    assert [run.cell.name for run in stored.runs] == ["write", "read"] * 2
    one = written(tmp_path / "one.txt", IOR.partition("write     500.00")[0] + row)
    names = [run.cell.name for run in imported(tmp_path, a=[one]).runs]
    assert names == ["write 1 MiB", "read", "write 4 MiB"]


def test_one_load_twice_in_a_run_has_the_advice_of_its_tool(tmp_path: Path) -> None:
    deeper = ELBENCHO.splitlines()[1].replace(",1,8,,", ",1,64,,")
    path = written(tmp_path / "e.csv", f"{ELBENCHO}{deeper}\n")
    with pytest.raises(InputError, match="two tests called write") as raised:
        imported(tmp_path, a=[path])
    assert "fio" not in str(raised.value.cause)


def test_one_run_is_one_sample(tmp_path: Path) -> None:
    first = fio(tmp_path / "1.json", 1000)
    with pytest.raises(InputError, match="is named twice"):
        imported(tmp_path, a=[first, first])
    copied = written(tmp_path / "2.json", f"{first.read_text()}\n")
    with pytest.raises(InputError, match="has the run of"):
        imported(tmp_path, a=[first], b=[copied])
    with pytest.raises(InputError, match="has the same run twice"):
        imported(tmp_path, a=[written(tmp_path / "i.txt", IOR * 2)])
    line = (DATA / "iozone-one.txt").read_text(encoding="utf-8")
    with pytest.raises(InputError, match="has the same run twice"):
        imported(tmp_path, a=[written(tmp_path / "z.txt", line * 2)])


def test_unlike_loads_of_one_name_are_no_repetitions(tmp_path: Path) -> None:
    elbencho = written(tmp_path / "e.csv", ELBENCHO)
    for now, what in (
        (",1,8,,", ",1,64,,"),
        ("1,1,4,,,", "1,1,8,,,"),
        ("4096,1,1,1", "4096,1,0,1"),
    ):
        other = written(tmp_path / "o.csv", ELBENCHO.replace(now, what))
        with pytest.raises(InputError, match="not the same load"):
            imported(tmp_path, a=[elbencho, other])
    other = written(tmp_path / "o.csv", ELBENCHO.replace("4096", "65536"))
    with pytest.raises(InputError, match="no test in common") as raised:
        imported(tmp_path, a=[elbencho, other])
    assert f"{other}: write 64 KiB" in raised.value.details


def test_few_runs_have_advice_that_can_be_followed(tmp_path: Path) -> None:
    stored = imported(tmp_path, a=[fio(tmp_path / "1.json", 1000)])
    (few,) = [each for each in read_stored(stored).findings if each.code == "blocks.few"]
    assert few.advice == "Import 8 runs or more of each system."


def test_what_a_tool_could_not_rate_is_told(tmp_path: Path) -> None:
    (run,) = read_file(written(tmp_path / "b.csv", _BONNIE_1_97))
    assert run.left_out == ("tests that ended too fast for bonnie++ to rate (+++++)",)
    text = ELBENCHO.replace("READ,900,1000", "READ,0,0")
    (run,) = read_file(written(tmp_path / "e.csv", text))
    assert run.left_out == ("read: it took less than a millisecond",)


def test_entries_of_elbencho_have_their_own_latency(tmp_path: Path) -> None:
    head, first, _ = ELBENCHO.splitlines()
    fields = first.split(",")
    names = head.split(",")
    for name, value in (
        ("operation", "STAT"),
        ("IOPS [last]", ""),
        ("entries/s [last]", "5000"),
        ("Ent lat us [avg]", "70"),
        ("IO lat us [avg]", ""),
    ):
        fields[names.index(name)] = value
    (run,) = imported(
        tmp_path, a=[written(tmp_path / "e.csv", f"{head}\n{','.join(fields)}\n")]
    ).runs
    assert run.result is not None and values(run.result)["read.mean"] == pytest.approx(70_000)
