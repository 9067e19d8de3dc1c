"""What the engine's two passes over a share come to."""

from typing import Any

import pytest

import run
import shares
from ratio import ratio_of
from side_by_side import Sample
from study_work import StudyWork


def a_pass(seconds: float, cpu_us: int, connect_seconds: float) -> dict[str, Any]:
    counts = {"connect": 100, "open": 50, "read": 900, "close": 50}
    return {
        "elapsed_ns": seconds * 1e9,
        "cpu": {"user_ns": cpu_us * 400, "system_ns": cpu_us * 600},
        "clients": {
            "connect_ns": connect_seconds * 1e9,
            "peak_memory_bytes": 8_000_000,
            "network": {"null_operation_ns": 70_000},
            "operations": [
                {"operation": name, "operations": count} for name, count in counts.items()
            ],
        },
    }


def test_cpu_time_is_of_operations_without_connecting() -> None:
    work = StudyWork(clients=100, sizes=3, files_of_size=1)
    values = shares.values_of([a_pass(0.3, 5000, 0.5), a_pass(0.1, 7000, 0.2)], work)
    assert values["cpu"] == pytest.approx(12000 / 2000)
    assert values["rate"] == pytest.approx(2 * 700 * 4096 / 0.4 / 1e6)
    assert values["sessions"] == pytest.approx(0.5)


def test_the_study_work_is_ten_sizes_doubling() -> None:
    work = StudyWork(clients=590, sizes=10, files_of_size=1)
    assert work.sizes_bytes[0] == 4 << 10
    assert work.sizes_bytes[-1] == 2 << 20
    assert work.records == 590 * 1023
    assert work.operations == 2 * 590 * (1023 + 2 * 10)


def test_a_limit_stands_for_the_peer() -> None:
    (cpu,) = [measure for measure in shares.limits(100) if measure.key == "cpu"]
    samples = [Sample({"cpu": value}) for value in (7.0, 7.5)]
    assert cpu.limit == 8
    assert cpu.meets(ratio_of([7.0, 7.5], [8.0, 8.0]).ratio, samples)
    assert not cpu.meets(ratio_of([8.1, 8.2], [8.0, 8.0]).ratio, samples)


def test_the_plain_loop_is_a_floor_that_the_engine_is_near() -> None:
    measure = shares.cheaper("cpu", shares.CPU_OVER_PLAIN)
    assert measure.meets(ratio_of([10.0, 10.2], [9.0, 9.0]).ratio, [])
    assert not measure.meets(ratio_of([12.0, 12.2], [9.0, 9.0]).ratio, [])


def test_a_beginning_names_all_its_benches() -> None:
    assert run.named(["smb-10"]) == ["smb-10-dbench", "smb-10-nbench", "smb-10-plain"]
    assert run.named(["nfs-590-dbench"]) == ["nfs-590-dbench"]
    assert run.named(["smb-1"]) == []
