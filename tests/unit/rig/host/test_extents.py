"""An order by place needs extents; tmpfs has none, and a run found that out after it had begun."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.machine.facts.mounts import in_memory
from fsgauge.rig.host import extents
from fsgauge.rig.host.extents import require_extents, tells_extents
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study

MEMORY = "/dev/shm"


def study(folder: str, *orders: str) -> Study:
    quoted = ", ".join(f'"{each}"' for each in orders)
    return load_study("connections", [f"workload.backup_orders=[{quoted}]"], systems=[folder])


@pytest.mark.skipif(
    in_memory(MEMORY) != "tmpfs" or not os.access(MEMORY, os.W_OK), reason="no tmpfs here"
)
def test_tmpfs_does_not_tell_where_files_are_placed() -> None:
    assert tells_extents(MEMORY) is False


def test_an_order_by_place_is_refused_where_nothing_tells_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extents, "tells_extents", lambda _: False)
    asked = study(str(tmp_path), "physical", "inode")
    with pytest.raises(InputError, match="does not say where files are placed") as refused:
        require_extents(asked, asked.systems[0], str(tmp_path))
    assert refused.value.next == "--set 'workload.backup_orders=[\"inode\"]'"
    alone = study(str(tmp_path), "physical")
    with pytest.raises(InputError) as refused:
        require_extents(alone, alone.systems[0], str(tmp_path))
    assert refused.value.next == "--set 'workload.backup_orders=[\"directory\"]'"
    other = study(str(tmp_path), "directory")
    require_extents(other, other.systems[0], str(tmp_path))
    for kind in ("metadata", "commits", "sharing", "connections"):
        scanned = load_study(kind, ["workload.scan=true"], systems=[str(tmp_path)])
        with pytest.raises(InputError) as refused:
            require_extents(scanned, scanned.systems[0], str(tmp_path))
        assert refused.value.next == "--set workload.scan=false"


@pytest.mark.parametrize("told", [True, None])
def test_what_tells_it_or_cannot_be_asked_is_taken(
    told: bool | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extents, "tells_extents", lambda _: told)
    asked = study(str(tmp_path), "physical")
    require_extents(asked, asked.systems[0], str(tmp_path))
