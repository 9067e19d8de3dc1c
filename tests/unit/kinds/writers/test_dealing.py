"""What writers through a server do otherwise: direct is durable, and smbd may not outlive them."""

from __future__ import annotations

import pytest

from fsgauge.engine.wire import DsyncSync, FsyncSync, NoSync
from fsgauge.kinds.writers.dealing import cautions_of, sync_of
from fsgauge.kinds.writers.keys import WritersWorkload
from fsgauge.study.access import AccessKeys

SAMBA, GANESHA = AccessKeys(server="samba"), AccessKeys(server="ganesha")


def test_a_direct_write_through_a_server_is_stable_when_it_is_answered() -> None:
    workload = WritersWorkload(kind="writers")
    assert isinstance(sync_of(workload, "direct", is_served=True), DsyncSync)
    assert isinstance(sync_of(workload, "direct", is_served=False), NoSync)
    assert isinstance(sync_of(workload, "buffered", is_served=True), NoSync)
    synced = WritersWorkload(kind="writers", sync="fsync", sync_every=8)
    assert sync_of(synced, "direct", is_served=True) == FsyncSync(every=8)


@pytest.mark.parametrize(
    ("access", "keys", "warned"),
    [
        (SAMBA, {"writers": [1, 2]}, True),
        (SAMBA, {"writers": [2], "ranges": ["own files", "segmented"]}, True),
        (SAMBA, {"writers": [1]}, False),
        (SAMBA, {"writers": [2], "ranges": ["own files"]}, False),
        (GANESHA, {"writers": [2]}, False),
    ],
)
def test_smbd_is_warned_of_where_several_write_one_file(
    access: AccessKeys, keys: dict[str, object], *, warned: bool
) -> None:
    workload = WritersWorkload.model_validate({"kind": "writers", **keys})
    said = cautions_of(workload, [AccessKeys(), access])
    assert bool(said) == warned
    assert all("smbd 4.17.12" in each for each in said)
