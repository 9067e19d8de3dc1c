"""hosts.toml: what it means, and every mistake with its place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.rig.fleet.choice import chosen_fleet, fleet_of_ssh, parse_hosts, read_hosts
from fsgauge.rig.rig import FleetChoice, hosts_named

GOOD = """\
launcher = "ssh"
listen = "10.0.0.1"

[defaults]
user = "bench"
fsgauge = "/opt/fsgauge/bin/fsgauge"

[[host]]
name = "a"
address = "10.0.0.11"

[[host]]
name = "b"
user = "other"
path = "/mnt/b"
"""


def test_defaults_hold_where_a_host_says_nothing() -> None:
    first, second = parse_hosts(GOOD, "hosts.toml").hosts
    assert (first.user, first.reached_at, first.path) == ("bench", "10.0.0.11", None)
    assert (second.user, second.reached_at, second.path) == ("other", "b", "/mnt/b")
    assert first.fsgauge == second.fsgauge == "/opt/fsgauge/bin/fsgauge"


@pytest.mark.parametrize(
    ("text", "what", "line", "column"),
    [
        ('[[host]]\nname = "a"\nadress = "x"\n', 'unknown key "adress"', 3, 1),
        ('[[host]]\nname = "a"\n[[host]]\nname = "a"\n', "in the list already", 4, 8),
        ('[[host]]\nname = "-a"\n', "is no name", 2, 8),
        ('[[host]]\nname = "a"\nport = 70000\n', '"port" is not valid', 3, 8),
        ('[[host]]\nname = "a"\naddress = "-oProxyCommand=x"\n', '"address" is not valid', 3, 11),
        ('[[host]]\nname = "a"\npath = "here"\n', '"path" is not valid', 3, 8),
        ('launcher = "rsh"\n[[host]]\nname = "a"\n', '"launcher" is not valid', 1, 12),
        ("[[host]\nname = 1\n", "this is not TOML", 1, 8),
        ('[[host]]\naddress = "a"\n', "this host has no name", 1, 3),
    ],
)
def test_a_mistake_is_shown_where_it_is(text: str, what: str, line: int, column: int) -> None:
    with pytest.raises(InputError) as caught:
        parse_hosts(text, "hosts.toml")
    assert what in caught.value.what
    place = caught.value.location
    assert place is not None
    assert (place.path, place.line, place.column) == ("hosts.toml", line, column)


def test_two_names_of_one_address_are_seen() -> None:
    text = '[[host]]\nname = "a"\naddress = "x"\n[[host]]\nname = "b"\naddress = "x"\n'
    with pytest.raises(InputError, match="in the list already") as caught:
        parse_hosts(text, "f")
    assert caught.value.location is not None and caught.value.location.line == 6


def test_a_file_without_hosts_says_so() -> None:
    for text in ("", "host = []\n"):
        with pytest.raises(InputError, match="f lists no hosts"):
            parse_hosts(text, "f")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_hosts(tmp_path / "none.toml")


def test_hosts_of_the_command_line() -> None:
    first, second, third = fleet_of_ssh("a,root@b:2222,[fe80::1]").hosts
    assert (first.name, first.user, first.port) == ("a", None, None)
    assert (second.name, second.user, second.port) == ("b", "root", 2222)
    assert third.reached_at == "fe80::1"


@pytest.mark.parametrize("text", ["a,,b", "a,a", "-oX=1", "a b", "a:99999"])
def test_a_wrong_host_of_the_command_line_is_underlined(text: str) -> None:
    with pytest.raises(InputError) as caught:
        fleet_of_ssh(text)
    place = caught.value.location
    assert place is not None and place.path == "--hosts" and place.text == text


def test_a_fleet_needs_its_hosts() -> None:
    with pytest.raises(InputError, match="the fleet rig needs its hosts"):
        chosen_fleet(FleetChoice())


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (None, FleetChoice()),
        ("hosts.toml", FleetChoice(hosts=Path("hosts.toml"))),
        ("here/hosts", FleetChoice(hosts=Path("here/hosts"))),
        ("named", FleetChoice(hosts=Path("named"))),
        ("a,b,u@c:2222", FleetChoice(ssh="a,b,u@c:2222")),
        ("[fe80::1]", FleetChoice(ssh="[fe80::1]")),
        ("slurm:16", FleetChoice(slurm=16)),
        ("kubernetes:pods.toml", FleetChoice(kubernetes=Path("pods.toml"))),
        ("tls://a:8786", FleetChoice(scheduler="tls://a:8786")),
    ],
)
def test_one_option_names_hosts_of_every_sort(
    text: str | None, meant: FleetChoice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("named").touch()
    assert hosts_named(text) == meant
    if text is not None:
        assert hosts_named(f"same:{text}") == replace(meant, same=True)


@pytest.mark.parametrize("nodes", ["", "0", "x", "10001", "9" * 5000])
def test_a_number_of_nodes_has_bounds(nodes: str) -> None:
    with pytest.raises(InputError, match="does not say how many nodes"):
        hosts_named(f"slurm:{nodes}")


def test_a_scheduler_needs_tls_and_a_certificate() -> None:
    with pytest.raises(InputError, match="--hosts tcp://a:1 is not an address with TLS"):
        chosen_fleet(FleetChoice(scheduler="tcp://a:1"))
    with pytest.raises(InputError, match="no certificate for tls://a:1"):
        chosen_fleet(FleetChoice(scheduler="tls://a:1"))


def test_a_file_has_no_pods() -> None:
    with pytest.raises(InputError, match='not started by "kubernetes"') as caught:
        parse_hosts('launcher = "kubernetes"\n[[host]]\nname = "a"\n', "f")
    assert caught.value.location is not None and caught.value.location.line == 1
