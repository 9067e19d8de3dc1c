"""What a program needs of a system in a virtual machine, order by order."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.wire import FilesTarget
from fsgauge.errors import RigError
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.lending import lent_by
from fsgauge.rig.vm.messages import Order, Reply
from fsgauge.study.model import System
from tests.unit.rig.vm.fake_nodes import FakeNode, group_of

TARGET = FilesTarget(directory="/mnt/it", count=1, file_size_bytes=1 << 20)
SYSTEM = System.model_validate({"name": "ext3"})
ANSWERS = {
    "lend": TARGET.model_dump_json(),
    "settle": '"synced"',
    "program": '"/run/brought/iozone"',
    "say": '"1.98"',
}


def group(fails: str = "") -> tuple[NodeGroup, FakeNode]:
    def answer(node: FakeNode, order: Order) -> list[Reply | BaseException]:
        if order.do == fails:
            return [RigError("bonnie++ failed")]
        return [Reply(answer=ANSWERS.get(order.do, "null"))]

    node = FakeNode("node1", answer)
    return group_of([node]), node


def words_of(node: FakeNode, do: str) -> dict[str, Any]:
    (order,) = [order for order in node.orders if order.do == do]
    return order.words


def test_it_is_lent_used_and_given_back(tmp_path: Path) -> None:
    file = tmp_path / "iozone"
    file.write_bytes(b"\x7fELF")
    nodes, node = group()
    with lent_by(nodes, SYSTEM) as lent:
        assert lent.target == TARGET
        assert lent.settle() == "synced"
        assert lent.program("iozone", file) == "/run/brought/iozone"
        assert lent.said(["iozone", "-R"], "iozone failed", 60.0) == "1.98"
        lent.remove(["c00000"])
    assert [order.do for order in node.orders] == [
        "lend", "settle", "program", "say", "remove", "give_back",
    ]  # fmt: skip
    assert base64.b64decode(words_of(node, "program")["data"]) == b"\x7fELF"
    assert words_of(node, "say")["command"] == ["iozone", "-R"]


def test_what_failed_is_told_and_the_system_is_given_back() -> None:
    nodes, node = group(fails="say")
    with pytest.raises(RigError, match=r"bonnie\+\+ failed"), lent_by(nodes, SYSTEM) as lent:
        lent.said(["bonnie++"], "bonnie++ failed", 60.0)
    assert node.orders[-1].do == "give_back"


def test_an_error_in_giving_back_does_not_hide_the_first() -> None:
    nodes, _ = group(fails="give_back")
    with pytest.raises(KeyError, match="first"), lent_by(nodes, SYSTEM):
        raise KeyError("first")
