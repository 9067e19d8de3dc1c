"""A machine as it is asked and ended, with a program of ours in QEMU's place."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fsgauge.errors import InputError, RigError
from fsgauge.rig.vm import node as nodes
from fsgauge.rig.vm.messages import Order, Reply
from fsgauge.rig.vm.node import Node, NodeLostError, NotUpError, telling_lines
from fsgauge.rig.vm.qemu import Disk
from fsgauge.rig.vm.slowness import QUIET_SECONDS
from tests.unit.rig.vm.machine import fake_node

ANSWERS = """
say(hello=version)
for order in lines("port"):
    if order["do"] == "describe":
        say(said="half done")
        say(alive=True)
        say(answer='"described"')
    if order["do"] == "prepare":
        say(fault={"kind": "InputError", "what": "no such disk", "next": "lsblk"})
    if order["do"] == "make":
        write("Kernel panic - not syncing: sysrq"); sys.exit(0)
    if order["do"] == "abort":
        say(fault={"kind": "Interrupted", "what": "ended by SIGINT"})
"""
Start = Callable[..., Node]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    made: list[Node] = []

    def begin(behaviour: str, *serials: str, version: str = "") -> Node:
        made.append(fake_node(tmp_path, behaviour, *serials, version=version))
        made[-1].start()
        return made[-1]

    yield begin
    for each in made:
        each.end()


def test_an_order_is_answered_and_what_is_said_before_is_heard(start: Start) -> None:
    node = start(ANSWERS)
    assert node.wait_until_up() >= 0
    heard: list[Reply] = []
    assert node.ask(Order(do="describe"), 60, heard.append) == '"described"'
    assert [reply.said for reply in heard] == ["half done"]


def test_what_the_guest_refuses_is_raised_here_with_its_name(start: Start) -> None:
    node = start(ANSWERS)
    node.wait_until_up()
    with pytest.raises(InputError) as error:
        node.ask(Order(do="prepare"), 60)
    assert (error.value.what, error.value.next) == ("node1: no such disk", "lsblk")


def test_of_a_panic_the_lines_that_say_why_are_kept_and_not_its_addresses() -> None:
    trace = [f"RIP: 0010:f+0x{at}" for at in range(30)]
    lines = ["booted", "sysrq: Trigger a crash", "Kernel panic - not syncing: sysrq", *trace]
    assert telling_lines(lines)[0] == "Kernel panic - not syncing: sysrq"
    assert telling_lines(trace) == trace[-8:]


def test_a_machine_that_ends_is_lost_with_its_last_lines(start: Start) -> None:
    node = start(ANSWERS)
    node.wait_until_up()
    with pytest.raises(NodeLostError) as error:
        node.ask(Order(do="make"), 60)
    assert "node1 has ended" in error.value.what
    assert "console: Kernel panic - not syncing: sysrq" in error.value.details


def test_a_machine_that_does_not_start_is_lost_with_what_qemu_said(start: Start) -> None:
    node = start("print('no such machine type', flush=True); sys.exit(1)")
    with pytest.raises(NodeLostError) as error:
        node.wait_until_up()
    assert "qemu: no such machine type" in error.value.details


def test_a_machine_that_hangs_is_lost_within_bounds(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nodes, "SILENCE_SECONDS", 1.0)
    node = start("say(hello=version)\ntime.sleep(600)")
    node.wait_until_up()
    with pytest.raises(NodeLostError, match="has said nothing for 1 s"):
        node.ask(Order(do="describe"), 600)


def test_a_machine_that_does_not_come_up_is_no_system_s_fault(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(nodes.BOOT_SECONDS, "tcg", 1.0)
    node = start("time.sleep(600)")
    with pytest.raises(NotUpError, match=r"is not up within 1 s \(load .* processors\)"):
        node.wait_until_up()


def test_a_machine_whose_console_goes_on_is_waited_for(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At load 30 a machine was "not up within 240 s" that said so after 66."""
    monkeypatch.setitem(nodes.BOOT_SECONDS, "tcg", 1.5)
    node = start("for at in range(5):\n    write('booting'); time.sleep(0.6)\nsay(hello=version)")
    assert node.wait_until_up() > 1.5


