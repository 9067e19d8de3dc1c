"""The real Bonnie++ in the guest, in turns with the engine, on a local file system and over NFS."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.crosscheck.sitting import ProgramRun
from tests.rigs.virtual import fsgauge, machines

pytestmark = [
    pytest.mark.usefixtures("guest"),
    pytest.mark.long,
]
SMALL = [
    *("--set", 'workload.tests=["put_block", "create_random"]', "--pairs", "2"),
    *("--set", 'workload.file_sizes=["16 MiB"]', "--set", "workload.folder_files=1024"),
]


@pytest.mark.timeout(900)
def test_bonnie_runs_in_the_guest_on_a_local_system_and_over_nfs(tmp_path: Path) -> None:
    disks = tmp_path / "disks"
    disks.mkdir()
    left_out = [w for name in ("cachefs", "unionfs", "gfs2", "ocfs2") for w in ("--without", name)]
    done = fsgauge(
        *("crosscheck", "sharing", "--with", "bonnie++", "--rig", "vm", *left_out, *SMALL),
        *("--set", f"storage.directory={disks}", "--results", str(tmp_path / "results")),
        seconds=800,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert machines(disks) == []
    assert list(disks.iterdir()) == []
    (folder,) = (tmp_path / "results").iterdir()
    for system in ("ext3", "nfs"):
        paths = sorted((folder / "runs" / system).iterdir())
        runs = [ProgramRun.model_validate_json(path.read_text()) for path in paths]
        assert len(runs) in (4, 6, 8), "two starts; a second pair where the first had a rate"
        for run in runs:
            assert run.program_version == "2.00a"
            if run.tool == "bonnie++":
                assert run.output is not None
                assert run.output.startswith("1.98,2.00a,fsgauge,")
            else:
                assert all(numbers.rate for numbers in run.cells)
