"""Studies through private servers: clients and other kinds, beside the path and without it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fsgauge.engine.wire import ClientsJob, SmbTarget
from fsgauge.kinds.connections.analysis.model import Connections
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.rig.host.rig import HostRig
from fsgauge.stats.read import read_stored
from fsgauge.study.model import Study
from tests.rigs import serving
from tests.rigs.conftest import MEBIBYTE, Scene
from tests.rigs.measured import measured

pytestmark = pytest.mark.root
tokens = serving.tokens


@pytest.mark.parametrize(
    ("name", "tests"),
    [("samba", ["write", "read"]), ("ganesha", ["write", "backup"])],
    ids=serving.NAMES[::-1],
)
def test_clients_work_through_a_server_and_over_the_path_beside_it(
    name: str, tests: list[str], scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    serving.needs(name)
    backup = {"backup_files_per_connection": 1, "backup_file_size": 65536}
    study = serving.study_of(name, tests=tests, **(backup if "backup" in tests else {}))
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None
    serving.network_runs(stored.runs)
    cells = 3 if "backup" in tests else 2
    assert len(stored.runs) == 2 * 2 * cells and len(stored.path_runs) == 2 * cells
    for run in stored.runs:
        assert run.server is not None
        connecting_ns = run.server.connecting_ns
        assert connecting_ns is not None and connecting_ns > 0
        assert run.server.listen_drops == (0 if shutil.which("ss") else None)
        assert run.result is not None and run.result.clients is not None
        if ConnectionsFactors.of(run.cell).test in ("read", "backup"):
            assert run.result.clients.checked_records > 0
    for run in stored.path_runs:
        assert run.server is None and run.result is not None and run.result.clients is not None
        assert run.result.clients.network is None and run.result.clients.errors == []
    assert all(turn.server is not None for turn in stored.turns)
    written = {scan.result.counts.files for scan in stored.scans if scan.result is not None}
    assert written == ({16, 8} if "backup" in tests else {16})
    assert "password" not in outcome.directory.joinpath("study.json").read_text().replace(
        "password_file", ""
    )
    assert scene.left() == [] and serving.leftovers() == []


def test_what_clients_wrote_over_smb_is_backed_up_over_the_path(
    scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    """As published: sessions of clients, and one reader on the server."""
    serving.needs("samba")
    backup = {"backup_files_per_connection": 1, "backup_file_size": 65536}
    study = serving.study_of("samba", tests=["backup"], backup_access="path", **backup)
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None
    by_test = {
        test: [run for run in stored.runs if ConnectionsFactors.of(run.cell).test == test]
        for test in ("backup fill", "backup")
    }
    serving.network_runs(by_test["backup fill"])
    for run in by_test["backup"]:
        assert isinstance(run.job, ClientsJob) and run.job.target.kind == "path"
        assert run.server is None and run.result is not None and run.result.clients is not None
        assert run.result.clients.files == serving.SMALL_CLIENTS and not run.result.clients.errors
        assert run.result.clients.checked_records > 0
    results = read_stored(stored)
    connections = Connections.of(results)
    assert connections is not None and connections.serving is not None
    assert {each.cell for each in connections.serving.use} == {"backup-fill"}
    assert scene.left() == [] and serving.leftovers() == []


def test_signing_and_encryption_are_what_systems_may_differ_in(
    scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    """A server that requires them has clients that do them; the others stay as they are."""
    serving.needs("samba")
    systems = [
        {"name": "plain", "kind": "ext4"},
        {"name": "signed", "kind": "ext4", "server": {"server signing": "mandatory"}},
        {"name": "encrypted", "kind": "ext4", "server": {"server smb encrypt": "required"}},
    ]
    study = serving.study_of("samba", *systems, access=serving.ALONE)
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None
    spoken = {}
    for run in serving.network_runs(stored.runs):
        assert isinstance(run.job, ClientsJob) and isinstance(run.job.target, SmbTarget)
        spoken[run.system] = (run.job.target.signing, run.job.target.encryption)
    assert spoken == {"plain": (False, False), "signed": (True, False), "encrypted": (False, True)}
    assert scene.left() == [] and serving.leftovers() == []


def test_one_block_compares_the_path_samba_and_ganesha(
    scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    """One file system, reached in three ways: each is a system, all in one block."""
    for name in serving.NAMES:
        serving.needs(name)
    systems = [
        {"name": name, "kind": "ext4", "access": access}
        for name, access in (("path", "path"), ("smb", "samba"), ("nfs", "ganesha"))
    ]
    study = serving.study_of("none", *systems, access=serving.ALONE)
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None and stored.path_runs == []
    spoken = {run.system: run.job.target.kind for run in stored.runs}
    assert spoken == {"path": "path", "smb": "smb", "nfs": "nfs"}
    assert {turn.system: turn.server and turn.server.name for turn in stored.turns} == {
        "path": None,
        "smb": "Samba",
        "nfs": "NFS-Ganesha",
    }
    assert all(len({r.system for r in stored.runs if r.block == at}) == 3 for at in (0, 1))
    for run in stored.runs:
        assert run.result is not None and run.result.clients is not None
        assert (run.result.clients.errors, run.result.clients.bad_records) == ([], 0)
    results = read_stored(stored)
    assert {each.system for each in results.comparisons} == {"smb", "nfs"}
    assert scene.left() == [] and serving.leftovers() == []


SERVED_LOADS = {
    "writers": {"writers": [1], "passes": 1, "block_sizes": [8192], "fill": 20, "verify": True},
    "overhead": {
        "patterns": ["randread", "randwrite"],
        "queue_depths": [4],
        "block_sizes": [4096],
        "fill": 20,
        "warm_up": 50_000_000,
        "duration": 300_000_000,
    },
    "churn": {"fills": [30], "tests": ["write"], "clients": 4, "storage_age": 1.5, "fsync": False},
}


@pytest.mark.long
@pytest.mark.parametrize("kind", SERVED_LOADS)
@pytest.mark.parametrize("name", serving.NAMES)
def test_other_kinds_work_through_a_server_too(
    name: str, kind: str, scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    """Each writer or job has a connection of its own; the files lie on the path below."""
    serving.needs(name)
    study = Study.model_validate(
        {
            "format": 1,
            "name": "served",
            "question": "What does a server add?",
            "storage": {"kind": "ram", "size": 200 * MEBIBYTE},
            "system": [{"name": "ext4"}, {"name": "served", "kind": "ext4", "access": name}],
            "workload": {"kind": kind} | SERVED_LOADS[kind],
            "plan": {"seed": 1, "blocks": 2},
        }
    )
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None and stored.path_runs == []
    for run in stored.runs:
        assert run.fault is None and run.result is not None, run.fault
        assert (run.server is None) == (run.system == "ext4")
        target = run.job.target.kind
        assert (target in ("share_files", "smb", "nfs")) == (run.system == "served")
        if run.result.integrity is not None:
            assert run.result.integrity.faulty == []
    assert scene.left() == [] and serving.leftovers() == []
