"""The command that reaches a host."""

from __future__ import annotations

from pathlib import Path

from fsgauge.rig.fleet.launcher.command import ssh_command
from fsgauge.rig.fleet.model import Host


def test_ssh_asks_nothing_and_never_takes_a_host_for_an_option() -> None:
    host = Host(name="a", address="10.0.0.1", user="bench", port=2222, fsgauge="/opt/my fs/fsgauge")
    command = ssh_command(host, Path("/run/c"))
    assert command[0] == "ssh" and "BatchMode=yes" in command
    assert "ControlPath=/run/c/%C" in command
    assert command[-7:] == [
        *("-l", "bench", "-p", "2222", "--", "10.0.0.1"),
        "'/opt/my fs/fsgauge' fleet-host",
    ]
