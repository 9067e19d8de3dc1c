"""What fio's JSON says, and what it does not."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import pytest

from fsgauge.errors import InputError
from fsgauge.importing import import_results, read_file
from fsgauge.stats.metrics import values
from fsgauge.store.read import read_results
from tests.unit.importing.test_import import fio, imported, side, written


def document(tmp_path: Path, at: int = 0, **job: Any) -> dict[str, Any]:
    """One of a single job, with these of its members."""
    path = fio(tmp_path / "made.json", 1000, at=at)
    found: dict[str, Any] = json.loads(path.read_text().partition("\n")[2])
    found["jobs"][0].update(job)
    return found


def result(tmp_path: Path, **job: Any) -> dict[str, float]:
    """The metrics of such a job."""
    path = written(tmp_path / "one.json", json.dumps(document(tmp_path, **job)))
    (run,) = imported(tmp_path, a=[path]).runs
    assert run.result is not None
    return values(run.result)


@pytest.mark.parametrize(
    ("version", "ends"), [("fio-2.16", "other units"), ("fio-2.1.11", "other units")]
)
def test_units_before_3_0_are_refused(tmp_path: Path, version: str, ends: str) -> None:
    text = json.dumps({**document(tmp_path), "fio version": version})
    with pytest.raises(InputError, match=ends):
        read_file(written(tmp_path / "old.json", text))


@pytest.mark.parametrize("version", ["fio-3.0", "fio-3.33-dirty", "fio-4.1", "fio-gabcdef"])
def test_later_versions_are_read(tmp_path: Path, version: str) -> None:
    text = json.dumps({**document(tmp_path), "fio version": version})
    assert len(read_file(written(tmp_path / "new.json", text))) == 1


@pytest.mark.parametrize(
    ("job", "what"),
    [
        ({"error": 5}, "job failed: Input/output error"),
        ({"error": 5, "total_err": 7, "first_error": 5}, "job failed 7 times: Input/output error"),
        ({"total_err": 7}, "job failed 7 times"),
    ],
)
def test_a_job_that_failed_was_not_tried_again(
    tmp_path: Path, job: dict[str, int], what: str
) -> None:
    path = written(tmp_path / "e.json", json.dumps(document(tmp_path, **job)))
    with pytest.raises(InputError, match=what):
        read_file(path)


def test_data_that_fio_found_otherwise_is_called_that(tmp_path: Path) -> None:
    """ "Invalid or incomplete multibyte or wide character"; next: dmesg."""
    path = written(tmp_path / "e.json", json.dumps(document(tmp_path, error=errno.EILSEQ)))
    with pytest.raises(InputError, match="verify of job failed") as refused:
        read_file(path)
    assert refused.value.next.startswith("fio --verify")


def test_reads_and_writes_in_one_number_are_refused(tmp_path: Path) -> None:
    found = document(tmp_path, mixed=side(1000))
    assert len(read_file(written(tmp_path / "both.json", json.dumps(found)))) == 1
    for each in ("read", "write", "trim"):
        del found["jobs"][0][each]
    with pytest.raises(InputError, match="reads and writes in one number"):
        read_file(written(tmp_path / "mixed.json", json.dumps(found)))


@pytest.mark.parametrize("between", ["", "\n", " ", "\nfio: a message\n", "\n\n\n"])
def test_documents_one_behind_another_are_runs(tmp_path: Path, between: str) -> None:
    texts = [json.dumps(document(tmp_path, at=at, read=side(1000 + at))) for at in range(3)]
    runs = read_file(written(tmp_path / "three.json", between.join(texts)))
    assert [run.tests[0].read.operations for run in runs if run.tests[0].read] == [1000, 1001, 1002]
    again = read_file(written(tmp_path / "three.json", between.join(reversed(texts))))
    assert len(again) == 3


def test_what_is_told_while_a_run_goes_on_is_that_run(tmp_path: Path) -> None:
    """--status-interval: its last document has all of it, whatever ended before."""
    texts = []
    for second in range(0, 13, 3):
        found = document(tmp_path)
        found["timestamp_ms"] += 1000 * second
        first, other = dict(found["jobs"][0]), dict(found["jobs"][0])
        first |= {"jobname": "a", "read": side(100 * min(second, 4), 1000 * min(second, 4))}
        ran = max(0, second - 4)
        other |= {"jobname": "b", "read": side(100 * ran, 1000 * ran)}
        found["jobs"] = [first, other]
        texts.append(json.dumps(found, indent=1))
    path = written(tmp_path / "status.json", "\n".join(texts))
    (run,) = read_file(path)
    assert [test.read and test.read.operations for test in run.tests] == [400, 800]
    assert run.left_out == (f"4 documents of {path}: of a run that went on, as the next one has",)


@pytest.mark.parametrize(
    ("options", "runtime_ms"), [({"bs": "4k"}, 10_000), ({"bs": "4k", "iodepth": "4"}, 10_001)]
)
def test_runs_at_once_are_runs_of_their_own(
    tmp_path: Path, options: dict[str, str], runtime_ms: int
) -> None:
    """The later one of two of a name was taken for the first one's going on."""
    texts = []
    for at in range(2):
        found = document(tmp_path, read=side(1000 + at, runtime_ms if at else 10_000))
        found["timestamp_ms"] += at
        found["jobs"][0]["job options"] = options if at else {"bs": "4k"}
        texts.append(json.dumps(found))
    runs = read_file(written(tmp_path / "both.json", "\n".join(texts)))
    assert len(runs) == 2 and not any(run.left_out for run in runs)


