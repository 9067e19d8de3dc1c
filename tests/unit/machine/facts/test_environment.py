"""The environment record is made wherever Python runs; what is not known is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.machine.device import device_chain
from fsgauge.machine.device.device_chain import chain_of_device, chain_of_path, under
from fsgauge.machine.facts import environment, mounts
from fsgauge.machine.facts.environment import capture_machine, reclaimer, tool_version
from fsgauge.record.machine import StorageFacts

FACTS = StorageFacts(kind="path", sentence="s", size_bytes=1, device_chain=[], cautions=[])


def test_this_machine() -> None:
    record = capture_machine(["mkfs.ext4", "no-such-tool"], FACTS)
    assert record.kernel.startswith("Linux ")
    assert record.processor_count >= 1
    assert record.memory_bytes > 0
    assert record.missing["tool_versions.no-such-tool"] == "not installed"
    for key in (
        "governor",
        "clock_source",
        "throttle_events",
        "frequency_limit_hz",
        "frequency_maximum_hz",
    ):
        assert (getattr(record, key) is None) == (key in record.missing)


def test_a_container_without_sys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(environment, "_CPU", tmp_path)
    monkeypatch.setattr(environment, "_CLOCK", tmp_path / "none")
    monkeypatch.setattr(mounts, "mounts", lambda process="self": [])
    monkeypatch.setattr(device_chain, "device_with_numbers", lambda numbers: None)
    record = capture_machine([], FACTS)
    assert record.governor is None and "cpufreq" in record.missing["governor"]
    assert record.throttle_events is None and "thermal" in record.missing["throttle_events"]
    assert record.clock_source is None and record.missing["clock_source"]
    chain = chain_of_path(str(tmp_path))
    assert "not visible" in chain[0]["unknown"]
    assert under(chain) == "a file system whose mount is not visible"


def test_the_chains_of_several_folders_are_all_kept() -> None:
    """Of two folders as systems, the record had the disks of the first alone."""
    chains = [*chain_of_path("/proc"), *chain_of_path("/dev/shm"), *chain_of_path("/")]
    facts = FACTS.model_copy(update={"device_chain": chains})
    record = capture_machine([], facts)
    assert record.storage is not None and record.storage.device_chain == chains


def test_heat_and_frequency_of_all_processors(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for processor, limit_khz in ((0, 3_600_000), (1, 1_800_000)):
        for place, text in (
            ("thermal_throttle/core_throttle_count", "2"),
            ("thermal_throttle/package_throttle_count", "3"),
            ("thermal_throttle/core_throttle_max_time_ms", "99"),
            ("cpufreq/scaling_max_freq", str(limit_khz)),
            ("cpufreq/cpuinfo_max_freq", "3600000"),
        ):
            path = tmp_path / f"cpu{processor}" / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}\n")
    monkeypatch.setattr(environment, "_CPU", tmp_path)
    record = capture_machine([], FACTS)
    assert record.throttle_events == 10
    assert record.frequency_limit_hz == 1_800_000_000
    assert record.frequency_maximum_hz == 3_600_000_000
    (tmp_path / "cpu0/thermal_throttle/core_throttle_count").write_text("many\n")
    record = capture_machine([], FACTS)
    assert record.throttle_events is None and "many" in record.missing["throttle_events"]


def test_a_device_that_is_none() -> None:
    assert chain_of_device("/no/such/device")[0]["unknown"]


def test_a_version_is_a_line() -> None:
    version = tool_version("mount")
    assert version is not None and "util-linux" in version and "\n" not in version


def kdamond(home: Path, state: str, action: str) -> Path:
    scheme = home / "0/contexts/0/schemes/0"
    scheme.mkdir(parents=True)
    (scheme / "action").write_text(f"{action}\n")
    (home / "0/state").write_text(f"{state}\n")
    return home / "0/state"


def test_a_scheme_that_pages_out_is_found_while_it_is_on(tmp_path: Path) -> None:
    state = kdamond(tmp_path, "on", "pageout")
    assert reclaimer(tmp_path, tmp_path / "none") == str(state)
    state.write_text("off\n")
    assert reclaimer(tmp_path, tmp_path / "none") is None


def test_a_scheme_that_only_counts_takes_nothing(tmp_path: Path) -> None:
    kdamond(tmp_path, "on", "stat")
    assert reclaimer(tmp_path, tmp_path / "none") is None


def test_the_module_of_its_own(tmp_path: Path) -> None:
    enabled = tmp_path / "enabled"
    for word, found in (("Y", str(enabled)), ("N", None)):
        enabled.write_text(f"{word}\n")
        assert reclaimer(tmp_path / "none", enabled) == found