def test_a_console_that_goes_on_for_ever_is_not(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(nodes.BOOT_SECONDS, "tcg", 1.0)
    monkeypatch.setattr(nodes, "BOOT_TIMES", 2)
    node = start("while True:\n    write('booting'); time.sleep(0.2)")
    with pytest.raises(NotUpError, match="is not up within 2 s"):
        node.wait_until_up()


def test_the_limits_of_a_slow_machine_are_longer_and_its_lateness_names_the_load(
    start: Start,
) -> None:
    node = start(f"say(hello=version, work_seconds={3 * QUIET_SECONDS})\ntime.sleep(600)")
    node.wait_until_up()
    assert node.slowness == pytest.approx(3.0)
    with pytest.raises(NodeLostError, match=r"within 2 s \(load [0-9.]+ on [0-9]+ processors\)"):
        node.ask(Order(do="describe"), 0.6)


def test_signs_of_life_are_no_answer(start: Start) -> None:
    node = start("say(hello=version)\nwhile True:\n    say(alive=True); time.sleep(0.01)")
    node.wait_until_up()
    with pytest.raises(NodeLostError, match="did not finish"):
        node.ask(Order(do="describe"), 1.5)


def test_what_the_listener_raises_aborts_the_order_first(start: Start, tmp_path: Path) -> None:
    node = start(ANSWERS)
    node.wait_until_up()

    def full(_: Reply) -> None:
        raise RigError("the disk for records is full")

    with pytest.raises(RigError, match="is full"):
        node.ask(Order(do="describe"), 60, full)
    ends = time.monotonic() + 60
    while "abort" not in (tmp_path / "port").read_text() and time.monotonic() < ends:
        time.sleep(0.01)
    assert '{"do":"abort"}' in (tmp_path / "port").read_text()


def test_a_guest_of_another_version_is_refused(start: Start) -> None:
    with pytest.raises(RigError, match=r"the guest has fsgauge 0\.0\.0"):
        start(ANSWERS, version="0.0.0").wait_until_up()


def test_what_makes_no_sense_is_a_lost_machine(start: Start) -> None:
    node = start('opened["port"].sendall(b"Segmentation fault\\n")\ntime.sleep(600)')
    with pytest.raises(NodeLostError, match="makes no sense"):
        node.wait_until_up()


def test_nothing_is_left_of_a_machine_that_was_ended(start: Start) -> None:
    node = start("say(hello=version)\ntime.sleep(600)")
    node.wait_until_up()
    process = node._process
    assert process is not None
    node.end()
    assert process.returncode is not None
    node.end()


def test_disks_are_limited_while_the_machine_runs(start: Start, tmp_path: Path) -> None:
    node = start(ANSWERS, "disk0")
    node.wait_until_up()
    node.monitor.limit_disk(Disk("disk0", tmp_path), 500, 1000)
    asked = (tmp_path / "monitor").read_text()
    assert '"qmp_capabilities"' in asked
    assert (
        '"id": "/machine/peripheral/disk0/virtio-backend", "iops": 500' in asked
        and '"bps": 1000' in asked
    )
    with pytest.raises(RigError, match="no such disk"):
        node.monitor.limit_disk(Disk("bad", tmp_path), 1, 1)


def test_a_machine_whose_disk_is_gone_is_not_started(tmp_path: Path) -> None:
    node = fake_node(tmp_path, ANSWERS, "disk0")
    (tmp_path / "disk0").unlink()
    with pytest.raises(RigError, match=r"node1 cannot be started: .*disk0") as error:
        node.start()
    assert error.value.next
    node.end()