@pytest.mark.parametrize("kept", [0.5, 0.9, 1.5, 1.9])
def test_a_document_that_was_cut_short_is_fios(tmp_path: Path, kept: float) -> None:
    texts = [json.dumps(document(tmp_path, at=at)) for at in range(2)]
    text = "\n".join(texts)[: int(kept * len(texts[0]))]
    with pytest.raises(InputError, match="of fio: its JSON is cut short or damaged at line"):
        read_file(written(tmp_path / "cut.json", text))


def test_only_percentiles_that_fio_listed_have_numbers(tmp_path: Path) -> None:
    listed = {"99.000000": 110_000}
    found = result(tmp_path, read=side(100_000, percentile=listed))
    assert found["read.p99"] == pytest.approx(110_000, rel=1 / 64)
    assert "read.p50" not in found and "read.p999" not in found
    low = result(tmp_path, read=side(100_000, percentile={"1.000000": 30_000, "50.000000": 90_000}))
    assert low["read.p50"] == pytest.approx(90_000, rel=1 / 64)
    assert "read.p99" not in low and "read.p999" not in low


def test_a_histogram_has_no_operations_below_zero(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="operations below 0"):
        result(tmp_path, read=side(1000, bins={"90000": -1000}))


def test_syncs_have_their_latency(tmp_path: Path) -> None:
    latency = {"min": 1000, "max": 9_000_000, "mean": 2e6, "N": 500}
    sync = {"total_ios": 500, "lat_ns": {**latency, "percentile": {"50.000000": 1_900_000}}}
    found = result(tmp_path, sync=sync)
    assert found["sync.mean"] == pytest.approx(2e6)
    assert found["sync.p50"] == pytest.approx(1_900_000, rel=1 / 64)


def test_trims_beside_writes_are_told(tmp_path: Path) -> None:
    path = written(tmp_path / "t.json", json.dumps(document(tmp_path, trim=side(10))))
    _, found = import_results({"a": [path]}, tmp_path / "results", [])
    assert found.left_out == ["trims of job: no number here is of trims"]


