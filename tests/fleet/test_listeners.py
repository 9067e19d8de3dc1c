"""What listens while a fleet measures: one address for each process, and none beside it.

Slow for what they check: each starts hosts, which load dask.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fleet.conftest import hosts_file
from tests.fleet.control import running
from tests.fleet.faulty import MOMENTS, Fault, Faulty, faulty
from tests.fleet.listeners import Listener, listeners
from tests.fleet.networks import networks
from tests.fleet.test_run import left_behind
from tests.patience import patience

__all__ = ["faulty"]


def descendants(process: int) -> list[int]:
    """A process and all that it has started, and so on."""
    found = [process]
    for each in found:
        for children in Path(f"/proc/{each}/task").glob("*/children"):
            found += [int(pid) for pid in children.read_text().split()]
    return found


def test_all_of_a_local_fleet_listens_on_loopback_alone(small: list[str], tmp_path: Path) -> None:
    file = str(hosts_file(tmp_path, "a", "b"))
    with running(tmp_path, ["run", *small, "--hosts", file], FLEET_ENGINE_SECONDS="1.5") as study:
        study.wait_until(lambda: len(study.engines()) >= 2)
        everyone = descendants(study.process.pid)
        found = {pid: listeners(pid) for pid in everyone}
        _, said = study.process.communicate(timeout=patience(240))
        assert study.process.returncode == 0, said
    all_of_them = [each for of_one in found.values() for each in of_one]
    assert {each.address for each in all_of_them} == {"127.0.0.1"}
    assert sorted(each.protocol for each in all_of_them) == ["tcp", "tcp", "tcp", "udp"]
    assert left_behind(tmp_path) == []


@pytest.mark.root
def test_hosts_listen_on_the_address_towards_the_coordinator(
    faulty: Faulty, tmp_path: Path
) -> None:
    """Each in a network of its own, which has loopback and IPv6 as well."""
    found: dict[str, set[Listener]] = {}
    before = listeners()

    def look() -> None:
        for name in "ab":
            of_host = [listeners(pid) for pid in descendants(faulty.pid(name))]
            found[name] = {each for of_one in of_host for each in of_one}
        clocks = [listeners(pid) for pid in descendants(int(Path("/proc/self").readlink().name))]
        found["coordinator"] = {each for of_one in clocks for each in of_one} - before
        found["coordinator"] -= found["a"] | found["b"]

    with networks("a", "b") as own:
        faulty.faults.append(Fault(MOMENTS[2], look))
        outcome = faulty.measure(["a", "b"], own.launcher(), own.address)
        network = own.address.rpartition(".")[0]
    assert outcome.ended_by is None
    assert {(each.protocol, each.address) for each in found["a"]} == {("tcp", f"{network}.2")}
    assert {(each.protocol, each.address) for each in found["b"]} == {("tcp", f"{network}.3")}
    assert {(each.protocol, each.address) for each in found["coordinator"]} == {
        ("tcp", own.address),
        ("udp", own.address),
    }
