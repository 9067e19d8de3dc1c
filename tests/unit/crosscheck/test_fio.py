"""A fio that is not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fsgauge.crosscheck import fio
from fsgauge.crosscheck.fio import fio_command, fio_numbers, parse_fio
from fsgauge.engine import wire
from fsgauge.errors import InputError, RigError


def test_without_fio_the_next_command_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fio, "find_tool", lambda _name: None)
    with pytest.raises(RigError) as refusal:
        fio.fio_version()
    assert refusal.value.next == "apt-get install fio"


RECORDED = Path(__file__).with_name("fio-3.33-randrw.json").read_text(encoding="utf-8")


def document() -> dict[str, Any]:
    return parse_fio(RECORDED)


def test_numbers_are_those_of_all_jobs() -> None:
    job = document()["jobs"][0]
    found = fio_numbers(document())
    operations = job["read"]["total_ios"] + job["write"]["total_ios"]
    assert found.values["iops"] == pytest.approx(operations / 0.05, rel=0.05)
    assert found.values["read.p99"] == job["read"]["lat_ns"]["percentile"]["99.000000"]
    assert found.values["write.mean"] == job["write"]["lat_ns"]["mean"]
    assert found.values["read.p50"] < found.values["read.p99"]


def test_processor_time_is_that_of_all_jobs() -> None:
    """Two threads for 50 ms have 100 ms: fio's percentages are shares of these."""
    job, found = document()["jobs"][0], fio_numbers(document())
    operations = job["read"]["total_ios"] + job["write"]["total_ios"]
    in_all_ns = found.values["cpu"] * operations
    assert found.processor_share == pytest.approx((job["usr_cpu"] + job["sys_cpu"]) / 100)
    assert in_all_ns == pytest.approx(found.processor_share * 100e6, rel=0.05)


def test_messages_before_the_document_are_no_part_of_it() -> None:
    said = "fio: this platform does not support x\n{note} in braces\n{}\n"
    assert parse_fio(said + RECORDED + "\nfio: bye\n") == document()


def test_numbers_that_are_none_are_read() -> None:
    broken = RECORDED.replace('"bw_agg" : 0.000000', '"bw_agg" : -nan')
    assert broken != RECORDED
    assert parse_fio('{"jobs" : [{"a" : -nan, "b" : inf}]}') == {"jobs": [{"a": None, "b": None}]}
    assert fio_numbers(parse_fio(broken)) == fio_numbers(document())


@pytest.mark.parametrize("said", ["", "fio: out of memory", RECORDED[:2000], '{"jobs" : []}'])
def test_no_document_is_an_error_in_words(said: str) -> None:
    with pytest.raises(RigError, match="fio printed no results"):
        parse_fio(said)


def test_another_shape_is_an_error_that_names_what_lacks() -> None:
    changed = json.loads(RECORDED)
    del changed["jobs"][0]["read"]["lat_ns"]["percentile"]
    with pytest.raises(RigError, match="KeyError 'percentile'"):
        fio_numbers(changed)
    changed["jobs"][0]["error"] = 5
    with pytest.raises(RigError, match="I/O error 5"):
        fio_numbers(changed)


DEVICE = wire.BlockTarget(path="/dev/loop3", offset_bytes=4096, size_bytes=1 << 30)
MANY = wire.FilesTarget(directory="/mnt", count=316, file_size_bytes=1 << 20)
FILES = wire.FilesTarget(directory="/mnt/a:b", count=4, file_size_bytes=1 << 20)


def job(**changes: Any) -> wire.LoadJob:
    told: dict[str, Any] = {
        "target": DEVICE,
        "interface": "io_uring",
        "direct": True,
        "access": wire.RandomAccess(),
        "read_percent": 100,
        "block_sizes": [wire.BlockSize(size_bytes=4096)],
        "queue_depth": 32,
        "jobs": 1,
        "warm_up_ns": 200_000_000,
        "duration_ns": 500_000_000,
        "seed": 7,
    }
    return wire.LoadJob(**(told | changes))


def words(**changes: Any) -> set[str]:
    return set(fio_command(job(**changes)))


def test_a_queue_has_the_engines_depth_and_batches() -> None:
    assert {
        "--ioengine=io_uring",
        "--iodepth=32",
        "--iodepth_batch_submit=1",
        "--iodepth_batch_complete_min=1",
        "--iodepth_batch_complete_max=32",
        "--registerfiles",
        "--fixedbufs",
    } <= words()


@pytest.mark.parametrize(
    ("changes", "batch"),
    [
        ({"queue_depth": 64}, 1),
        ({"access": wire.SequentialAccess()}, 1),
        ({"direct": False}, 16),
        ({"direct": False, "queue_depth": 4}, 4),
        ({"submit_batch": 8}, 8),
    ],
)
def test_what_a_device_has_to_do_is_submitted_one_by_one(
    changes: dict[str, Any], batch: int
) -> None:
    """In one call, neighbours would be merged, and a loop device gave 0.8 of the rate."""
    depth = changes.get("queue_depth", 32)
    told = words(**changes)
    assert {f"--iodepth_batch_submit={batch}", f"--iodepth_batch_complete_max={depth}"} <= told