@pytest.mark.parametrize(
    ("options", "unlike"),
    [
        ({"bs": "4k", "iodepth": "32"}, "queue depth: 8 in"),
        ({"bs": "4k", "iodepth": "8", "rw": "read"}, "rw: randread in"),
        ({"bs": "4k"}, "queue depth: 8 in"),
        ({"bs": "4k", "iodepth": "8", "numjobs": "4"}, "jobs: 1 in"),
        ({"bs": "4k", "iodepth": "8", "direct": "1"}, "direct: 0 in"),
        ({"bs": "4k", "iodepth": "8", "buffered": "0"}, "direct: 0 in"),
        ({"bs": "4k", "iodepth": "8", "sync": "dsync"}, "sync: none in"),
        ({"bs": "4k", "iodepth": "8", "fsync": "1"}, "fsync: 0 in"),
        ({"bs": "4k", "iodepth": "8", "ioengine": "libaio"}, "ioengine: psync in"),
        ({"bs": "4k", "iodepth": "8", "rate_iops": "100"}, "rate_iops: 0 in"),
        ({"bs": "4k", "iodepth": "8", "random_distribution": "zipf:1.2"}, "random_distribution:"),
        ({"bs": "4k", "iodepth": "8", "thinktime": "5"}, "thinktime: 0 in"),
        ({"bs": "4k", "iodepth": "8", "rw": "write"}, "read in"),
    ],
)
def test_unlike_jobs_of_one_name_are_no_repetitions(
    tmp_path: Path, options: dict[str, str], unlike: str
) -> None:
    first = fio(tmp_path / "1.json", 1000)
    found = document(tmp_path, at=1)
    found["jobs"][0]["job options"] = options
    if options.get("rw") == "write":
        job = found["jobs"][0]
        job["read"], job["write"] = job["write"], job["read"]
        del found["global options"], options["rw"]
    other = written(tmp_path / "2.json", json.dumps(found))
    for files in ({"a": [first, other]}, {"a": [first], "b": [other]}):
        with pytest.raises(InputError, match="not the same load") as raised:
            imported(tmp_path, **files)
        assert raised.value.details[0].startswith(unlike)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"rw": "rw"}, {"readwrite": "readwrite"}),
        ({"rw": "rw"}, {"rw": "readwrite", "rwmixread": "50", "numjobs": "1"}),
        ({"rw": "randrw", "rwmixread": "70"}, {"rw": "randrw", "rwmixwrite": "30"}),
        ({"direct": "1", "sync": "1"}, {"buffered": "0", "sync": "sync"}),
        ({"ioengine": "psync", "direct": "0"}, {}),
        ({"size": "1g", "rate_iops": "1k"}, {"size": "1024m", "rate_iops": "1024"}),
        ({"size": "1g"}, {}),
    ],
)
def test_one_load_in_other_words_is_a_repetition(
    tmp_path: Path, one: dict[str, str], other: dict[str, str]
) -> None:
    paths = []
    for at, options in enumerate((one, other)):
        found = document(tmp_path, at=at)
        found["global options"] = {}
        found["jobs"][0]["job options"] = {"bs": "4k", **options}
        paths.append(written(tmp_path / f"{at}.json", json.dumps(found)))
    assert len(imported(tmp_path, a=paths).runs) == 2


@pytest.mark.parametrize("name", ["bssplit", "blocksize_range"])
def test_other_sizes_by_weight_are_no_repetition(tmp_path: Path, name: str) -> None:
    paths = []
    for at, value in enumerate(("4k/60:64k/40", "4k/50:64k/50")):
        found = document(tmp_path, at=at)
        found["jobs"][0]["job options"] = {"bs": "4k", name: value}
        paths.append(written(tmp_path / f"{at}.json", json.dumps(found)))
    with pytest.raises(InputError, match="not the same load"):
        imported(tmp_path, a=paths)


def test_a_job_whose_options_are_not_printed_has_no_defaults(tmp_path: Path) -> None:
    """fio's sum of several clients."""
    found = document(tmp_path, at=1)
    del found["jobs"][0]["job options"]
    path = written(tmp_path / "2.json", json.dumps(found))
    assert len(imported(tmp_path, a=[fio(tmp_path / "1.json", 1000), path]).runs) == 2


def test_a_job_that_did_nothing_once_is_the_same_job(tmp_path: Path) -> None:
    first, other = fio(tmp_path / "1.json", 1000), document(tmp_path, at=1, read=side(0))
    second = written(tmp_path / "2.json", json.dumps(other))
    assert len(imported(tmp_path, a=[first, second]).runs) == 2


def test_sizes_that_vary_have_no_mean_that_varies(tmp_path: Path) -> None:
    paths = []
    for at in range(2):
        found = document(tmp_path, at=at, read=side(1000 + at), write=side(500 - at))
        found["jobs"][0]["job options"] = {"bssplit": "4k/60:64k/40"}
        found["jobs"][0]["read"]["io_bytes"] += 60 * 1024
        paths.append(written(tmp_path / f"{at}.json", json.dumps(found)))
    directory, _ = import_results({"a": paths}, tmp_path / "results", [])
    runs = read_results(directory).runs
    assert len(runs) == 2 and "block_size_bytes" not in runs[0].cell.factors


def test_a_file_that_is_not_there_was_not_copied_in_part(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.json is missing") as raised:
        read_file(tmp_path / "x.json")
    assert "study" not in str(raised.value.cause)
    with pytest.raises(InputError, match="is missing") as raised:
        read_file(tmp_path / "nosuch" / "x.json")
    assert raised.value.next == f"ls {tmp_path}"
