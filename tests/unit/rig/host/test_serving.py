"""What is said of a server that is not whole here, or does not answer."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from fsgauge.access import SERVERS
from fsgauge.errors import RigError
from fsgauge.machine.process.tool import Said
from fsgauge.rig.host import serving


@pytest.mark.parametrize(
    ("name", "gone", "lack", "install"),
    [
        ("samba", ["smbd"], "smbd is missing", "apt-get install samba"),
        (
            "ganesha",
            ["ganesha.nfsd", "unshare", "mount"],
            "ganesha.nfsd, unshare, mount are missing",
            "apt-get install nfs-ganesha nfs-ganesha-vfs rpcbind util-linux mount",
        ),
        ("samba", ["unshare"], "unshare is missing", "apt-get install util-linux"),
    ],
)
def test_what_is_missing_is_named_with_the_packages_that_bring_it(
    name: str, gone: list[str], lack: str, install: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "find_tool", lambda tool: None if tool in gone else f"/bin/{tool}")
    kind = SERVERS[name]
    assert (serving.lack_of(kind), serving.install_of(kind)) == (lack, install)
    with pytest.raises(RigError, match=lack) as refusal:
        serving.require_installed(kind)
    assert refusal.value.next.startswith(f"{install}, or without --serve")


def test_no_host_and_no_server_are_the_same_kind_of_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        with pytest.raises(RigError, match="no server answers") as refusal:
            serving.require_answer("127.0.0.1", closed.getsockname()[1])
    monkeypatch.setattr(socket, "create_connection", unknown)
    with pytest.raises(RigError, match="there is no host filer") as absent:
        serving.require_answer("filer", 445)
    assert refusal.value.exit_code == absent.value.exit_code == 3


@pytest.mark.root
def test_a_container_without_namespaces_is_told_before_anything_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A server in the machine's own network would let in whoever connects: rather none."""
    refused = Said(("unshare",), 1, "", "unshare: unshare failed: Operation not permitted")
    monkeypatch.setattr(serving, "run_tool", lambda _: refused)
    with pytest.raises(RigError, match="Samba cannot have private process ids") as refusal:
        serving.require_surroundings(SERVERS["samba"])
    assert "Operation not permitted" in refusal.value.details[-1]
    assert "container" in refusal.value.next

    @contextmanager
    def none() -> Iterator[None]:
        raise RigError("a network for the server alone cannot be made")
        yield

    monkeypatch.setattr(serving, "own_network", none)
    with pytest.raises(RigError, match="network for the server alone"):
        serving.require_surroundings(SERVERS["samba"])
