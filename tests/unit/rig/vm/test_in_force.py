"""What makes a system what its name says: guests as they were recorded, and each service gone."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from fsgauge.errors import RigError
from fsgauge.machine.facts.mounts import Mount
from fsgauge.machine.process.tool import NotInTime
from fsgauge.record.parts import Traffic
from fsgauge.record.records import RunRecord
from fsgauge.rig.vm import in_force
from fsgauge.rig.vm.in_force import CODE, Held, MadeHere
from fsgauge.rig.vm.recipe import InForce, tables
from fsgauge.study.model import System
from tests.synthetic import make_study
from tests.unit.rig.vm.test_around_runs import record
from tests.unit.stats.one_run import ONE_CELL, one_run

NODE = {
    "NODE": "node2",
    "NODES": "node1 node2",
    "LOADS": "node1 node2",
    "MOUNT": "",
    "BELOW": "/mnt/below",
    "FOLDER": "/mnt/system",
}
NFS3 = "10.9.0.1:/mnt/below /mnt/system nfs rw,relatime,vers=3,rsize=131072,proto=tcp{} 0 0"
NFS4 = "10.9.0.1:/ /mnt/system nfs4 rw,relatime,vers=4.2,rsize=131072,proto=tcp{} 0 0"
SMB = "//10.9.0.1/fsgauge /mnt/system cifs rw,relatime,vers=3.1.1,cache=strict,username=root 0 0"
BRANCHES = NFS3.format("").replace("/mnt/system", "/mnt/branches")
UNION = "unionfs /mnt/system fuse.unionfs rw,relatime,user_id=0,allow_other 0 0"
GLUSTER = "node1:fsgauge /mnt/system fuse.glusterfs rw,relatime,user_id=0 0 0"
GFS2 = "/dev/vdf /mnt/system gfs2 rw,relatime 0 0"
OCFS2 = "/dev/vdf /mnt/system ocfs2 rw,relatime,_netdev,heartbeat=local,nointr 0 0"
OVERLAY = "overlay /mnt/system overlay rw,lowerdir=/mnt/below/lower,upperdir=/mnt/below/upper 0 0"
CACHES = (
    "CACHE    REF   VOLS  OBJS  ACCES S NAME\n"
    "======== ===== ===== ===== ===== = ===============\n"
    "00000001     1     1     3     1 A fsgauge\n"
)
WITHDRAWN = CACHES.replace(" A ", " W ")
ETAB = "/mnt/below\t10.9.0.0/24(rw,sync,no_root_squash,fsid=0)\n"
TARGET = "sys/kernel/config/target/iscsi/iqn.2026-01.fsgauge:disk/tpgt_1/enable"
SESSION = "sys/class/iscsi_session/session1/state"
SPACES = "sys/kernel/config/dlm/cluster/spaces/study/nodes"
SERVING = {"rpc.mountd", "nfsdcld", "rpcbind"}
LOCKING = {"rpcbind", "rpc.statd"}
CLUSTER = {"corosync", "dlm_controld"}
NFSD = {"proc/fs/nfsd/threads": "4\n", "var/lib/nfs/etab": ETAB}
QUORUM = {"corosync-quorumtool": "Nodes:            2"}


class Recorded:
    """A guest as a folder of its files, the names of its processes, and what programs print."""

    def __init__(self, root: Path, layer: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root, self.layer = root, layer
        self.programs = root / "bin"
        self.programs.mkdir()
        monkeypatch.setenv("PATH", f"{self.programs}:/usr/bin:/bin")
        monkeypatch.setattr(in_force, "SHELL", self.moved(in_force.SHELL))
        self.add("proc/mounts", "")

    def moved(self, text: str) -> str:
        """The script with the recorded files in place of its own."""
        return re.sub(r"(?<=[ \"<])/(proc|sys|var/lib|dev/fsgauge)", rf"{self.root}/\1", text)

    def add(self, path: str, text: str) -> None:
        at = self.root / path
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(text)

    def runs(self, *names: str, state: str = "S") -> None:
        taken = [int(at.name) for at in self.root.glob("proc/[0-9]*")]
        for number, name in enumerate(names, start=max(taken, default=99) + 1):
            self.add(f"proc/{number}/stat", f"{number} ({name}) {state} 1 1 1\n")

    def program(self, name: str, prints: str) -> None:
        at = self.programs / name
        at.write_text(f"#!/bin/sh\ncat << 'END'\n{prints}\nEND\n")
        at.chmod(0o755)

    def lost(self) -> list[str]:
        found = tables()
        layer = {**found.volume, **found.file_system, **found.reached_by}[self.layer]
        held = [
            each.model_copy(update={"read": self.moved(each.read)})
            for each in layer.in_force
            if each.lost
        ]
        folder = self.root / "system"
        folder.mkdir(exist_ok=True)
        environment = NODE | {"PATH": f"{self.programs}:/usr/bin:/bin"}
        text = [each.read.replace('stat "$FOLDER"', f'stat "{folder}"') for each in held]
        held = [
            each.model_copy(update={"read": read}) for each, read in zip(held, text, strict=True)
        ]
        return Held().begin(held, environment)


class Guest:
    """What a layer has where all of it is there."""

    def __init__(
        self,
        mounts: str = "",
        runs: frozenset[str] | set[str] = frozenset(),
        files: dict[str, str] | None = None,
        programs: dict[str, str] | None = None,
    ) -> None:
        self.mounts, self.runs = mounts, runs
        self.files, self.programs = files or {}, programs or {}


FSC = {"proc/fs/fscache/caches": CACHES}
GUESTS: dict[str, Guest] = {
    "nfs3": Guest(NFS3.format(""), SERVING | LOCKING, NFSD),
    "nfs4": Guest(NFS4.format(""), SERVING, NFSD),
    "nfs3-fscache": Guest(NFS3.format(",fsc"), SERVING | LOCKING | {"cachefilesd"}, NFSD | FSC),
    "nfs4-fscache": Guest(NFS4.format(",fsc"), SERVING | {"cachefilesd"}, NFSD | FSC),
    "nfs3-unionfs": Guest(f"{BRANCHES}\n{UNION}", SERVING | LOCKING | {"unionfs"}, NFSD),
    "unionfs": Guest(UNION, {"unionfs"}),
    "overlay": Guest(OVERLAY),
    "gluster": Guest(
        GLUSTER,
        {"glusterd", "glusterfsd"},
        programs={"gluster": "Hostname: node1\nState: Peer in Cluster (Connected)"},
    ),
    "iscsi": Guest("", {"iscsid"}, {TARGET: "1\n", SESSION: "LOGGED_IN\n"}),
    "gfs2": Guest(GFS2, CLUSTER, {f"{SPACES}/1/x": "", f"{SPACES}/2/x": ""}, QUORUM),
    "ocfs2": Guest(OCFS2, set(), {"sys/kernel/debug/o2hb/livenodes": "1 2 \n"}),
    "stripe8": Guest(
        programs={"dmsetup": "0 5242880 striped 8 254:0 254:16 254:32 1 AAADAAAA"},
    ),
}
"""By layer. A server that listens and block devices (Samba, LVM) are for the rig's own test."""


