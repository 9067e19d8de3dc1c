"""The memory of this machine that its process may use."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.machine.facts import control_groups, limits
from tests.unit.machine.facts.control_group_trees import V2, process_in


def test_the_limit_of_a_control_group_is_its_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = {"0/a/memory.max": "max", "0/a/memory.current": "4096", "0/a/memory.stat": "file 0"}
    process = process_in(tmp_path, "0::/a\n", V2, files)
    monkeypatch.setattr(limits, "own_groups", lambda: control_groups.own_groups(process))
    whole = limits.machine_memory_bytes()
    assert whole is not None and limits.total_memory_bytes() == whole
    limit = tmp_path / "0/a/memory.max"
    limit.write_text("1048576\n")
    assert limits.total_memory_bytes() == 1048576
    assert limits.available_memory_bytes() == 1048576 - 4096
    limit.write_text(f"{2 * whole}\n")
    assert limits.total_memory_bytes() == whole, "more than there is, is no limit"


def test_without_control_groups_it_is_that_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nowhere = tmp_path / "nowhere"
    monkeypatch.setattr(limits, "own_groups", lambda: control_groups.own_groups(nowhere))
    assert limits.total_memory_bytes() == limits.machine_memory_bytes()
    assert limits.available_memory_bytes()
