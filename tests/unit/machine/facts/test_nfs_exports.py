"""Exports in force of this machine's own NFS server."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from fsgauge.machine.facts.nfs_exports import export_facts

ETAB = (
    "/srv\t*(rw,sync,wdelay,root_squash)\n"
    "/srv/fast\t10.0.0.0/8(rw,async,no_root_squash) localhost(ro,sync)\n"
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "etab"
    path.write_text(ETAB)
    return path


@pytest.mark.parametrize(
    ("host", "path", "options"),
    [
        ("localhost", "/srv", "rw,sync,wdelay,root_squash"),
        ("127.0.0.1", "/srv/data", "rw,sync,wdelay,root_squash"),
        ("::1", "/srv/fast/a", "rw,async,no_root_squash,ro,sync"),
        (socket.gethostname(), "/srv", "rw,sync,wdelay,root_squash"),
        ("localhost", "/srvx", None),
        ("198.51.100.7", "/srv", None),
    ],
)
def test_options_are_those_of_the_nearest_export(
    table: Path, host: str, path: str, options: str | None
) -> None:
    found = export_facts(host, path, table)
    assert found == ({} if options is None else {"export options": options})


def test_without_a_server_nothing_is_known(tmp_path: Path) -> None:
    assert export_facts("localhost", "/srv", tmp_path / "missing") == {}
