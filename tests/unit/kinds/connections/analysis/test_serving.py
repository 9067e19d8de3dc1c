"""What a server used and what it adds: planted, found, and in no other number."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.kinds.connections.analysis.model import Serving
from fsgauge.stats.results import Results
from tests.synthetic_connections import make_connections
from tests.synthetic_serving import NFS_TARGET, SESSION_NS, make_serving


def serving_of(results: Results) -> Serving:
    assert results.own is not None and results.own.serving is not None
    return results.own.serving


def test_paths_alone_have_no_server() -> None:
    found = make_connections(clients=12, blocks=2).results()
    assert found.own is not None and found.own.serving is None


@pytest.mark.parametrize("times", [2.0, 10.0])
def test_the_share_of_the_server_is_what_was_planted(times: float) -> None:
    shares = serving_of(make_serving(times=times, noise=0.0).results()).shares
    assert {each.operation for each in shares} >= {"create", "open", "read", "write", "close"}
    for each in shares:
        assert each.share is not None
        assert each.share.value == pytest.approx(1 - 1 / times, abs=0.02), each
        assert each.served_ns.value == pytest.approx(times * each.path_ns.value, rel=0.05)
        assert each.share.low is not None and each.share.low <= each.share.value


def test_a_close_that_syncs_has_no_share_of_the_server() -> None:
    """NFS's COMMIT waits for the storage, the path's close does not: that is not the server's."""

    def without_share(**changes: Any) -> set[tuple[str, str]]:
        shares = serving_of(make_serving(**changes).results()).shares
        return {(each.cell, each.operation) for each in shares if each.share is None}

    assert without_share(target=NFS_TARGET) == {("write", "close")}
    assert without_share(target=NFS_TARGET, fsync=True) == without_share() == set()


def test_processor_time_memory_and_refusals_are_what_was_planted() -> None:
    serving = serving_of(make_serving(processor_ns=70_000, drops=2).results())
    for use in serving.use:
        assert use.processor_ns is not None
        assert use.processor_ns.value == pytest.approx(70_000, rel=0.01)
        assert use.session_ns is not None
        assert use.session_ns.value == pytest.approx(SESSION_NS)
        assert (use.memory_bytes, use.processes) == (12 << 20, 15)
        assert use.listen_overflows == 2 * use.runs  # the socket's own, not the machine's 7
    assert serving.servers == [
        "Samba 4.17.12 (SMB), clients work as nobody, listen backlog 50 (net.core.somaxconn 4096)"
    ]
    assert serving.settings == ["SMB 3.0.2, not signed, not encrypted, without oplocks"]


def test_turns_over_paths_are_in_no_other_number() -> None:
    with_paths = make_serving(times=100.0).results()
    without = make_connections(clients=12, blocks=3, tests=("write", "read")).results()
    assert with_paths.comparisons == without.comparisons
    assert with_paths.noise == without.noise
    assert with_paths.sureness.blocks_complete == with_paths.sureness.blocks_planned == 3
    assert with_paths.sureness.runs_complete == with_paths.sureness.runs_planned


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"restarts": 1}, "server.died"),
        ({"drops": 3}, "server.listen_overflows"),
        ({"reconnections": 2}, "clients.reconnected"),
    ],
)
def test_what_went_wrong_is_a_finding(changes: dict[str, int], code: str) -> None:
    codes = {finding.code for finding in make_serving(**changes).results().findings}
    assert code in codes
    sound = {finding.code for finding in make_serving().results().findings}
    assert code not in sound and "server.records" in sound
