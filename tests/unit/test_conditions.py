"""What counts as the same conditions: the machine, and not the names that we gave for a while."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.conditions import Conditions, differences
from tests.synthetic import make_study
from tests.synthetic.setting import with_machine

BEFORE = make_study(blocks=2, queue_depths=(32,), block_sizes=(4096,)).before


def memory(token: str, loop: int, **changed: Any) -> list[dict[str, Any]]:
    """The chain of a loop device on a tmpfs of ours."""
    folder = f"/run/fsgauge/fsgauge-{token}-ram"
    file = f"{folder}/fsgauge-{token}-ram/storage.img"
    tmpfs = {"kind": "file_system", "file_system": "tmpfs", "mount_point": folder} | changed
    device = {"kind": "device", "size_bytes": 1 << 30, "path": f"/dev/loop{loop}"}
    return [device | {"backing_file": file}, tmpfs]


def on(chain: list[dict[str, Any]]) -> Conditions:
    storage = BEFORE.storage.model_copy(update={"device_chain": chain})
    environment = with_machine(BEFORE, storage=storage)
    return Conditions("1", "host", None, environment)


def test_memory_that_was_mounted_anew_is_the_same_storage() -> None:
    assert differences(on(memory("0123456789ab", 0)), on(memory("ba9876543210", 7))) == []


@pytest.mark.parametrize("mounted", ["/mnt/other", "/run/fsgauge/fsgauge-0123456789ab-loop"])
def test_another_file_system_is_another_storage(mounted: str) -> None:
    here = on(memory("0123456789ab", 0))
    (found,) = differences(here, on(memory("0123456789ab", 0, mount_point=mounted)))
    assert found.startswith("storage: ")