def test_fio_by_itself_has_no_batches_of_ours() -> None:
    told = fio_command(job(queue_depth=32), own_batches=True)
    assert not [word for word in told if "batch" in word]
    assert "--registerfiles" in told


def test_a_batch_that_the_job_names_is_waited_for_whole() -> None:
    told = words(batch=8)
    assert {"--iodepth_batch_submit=8", "--iodepth_batch_complete_min=8"} <= told


def test_psync_has_no_option_of_a_ring() -> None:
    told = words(interface="psync", queue_depth=1)
    assert "--ioengine=psync" in told
    assert not [word for word in told if "batch" in word or "register" in word]


def test_the_region_of_a_device_is_the_engines() -> None:
    assert {"--filename=/dev/loop3", "--offset=4096", f"--size={1 << 30}", "--direct=1"} <= words()


def test_files_are_the_engines_each_as_likely() -> None:
    told = words(target=FILES)
    assert {
        "--directory=/mnt/a\\:b/",
        "--filename=fsgauge-0000:fsgauge-0001:fsgauge-0002:fsgauge-0003",
        f"--filesize={1 << 20}",
        f"--size={4 << 20}",
        "--file_service_type=random",
        "--norandommap",
    } <= told


def test_time_is_given_in_a_unit_that_holds_it() -> None:
    assert {"--runtime=500ms", "--ramp_time=200ms", "--time_based"} <= words()
    assert "--runtime=1500us" in words(duration_ns=1_500_000)
    assert not [word for word in words(warm_up_ns=0) if "ramp" in word]


@pytest.mark.parametrize(
    ("percent", "direction"), [(100, "randread"), (0, "randwrite"), (70, "randrw")]
)
def test_the_direction_follows_the_share_of_reads(percent: int, direction: str) -> None:
    told = words(read_percent=percent)
    assert f"--rw={direction}" in told
    assert ("--rwmixread=70" in told) == (percent == 70)


def test_writes_are_new_data_and_make_no_file() -> None:
    told = words(read_percent=0)
    assert {"--scramble_buffers=1", "--allow_file_create=0", "--fallocate=none"} <= told
    assert not [word for word in told if "fsync" in word or "refill" in word]
    assert "--zero_buffers" in words(read_percent=0, data=wire.ZeroData())


def test_a_sequential_walk_goes_through_whole_files() -> None:
    told = words(target=FILES, access=wire.SequentialAccess())
    assert {"--rw=read", "--file_service_type=roundrobin:256"} <= told
    assert "--norandommap" not in told


def test_sequential_jobs_have_a_share_each() -> None:
    told = fio_command(job(target=FILES, access=wire.SequentialAccess(), jobs=2))
    begins = [told.index(f"--name=crosscheck{number}") for number in (0, 1)]
    assert "--filename=fsgauge-0000:fsgauge-0001" in told[begins[0] : begins[1]]
    assert "--filename=fsgauge-0002:fsgauge-0003" in told[begins[1] :]
    region = wire.BlockTarget(path="/dev/loop3", size_bytes=3 * 4096)
    told = fio_command(job(target=region, access=wire.SequentialAccess(), jobs=2))
    assert [word for word in told if "offset" in word or "--size" in word] == [
        "--offset=0",
        "--size=4096",
        "--offset=4096",
        "--size=8192",
    ]


def test_a_rate_is_shared_as_fio_counts_it() -> None:
    rate = wire.Rate(operations_per_second=1000, arrival="exponential")
    assert {"--rate_iops=350,150", "--rate_process=poisson"} <= words(
        rate=rate, jobs=2, read_percent=70
    )
    assert "--rate_iops=1000," in words(rate=rate)
    assert "--rate_iops=,1000" in words(rate=rate, read_percent=0)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"target": FILES, "access": wire.ZipfAccess(theta=1.1)}, "zipf load on several files"),
        ({"access": wire.ZipfAccess(theta=1.0)}, "theta 1"),
        ({"target": FILES, "access": wire.SequentialAccess(), "jobs": 3}, "4 files among 3"),
        ({"target": MANY}, "names of 316 files"),
    ],
)
def test_what_fio_does_otherwise_is_refused(changes: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError, match=what):
        fio_command(job(**changes))


def test_as_many_files_as_fio_takes_are_named() -> None:
    """fio 3.33 refuses a list of names of more than 4096 characters."""
    told = words(target=MANY.model_copy(update={"count": 315}))
    (names,) = [word for word in told if word.startswith("--filename=")]
    assert names.endswith(":fsgauge-0314")
    assert len(names.removeprefix("--filename=")) <= 4096


def test_zipf_on_one_target_is_the_same() -> None:
    assert "--random_distribution=zipf:1.2" in words(access=wire.ZipfAccess(theta=1.2))
