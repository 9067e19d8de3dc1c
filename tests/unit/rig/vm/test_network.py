"""The switch between machines: who hears what, what is lost, and what is made to wait."""

from __future__ import annotations

import array
import fcntl
import socket
import termios
import threading
import time
from collections.abc import Iterator

import pytest

from fsgauge.rig.vm import network
from fsgauge.rig.vm.network import Shape, Switch

EVERYONE = b"\xff" * 6
SECONDS = 60.0


class Net:
    """Three machines on a switch, and what each of them sends and hears."""

    def __init__(self, shape: Shape | None = None, seed: int = 0) -> None:
        pairs = [socket.socketpair() for _ in range(3)]
        self.machines = [theirs for _, theirs in pairs]
        self._heard = [bytearray() for _ in pairs]
        for each in self.machines:
            each.settimeout(SECONDS)
        self.switch = Switch([own for own, _ in pairs], shape or Shape(), seed)
        self.switch.start()

    def send(self, source: int, to: int | None, payload: bytes) -> None:
        target = EVERYONE if to is None else _address(to)
        frame = target + _address(source) + b"\x08\x00" + payload
        self.machines[source].sendall(len(frame).to_bytes(4, "big") + frame)

    def hear(self, at: int) -> bytes:
        """The payload of the next frame for a machine."""
        heard = self._heard[at]
        while len(heard) < 4 or len(heard) < 4 + int.from_bytes(heard[:4], "big"):
            piece = self.machines[at].recv(1 << 16)
            assert piece
            heard += piece
        length = int.from_bytes(heard[:4], "big")
        frame = bytes(heard[4 : 4 + length])
        del heard[: 4 + length]
        return frame[14:]

    def introduce(self) -> None:
        """Each machine has spoken, so that the switch knows where it is."""
        for at in range(3):
            self.send(at, None, b"here")
            for other in range(3):
                if other != at:
                    assert self.hear(other) == b"here"

    def wait_until_read(self) -> None:
        """All that was sent has been read by the switch."""
        ends = time.monotonic() + SECONDS
        while any(_unread_bytes(each) for each in self.machines) and time.monotonic() < ends:
            time.sleep(0.001)

    def close(self) -> None:
        self.switch.close()
        for each in self.machines:
            each.close()


def _unread_bytes(end: socket.socket) -> int:
    """What was sent and the other end has not read."""
    found = array.array("i", [0])
    fcntl.ioctl(end, termios.TIOCOUTQ, found)
    return found[0]


def _address(number: int) -> bytes:
    return bytes([0x52, 0x54, 0, 9, 0, number + 1])


@pytest.fixture
def net() -> Iterator[Net]:
    found = Net()
    yield found
    found.close()


def test_a_frame_reaches_its_machine_alone(net: Net) -> None:
    net.introduce()
    net.send(0, 1, b"for one")
    net.send(0, None, b"for all")
    assert [net.hear(1), net.hear(1)] == [b"for one", b"for all"]
    assert net.hear(2) == b"for all", "what is for another is not heard"


def test_a_frame_in_pieces_arrives_whole(net: Net) -> None:
    frame = EVERYONE + _address(0) + b"\x08\x00" + bytes(range(256)) * 8
    words = len(frame).to_bytes(4, "big") + frame
    for at in range(0, len(words), 700):
        net.machines[0].sendall(words[at : at + 700])
    assert net.hear(1) == bytes(range(256)) * 8


def test_a_link_that_is_cut_carries_nothing_until_it_is_healed(net: Net) -> None:
    net.introduce()
    net.switch.cut(1)
    net.send(1, 0, b"lost")
    net.send(0, 1, b"lost too")
    net.wait_until_read()
    net.send(2, 0, b"others go on")
    net.send(0, 2, b"both ways")
    assert (net.hear(0), net.hear(2)) == (b"others go on", b"both ways")
    net.switch.cut(1, is_cut=False)
    net.send(1, 0, b"healed")
    assert net.hear(0) == b"healed"
    net.send(0, 1, b"and back")
    assert net.hear(1) == b"and back"


def test_nothing_is_lost_for_want_of_room(net: Net, monkeypatch: pytest.MonkeyPatch) -> None:
    """Far more than all buffers hold, to a machine that reads late."""
    monkeypatch.setattr(network, "_STALLED_SECONDS", SECONDS)
    net.introduce()
    count, payload = 8000, bytes(1400)

    def send() -> None:
        for number in range(count):
            net.send(0, 1, number.to_bytes(4, "big") + payload)

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    heard = [int.from_bytes(net.hear(1)[:4], "big") for _ in range(count)]
    sender.join(SECONDS)
    assert heard == list(range(count))


def test_a_machine_that_takes_nothing_does_not_stop_the_others(net: Net) -> None:
    net.introduce()
    for _ in range(4000):
        net.send(0, 1, bytes(1400))
    net.send(0, 2, b"still there")
    assert net.hear(2) == b"still there"


def test_a_delay_is_kept(net: Net) -> None:
    net.introduce()
    net.switch.shape(Shape(delay_seconds=0.2))
    began = time.monotonic()
    net.send(0, 1, b"late")
    assert net.hear(1) == b"late"
    assert time.monotonic() - began >= 0.2


def test_a_bandwidth_is_kept(net: Net) -> None:
    """200 kB at 800 kB/s take a quarter of a second at least."""
    net.introduce()
    net.switch.shape(Shape(bytes_per_second=8e5))
    began = time.monotonic()
    for _ in range(200):
        net.send(0, 1, bytes(986))
    for _ in range(200):
        net.hear(1)
    assert time.monotonic() - began >= 0.25


def test_the_share_that_is_lost_is_that_of_the_study() -> None:
    net = Net(Shape(loss=0.25), seed=1)
    try:
        for _ in range(400):
            net.send(0, None, b"x")
        net.switch.shape(Shape())
        arrived = 0
        net.send(0, None, b"last")
        while net.hear(1) != b"last":
            arrived += 1
        assert 260 <= arrived <= 340
    finally:
        net.close()


def test_it_ends_while_frames_are_on_their_way() -> None:
    net = Net(Shape(delay_seconds=60.0))
    net.send(0, None, b"never there")
    began = time.monotonic()
    net.close()
    assert time.monotonic() - began < 30
