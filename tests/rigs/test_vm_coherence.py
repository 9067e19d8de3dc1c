"""`fsgauge rig coherence` and `fsgauge rig failure` with real machines. No test needs root.

Emulated, three machines boot for each, and one of them twice: minutes for what it does.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.coherence.log import Log
from fsgauge.failure.log import Log as FailureLog
from tests.rigs.virtual import fsgauge, machines

pytestmark = [
    pytest.mark.long,
    pytest.mark.usefixtures("guest"),
]
TRIALS = 10


@pytest.mark.timeout(1500)
def test_nfs_is_coherent_by_close_to_open_alone_and_gfs2_is_in_all_reads(tmp_path: Path) -> None:
    done = fsgauge(
        *("rig", "coherence", "--system", "nfs3", "--system", "gfs2", "--trials", str(TRIALS)),
        *("--output", str(tmp_path)),
        seconds=1400,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    log = Log.model_validate_json((tmp_path / "coherence.json").read_text())

    def counts(system: str, case: str) -> dict[str, int]:
        found = log.of(system, case)
        assert found is not None and not found.fault
        return found.counts

    for system in ("nfs3", "gfs2"):
        assert counts(system, "close_to_open") == {"same": TRIALS}
        assert counts(system, "exclusive") == {"one winner": TRIALS}
        for lock in ("flock", "fcntl"):
            assert counts(system, lock) == {"held": TRIALS}
        assert counts(system, "counter") == {"kept": 2 * TRIALS}
    assert counts("gfs2", "kept_open") == counts("gfs2", "new_file") == {"same": TRIALS}
    for case in ("append_by_turns", "append_after_fstat"):
        assert counts("gfs2", case) == {"kept": 2 * TRIALS}
    assert counts("nfs3", "kept_open")["old"] > 0
    assert counts("nfs3", "append_by_turns")["lost"] > 0
    assert (tmp_path / "coherence.html").exists()
    assert machines(tmp_path) == []


@pytest.mark.timeout(1500)
def test_what_was_synced_over_nfs_outlives_its_server(tmp_path: Path) -> None:
    words = ["--system", "nfs3", "--fault", "server", "--duration", "5", "--output", str(tmp_path)]
    done = fsgauge("rig", "failure", *words, seconds=1400)
    assert done.returncode == 0, done.stdout + done.stderr
    (failed,) = FailureLog.model_validate_json((tmp_path / "failure.json").read_text()).failures
    assert failed.back_ns is not None and failed.ended_ns is not None and not failed.fault
    for node in failed.nodes:
        assert node.synced > 20 and node.most_lost == 0
        assert node.longest_pause_ns is not None and node.longest_pause_ns > 5 * 10**9
