"""What ulimit forbids is refused before a run, in every kind of study, with what raises it."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.rig.host import process_limits
from fsgauge.rig.host.process_limits import (
    LAB_FILE_BYTES,
    LAB_THREADS,
    largest_file_bytes,
    require_buffers,
    require_file_size,
    require_threads,
    threads_of_user,
)
from fsgauge.study.parse import load_study

KINDS = ("overhead", "writers", "connections", "aging", "churn", "postgresql")
UNLIMITED = resource.RLIM_INFINITY


def limited(monkeypatch: pytest.MonkeyPatch, soft: int, hard: int = UNLIMITED) -> None:
    monkeypatch.setattr(process_limits.resource, "getrlimit", lambda name: (soft, hard))


@pytest.mark.parametrize("name", KINDS)
def test_a_scratch_file_is_as_large_as_the_storage(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`ulimit -f` was recorded, and a run failed when its scratch file was made."""
    study = load_study(name, ["storage.kind=loop", "storage.size=2GiB"])
    assert largest_file_bytes(study) == 2 << 30
    limited(monkeypatch, (2 << 30) - 1)
    with pytest.raises(InputError, match="files of 2 GiB") as refused:
        require_file_size(study)
    assert refused.value.next == "ulimit -S -f unlimited"
    limited(monkeypatch, 2 << 30)
    require_file_size(study)


@pytest.mark.parametrize("name", KINDS[:5])
def test_in_a_folder_the_largest_file_counts(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        f"""format = 1
question = "?"
storage = {{kind = "path", path = "{tmp_path}", size = "2 GiB"}}
system = [{{name = "mounted"}}]
workload = {{kind = "{name}"}}
"""
    )
    study = load_study(str(file), [])
    largest = largest_file_bytes(study)
    assert 0 < largest < 2 << 30
    needed = max(largest, LAB_FILE_BYTES)
    limited(monkeypatch, needed - 1, needed - 1)
    with pytest.raises(InputError, match="may not make a file above") as refused:
        require_file_size(study)
    assert refused.value.next == "as root: ulimit -f unlimited"
    assert "hard limit" in refused.value.cause
    limited(monkeypatch, needed)
    require_file_size(study)


@pytest.mark.parametrize("name", KINDS)
def test_a_load_has_no_more_threads_than_its_user_may(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = load_study(name, [])
    limited(monkeypatch, 0)
    monkeypatch.setattr(process_limits.os, "geteuid", lambda: 0)
    require_threads(study)
    monkeypatch.setattr(process_limits.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(process_limits, "threads_of_user", lambda user: 50)
    with pytest.raises(InputError, match="this user may have 0 with the 50 that run now"):
        require_threads(study)
    limited(monkeypatch, 50 + LAB_THREADS)
    with pytest.raises(InputError):
        require_threads(study)
    limited(monkeypatch, 10_000)
    require_threads(study)


def test_the_threads_of_a_user_are_counted() -> None:
    assert threads_of_user(os.getuid()) >= 1
    assert threads_of_user(2**31 - 7) == 0


def test_what_is_in_flight_fits_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Buffers are written when they are made: the kernel killed the engine, or refused them."""
    keys = ['workload.block_sizes=["1 MiB"]', "workload.queue_depths=[64]", "workload.jobs=[4]"]
    study = load_study("overhead", keys)
    monkeypatch.setattr("fsgauge.storage.loop.available_memory_bytes", lambda: 1 << 30)
    require_buffers(study)
    monkeypatch.setattr("fsgauge.storage.loop.available_memory_bytes", lambda: 512 << 20)
    with pytest.raises(InputError, match="operations in flight take 512 MiB of memory"):
        require_buffers(study)
