"""A network of our own: what is in it, what stays outside, and what is said where there is none."""

from __future__ import annotations

import errno
import grp
import os
import pwd
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from fsgauge.errors import RigError
from fsgauge.machine.process import own_network as module
from fsgauge.machine.process.own_network import own_network, unused_user_id

NETWORK = Path("/proc/thread-self/ns/net")


def here() -> int:
    return NETWORK.stat().st_ino


@pytest.mark.root
def test_only_who_enters_is_within_and_comes_back() -> None:
    home = here()
    with own_network() as network:
        with network.entered():
            within = here()
            with socket.create_server(("127.0.0.1", 0)) as listening:
                port = listening.getsockname()[1]
                socket.create_connection(("127.0.0.1", port), timeout=2).close()
                seen: list[int] = []
                outside = threading.Event()

                def look() -> None:
                    seen.append(network.from_within(here))
                    outside.set()

                threading.Thread(target=look).start()
                assert outside.wait(10)
        assert here() == home and seen == [within] and within != home
        with pytest.raises(ZeroDivisionError), network.entered():
            raise ZeroDivisionError
        assert here() == home
    assert here() == home


@pytest.mark.root
def test_settings_of_this_machine_hold_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new network begins with the kernel's defaults: tuning would be lost without a word."""
    tuned = {"core/somaxconn": "321\n", "ipv4/tcp_slow_start_after_idle": "0\n"}
    monkeypatch.setattr(module, "_settings", lambda: tuned | {"ipv4/tcp_mem": "1 2 3\n"})
    with own_network() as network, network.entered():
        for name, value in tuned.items():
            assert Path("/proc/sys/net", name).read_text() == value


@pytest.mark.parametrize(
    ("number", "cause"),
    [(errno.EPERM, "CAP_SYS_ADMIN"), (errno.EINVAL, "CONFIG_NET_NS"), (errno.ENOSPC, "max_net")],
)
def test_where_there_can_be_none_the_error_says_why(
    number: int, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_settings: dict[str, str]) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(module, "_made", refused)
    with pytest.raises(RigError, match="network") as refusal, own_network():
        pytest.fail("there is one")
    assert cause in refusal.value.cause and "unshare --net" in refusal.value.next


def test_users_groups_and_processes_keep_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    def only(number: int) -> Any:
        def find(asked: int) -> object:
            if asked != number:
                raise KeyError(asked)
            return object()

        return find

    monkeypatch.setattr(module, "_NUMBERS", range(61184, 61188))
    monkeypatch.setattr(pwd, "getpwuid", only(61184))
    monkeypatch.setattr(grp, "getgrgid", only(61185))
    monkeypatch.setattr(module, "_of_processes", lambda: {61186})
    assert unused_user_id() == 61187
    monkeypatch.setattr(module, "_of_processes", lambda: {61186, 61187})
    with pytest.raises(RigError, match="from 61184 to 61187"):
        unused_user_id()


def test_it_has_no_name_here() -> None:
    with pytest.raises(KeyError):
        pwd.getpwuid(unused_user_id())
