"""Every service of every system of the virtual rig, killed in turn, and each is named.

Real machines, emulated where KVM does not work: a system with a cache in make test-vm, all of them
in make test-rig.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fsgauge.errors import FsgaugeError
from fsgauge.plan.turns import make_plan
from fsgauge.record.records import RunRecord
from fsgauge.rig.happenings import Happening, RunStarted
from fsgauge.rig.vm.arrangement.standing import SystemOverNodes
from fsgauge.rig.vm.in_force import CODE, NotInForceError
from fsgauge.rig.vm.messages import Order
from fsgauge.rig.vm.recipe import InForce, tables
from fsgauge.rig.vm.rig import VmRig
from fsgauge.study.parse import load_study
from tests.rigs.virtual import SIZE, WHOLE, machines

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("guest")]
SERVER, LOAD = "server", "load"
KILL = "kill -9 $(pidof {})"
STOP_SERVING = "rpc.nfsd 0"
UNMOUNT = 'umount -l "$FOLDER"'
# What kills, on which node, by the sentence that has to name it.
NFS = [
    (SERVER, KILL.format("rpc.mountd"), "rpc.mountd is not running"),
    (SERVER, KILL.format("nfsdcld"), "nfsdcld is not running"),
    (SERVER, KILL.format("rpcbind"), "rpcbind is not running"),
]
LOCKS = [
    (LOAD, KILL.format("rpc.statd"), "no lock service: rpc.statd is not running"),
    (SERVER, KILL.format("rpc.statd"), "does not serve: rpc.statd is not running"),
]
CACHE = [(LOAD, KILL.format("cachefilesd"), "its cache has no daemon")]
SESSION = [(LOAD, KILL.format("iscsid"), "iscsid is not running")]
KILLS: dict[str, list[tuple[str, str, str]]] = {
    "nfs3": [*LOCKS, (LOAD, UNMOUNT, "not mounted by NFS 3"), *NFS],
    "nfs4": [(LOAD, UNMOUNT, "not mounted by NFS 4.2"), *NFS],
    "nfs3-fscache": [*CACHE, *LOCKS, *NFS],
    "nfs4-fscache": [*CACHE, (SERVER, STOP_SERVING, "it has no threads")],
    "nfs3-unionfs": [(LOAD, KILL.format("unionfs"), "its union does not answer"), *LOCKS],
    "unionfs": [(LOAD, KILL.format("unionfs"), "its union does not answer")],
    "overlay": [(LOAD, UNMOUNT, "its layers are not mounted")],
    "smb": [
        (LOAD, 'mount -o remount,ro "$FOLDER"', "not mounted as it was"),
        (SERVER, KILL.format("smbd"), "its Samba server does not serve: smbd is not running"),
    ],
    "gluster": [
        (LOAD, KILL.format("glusterd"), "glusterd is not running"),
        (LOAD, KILL.format("glusterfsd"), "glusterfsd is not running"),
    ],
    "iscsi": [
        *SESSION,
        (
            SERVER,
            "echo 0 > /sys/kernel/config/target/iscsi/iqn.2026-01.fsgauge:disk/tpgt_1/enable",
            "its target offers no disk",
        ),
    ],
    "iscsi-lvm": [*SESSION, (LOAD, "dmsetup suspend fsgauge-volume", "its volume is not active")],
    "stripe8": [(LOAD, 'umount -l "$FOLDER"; dmsetup remove -f fsgauge', "eight columns")],
    "gfs2": [(LOAD, KILL.format("corosync"), "corosync is not running")],
    "gfs2 by its locks": [(LOAD, KILL.format("dlm_controld"), "dlm_controld is not running")],
    "ocfs2": [(LOAD, UNMOUNT, "with the cluster's heartbeat")],
    "nilfs2": [(LOAD, KILL.format("nilfs_cleanerd"), "nilfs_cleanerd is not running")],
}
"""By the layer, the first word: of two services that end together each is killed on nodes of its
own. ksmbd is not among them: on the usual kernel it is known not to work."""
ALIVE, PID = re.compile(r"\balive ([a-z0-9_. ]+)"), re.compile(r"pidof ([a-z0-9_.]+)")
SMALL = ("nfs3-fscache",)
TWO_LOADS = ("gluster", "gfs2", "ocfs2")
KINDS = {"gfs2": "gfs2", "ocfs2": "ocfs2", "gluster": "xfs", "nilfs2": "nilfs2"}


class _Done(FsgaugeError):
    """Ends a system on nodes that end with it."""


def _in_force() -> dict[str, tuple[InForce, ...]]:
    """By layer, and by the file system that a service is beside."""
    found = tables()
    layers = {**found.volume, **found.file_system, **found.reached_by}
    own = {name: layer.in_force for name, layer in layers.items()}
    return own | {name: each.in_force for name, each in found.service.items()}


def test_every_layer_has_something_that_is_killed() -> None:
    held = {name for name, own in _in_force().items() if any(each.lost for each in own)}
    assert held - {"ksmbd"} == {_layer(name) for name in KILLS}


def test_every_service_that_is_asked_for_is_killed_in_some_layer() -> None:
    """But lvmlockd, which only runs where several nodes share the volume, and that of ksmbd."""
    reads = [each.read for own in _in_force().values() for each in own if each.lost]
    asked = {name for read in reads for names in ALIVE.findall(read) for name in names.split()}
    killed = {name for each in KILLS.values() for _, kill, _ in each for name in PID.findall(kill)}
    assert asked - killed == {"lvmlockd", "ksmbd.mountd"}


@pytest.mark.skipif(not SIZE, reason="make test-vm kills the services of a cache")
@pytest.mark.timeout(2400)
@pytest.mark.parametrize("name", [name for name in KILLS if WHOLE or name in SMALL])
def test_what_is_killed_is_named_and_what_goes_on_is_not(name: str, tmp_path: Path) -> None:
    found, layer = tables(), _layer(name)
    role = "volume" if layer in found.volume else "reached_by"
    nodes = 2 if layer in TWO_LOADS else 1 + _has_server(layer)
    overrides = [f"rig.nodes={nodes}"] * (nodes > 1) + [f"storage.directory={tmp_path}"]
    if layer not in {**found.file_system, **found.service}:
        overrides.append(f"system.a.rig.{role}={layer}")
    system = f"a={KINDS.get(layer, 'ext4')}"
    study = load_study("overhead", overrides, [system], "loop:320MiB", 1, baseline="a")
    with (
        pytest.raises(_Done),
        VmRig().started(study) as session,
        session.standing(study.systems[0]) as stood,
    ):
        stood.require_held()
        for on, kill, named in KILLS[name]:
            before = _lost(stood)
            assert named not in before, f"{named} before it is killed: {before}"
            roles = stood.group.roles
            at = roles.loads[-1] if on == LOAD or roles.server is None else roles.server
            stood.run(at, f"{kill}; sleep 1", 60)
            assert named in _lost(stood), f"{kill} is not named: {_lost(stood)}"
        stood.group.give_up()
        raise _Done("what was killed need not be removed")
    assert machines(tmp_path) == []


@pytest.mark.skipif(not SIZE, reason="make test-vm measures with a service that ends")
@pytest.mark.timeout(1800)
def test_a_run_in_which_a_service_ends_has_failed_and_the_one_before_has_not(
    tmp_path: Path,
) -> None:
    """The server's rpc.mountd is killed as the second test of NFS begins."""
    overrides = ['workload.tests=["write","read"]', 'workload.file_sizes=["2 MiB"]']
    overrides += ["storage.size=96 MiB", f"storage.directory={tmp_path}"]
    others = ("cachefs", "unionfs", "gfs2", "ocfs2")
    study = load_study("sharing", overrides, [], None, 1, without=others)
    runs: list[RunRecord] = []
    with VmRig().opened(study) as session:
        plan = make_plan(study, size_bytes=study.storage.size)
        turns = [each for each in plan.turns if each.block == 0 and each.system == "nfs"]
        plan = plan.model_copy(update={"turns": turns})

        def tell(happening: Happening) -> None:
            if isinstance(happening, RunRecord):
                runs.append(happening)
            if isinstance(happening, RunStarted) and runs:
                words = {"text": KILL.format("rpc.mountd"), "environment": {}, "seconds": 30}
                (prepared,) = session._by_kernel.values()
                prepared.group.tell_one(0, Order(do="run", words=words), 60)

        session.block(plan, 0, tell)
    first, second = runs
    assert first.fault is None and first.parts != []
    assert second.fault is not None and second.fault.code == CODE, second.fault
    assert "node1: its NFS server does not serve: rpc.mountd" in second.fault.what
    assert second.parts == [] and second.not_read == []
    assert machines(tmp_path) == []


def _layer(name: str) -> str:
    return name.partition(" ")[0]


def _has_server(layer: str) -> bool:
    found = tables()
    layers = {**found.volume, **found.file_system, **found.reached_by}
    return layer in layers and layers[layer].server


def _lost(stood: SystemOverNodes) -> str:
    try:
        stood.require_held()
    except NotInForceError as error:
        return error.what
    return ""