def recorded(layer: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> Recorded:
    guest, found = GUESTS[layer], Recorded(root, layer, monkeypatch)
    found.add("proc/mounts", guest.mounts + "\n")
    found.runs(*guest.runs)
    for path, text in guest.files.items():
        found.add(path, text)
    for name, prints in guest.programs.items():
        found.program(name, prints)
    return found


@pytest.mark.parametrize("layer", GUESTS)
def test_where_all_is_there_nothing_is_lost(
    layer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = recorded(layer, tmp_path, monkeypatch).lost()
    assert lost == (["node2: its disk is not reached by iSCSI"] if layer == "iscsi" else [])


@pytest.mark.parametrize(
    ("layer", "process"),
    [(layer, name) for layer, guest in GUESTS.items() for name in sorted(guest.runs)],
)
@pytest.mark.parametrize("is_zombie", [False, True])
def test_a_process_that_has_ended_is_named(
    layer: str, process: str, is_zombie: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that nobody has waited for is no process any more, though it has its name still."""
    guest = recorded(layer, tmp_path, monkeypatch)
    for at in tmp_path.glob("proc/[0-9]*"):
        if f"({process})" in (at / "stat").read_text():
            shutil.rmtree(at)
    if is_zombie:
        guest.runs(process, state="Z")
    assert any(f"{process} is not running" in each for each in guest.lost())


@pytest.mark.parametrize("layer", ["nfs3", "nfs3-fscache", "nfs3-unionfs"])
def test_locks_of_nfs_3_need_the_server_s_lock_service_as_well(
    layer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest = recorded(layer, tmp_path, monkeypatch)
    for at in tmp_path.glob("proc/[0-9]*"):
        if "(rpc.statd)" in (at / "stat").read_text():
            shutil.rmtree(at)
    assert [each.partition(": ")[2] for each in guest.lost()] == [
        "its NFS server does not serve: rpc.statd is not running",
        "its client has no lock service: rpc.statd is not running",
    ]


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        (",tcp,bg,rsize=131072,proto=tcp", ""),
        (",rsize=32768", "not mounted by NFS 3: rsize=32768 is not in force"),
        (",rsize=13107", "rsize=13107 is not in force"),
        (",udp", "proto=udp is not in force"),
        (",nfsvers=4.1", "vers=4.1 is not in force"),
        (",noac", "noac is not in force"),
        (",soft", "soft is not in force"),
        (",retry=5,actimeo=0,acregmin=3,lookupcache=all,nointr,rw", ""),
    ],
)
def test_options_of_the_mount_that_were_negotiated_down_are_named(
    asked: str, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(NODE, "REACHED_MOUNT", asked)
    lost = recorded("nfs3", tmp_path, monkeypatch).lost()
    assert [named in each for each in lost] == ([True] if named else [])


@pytest.mark.parametrize("layer", ["gfs2", "ocfs2"])
@pytest.mark.parametrize(
    ("asked", "named"), [(",noatime", "noatime"), (",commit=5", ""), (",relatime", "")]
)
def test_flags_of_a_shared_file_system_that_are_not_in_force_are_named(
    layer: str, asked: str, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(NODE, "MOUNT", asked)
    lost = recorded(layer, tmp_path, monkeypatch).lost()
    assert len(lost) == bool(named)
    assert all("the cluster's" in e and f"{named} is not in force" in e for e in lost)


def test_all_that_have_ended_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guest = recorded("nfs4", tmp_path, monkeypatch)
    for at in tmp_path.glob("proc/[0-9]*"):
        shutil.rmtree(at)
    (lost,) = guest.lost()
    assert lost.endswith(
        ": rpc.mountd is not running, nfsdcld is not running, rpcbind is not running"
    )


@pytest.mark.parametrize(
    ("layer", "path", "text", "named"),
    [
        ("nfs3", "proc/mounts", "", "not mounted by NFS 3"),
        ("nfs3", "proc/mounts", NFS4.format(""), "not mounted by NFS 3"),
        ("nfs4", "proc/mounts", NFS4.format("").replace("4.2", "4.1"), "not mounted by NFS 4.2"),
        ("nfs4", "proc/mounts", NFS3.format(""), "not mounted by NFS 4.2"),
        ("nfs3", "proc/fs/nfsd/threads", "0\n", "its NFS server does not serve: it has no threads"),
        ("nfs3", "var/lib/nfs/etab", "", "/mnt/below is not exported"),
        ("nfs3-fscache", "proc/mounts", NFS3.format(""), "NFS 3 with fsc"),
        ("nfs3-fscache", "proc/fs/fscache/caches", WITHDRAWN, "the kernel has no cache for it"),
        ("nfs4-fscache", "proc/fs/fscache/caches", "", "the kernel has no cache for it"),
        ("nfs3-unionfs", "proc/mounts", UNION, "not mounted by NFS 3"),
        ("unionfs", "proc/mounts", "", "its union does not answer"),
        ("overlay", "proc/mounts", "", "its layers are not mounted"),
        ("gluster", "proc/mounts", "", "its client does not answer"),
        ("iscsi", TARGET, "0\n", "its target offers no disk"),
        ("iscsi", SESSION, "FAILED\n", "no session is logged in"),
        (
            "gfs2",
            "proc/mounts",
            GFS2.replace("rw", "rw,localflocks"),
            "with the cluster's locks",
        ),
        ("ocfs2", "sys/kernel/debug/o2hb/livenodes", "1\n", "missing in its heartbeat"),
        ("ocfs2", "proc/mounts", OCFS2.replace("local", "none"), "cluster's heartbeat"),
    ],
)
def test_what_is_lost_is_named(
    layer: str,
    path: str,
    text: str,
    named: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guest = recorded(layer, tmp_path, monkeypatch)
    guest.add(path, text)
    assert any(named in each for each in guest.lost()), guest.lost()


@pytest.mark.parametrize(
    ("layer", "program", "prints", "named"),
    [
        ("gluster", "gluster", "State: Peer in Cluster (Disconnected)", "not all connected"),
        ("gfs2", "corosync-quorumtool", "Nodes:            1", "missing in the cluster"),
        ("stripe8", "dmsetup", "0 5242880 striped 7 254:0 1 AAAAAAA", "eight columns"),
        ("stripe8", "dmsetup", "0 5242880 error", "eight columns"),
    ],
)
def test_what_its_tools_say_is_named(
    layer: str,
    program: str,
    prints: str,
    named: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guest = recorded(layer, tmp_path, monkeypatch)
    guest.program(program, prints)
    assert any(named in each for each in guest.lost())


def test_each_layer_of_the_rig_that_is_measured_says_how_it_is_seen() -> None:
    found = tables()
    layers = {**found.volume, **found.file_system, **found.reached_by}
    silent = {name for name, each in layers.items() if not any(e.lost for e in each.in_force)}
    assert silent == {"disk", "shared", "vxfs"}, "a disk alone has no service; vxfs is not measured"


def one(read: str, **more: object) -> InForce:
    return InForce.model_validate({"name": "x", "read": read, "lost": "its x is gone", **more})


def test_a_run_in_which_it_was_lost_has_failed_with_a_class_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "there"
    file.write_text("")
    held = Held()
    assert held.begin([one(f"cat {file}")], {"NODE": "node2"}) == []
    assert held.told(record()) == record()
    file.unlink()
    told = held.told(record())
    assert isinstance(told, RunRecord) and told.fault is not None
    assert told.fault.code == CODE and told.parts == []
    assert told.fault.what == '"nfs" was not what its name says: node2: its x is gone'


def test_what_is_steady_is_as_it_was_first(tmp_path: Path) -> None:
    file = tmp_path / "mounts"
    file.write_text("/x ext3 rw\n")
    held = Held()
    assert held.begin([one(f"cat {file}", steady=True)], {}) == []
    file.write_text("/x ext3 ro\n")
    assert held.lost() == ["the node: its x is gone: /x ext3 ro"]


@pytest.mark.parametrize(
    ("cached", "reads", "is_lost"), [(0, 64, True), (9, 64, False), (0, 0, False)]
)
def test_a_cache_that_reads_pass_by_is_lost(cached: int, reads: int, is_lost: bool) -> None:
    """CacheFS was measured with a dead daemon: 64 READs, none of them from or into the cache."""
    traffic = [
        Traffic(name="nfs", title="", unit="operations", parts={"READ": reads}),
        Traffic(name="cache", title="", unit="operations", parts={"read": 0, "write": cached}),
    ]
    held = Held()
    held.begin([one("true", grows=("cache", "READ"))], {"NODE": "node2"})
    told = held.told(one_run().model_copy(update={"traffic": traffic}))
    assert isinstance(told, RunRecord)
    assert (told.fault is not None) is is_lost
    if told.fault is not None:
        assert "64 READ passed it by" in told.fault.what


def test_a_run_that_writes_is_in_no_cache_and_may_pass_it_by() -> None:
    parts = {"nfs": {"READ": 64}, "cache": {"read": 0}}
    traffic = [
        Traffic(name=name, title="", unit="operations", parts=each) for name, each in parts.items()
    ]
    held = Held()
    held.begin([one("true", grows=("cache", "READ"))], {})
    made = make_study(**ONE_CELL | {"patterns": ("randwrite",)}).runs[0]
    assert made.result is not None and made.result.write is not None
    told = held.told(made.model_copy(update={"traffic": traffic}))
    assert isinstance(told, RunRecord) and told.fault is None


def test_what_cannot_be_asked_in_time_costs_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held()
    held.begin([one("true")], {})

    def late(*_: object, **__: object) -> None:
        raise NotInTime("the shell did not end within 30 s")

    monkeypatch.setattr(in_force, "run_tool", late)
    told = held.told(record())
    assert isinstance(told, RunRecord) and told.fault is None
    assert told.not_read == ["whether the system is in force: the shell did not end within 30 s"]
    with pytest.raises(RigError):
        held.lost()


def test_nothing_is_held_until_it_is_told_what() -> None:
    held = Held()
    assert held.told(record()) == record() and held.lost() == []


@pytest.mark.parametrize(
    ("now", "named"),
    [
        (["rw,noatime"], ""),
        (["ro,noatime", "rw,noatime"], ""),
        (["ro,noatime"], "it is ro,noatime and was rw,noatime"),
        ([], "it is mounted no more, and was rw,noatime"),
    ],
)
def test_a_file_system_of_a_node_alone_is_mounted_as_it_was_made(
    now: list[str], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An ext4 that an error makes read-only still answers who reads."""
    made = make_study(**ONE_CELL)
    turn, run = made.turns[0], made.runs[0]
    assert (turn.system, turn.turn) == (run.system, run.turn)
    words = {"mkfs_command": ["mkfs"], "mount_source": "/dev/vda", "mount_options": "rw,noatime"}
    facts = turn.facts.model_copy(update=words)
    mounted = [Mount("1:1", "/", "/x", each, "ext4", "/dev/vda", "") for each in now]
    monkeypatch.setattr(in_force, "mounts", lambda: mounted)
    here = MadeHere()
    assert here.told(run) == run, "of a folder that was there before nothing is known"
    here.told(turn.model_copy(update={"facts": facts}))
    told = here.told(run)
    assert isinstance(told, RunRecord)
    assert (told.fault is not None) is bool(named)
    if told.fault is not None:
        assert named in told.fault.what and told.fault.code == CODE and told.parts == []


@pytest.mark.parametrize(
    ("mount", "processes", "is_lost"),
    [("noatime", ["nilfs_cleanerd"], False), ("noatime", [], True), ("nogc,noatime", [], False)],
)
def test_a_log_without_its_cleaner_is_not_what_its_name_says(
    mount: str,
    processes: list[str],
    is_lost: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guest = Recorded(tmp_path, "disk", monkeypatch)
    guest.runs("init", *processes)
    made = make_study(**ONE_CELL)
    turn, run = made.turns[0], made.runs[0]
    words = {"mkfs_command": ["mkfs"], "mount_source": "/dev/vda", "mount_options": "rw,noatime"}
    facts = turn.facts.model_copy(update=words)
    mounted = [Mount("1:1", "/", "/x", "rw,noatime", "nilfs2", "/dev/vda", "")]
    monkeypatch.setattr(in_force, "mounts", lambda: mounted)
    here = MadeHere()
    here.begin([System(name=run.system, kind="nilfs2", mount=mount)])
    here.told(turn.model_copy(update={"facts": facts}))
    told = here.told(run)
    assert isinstance(told, RunRecord) and (told.fault is not None) is is_lost
    if told.fault is not None:
        assert told.fault.what.endswith(
            "the node: its cleaner does not run: nilfs_cleanerd is not running"
        )
