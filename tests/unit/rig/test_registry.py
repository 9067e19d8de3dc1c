"""A study over several hosts, on a rig that has fewer, is told what has as many."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.rig.registry import require_hosts, rig_named
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study

BOTH = "workload.hosts=[1, 2]"


def study(name: str, *overrides: str) -> Study:
    return load_study(name, list(overrides), [], None, 1)


@pytest.mark.parametrize(
    ("rig", "given", "helps"),
    [
        ("vm", study("sharing", BOTH), "--rig vm --set rig.nodes=3,"),
        ("host", study("sharing", BOTH), "--rig vm --set rig.nodes=3,"),
        ("host", study("two-nodes"), "--rig vm, or --rig fleet"),
        ("vm", study("two-nodes", "workload.hosts=[4]"), "--rig vm --set rig.nodes=4,"),
        (
            "vm",
            study("sharing", BOTH, 'rig.roles=["server", "load"]'),
            """--rig vm --set rig.nodes=3 --set 'rig.roles=["server","load","load"]'""",
        ),
    ],
)
def test_the_next_command_has_enough_nodes_beside_the_one_that_serves(
    rig: str, given: Study, helps: str
) -> None:
    """Of two nodes one serves, and the advice to take two nodes led to the same error."""
    with pytest.raises(InputError, match=r"asks for \d hosts that drive the load") as refused:
        require_hosts(rig_named(rig), given)
    assert helps in refused.value.next


def test_a_node_that_serves_is_named_as_the_cause() -> None:
    with pytest.raises(InputError) as refused:
        require_hosts(rig_named("vm"), study("sharing", BOTH))
    assert refused.value.cause == "of its 2 nodes 1 serves"


def test_what_is_asked_for_is_enough() -> None:
    require_hosts(rig_named("vm"), study("sharing", BOTH, "rig.nodes=3"))
    require_hosts(rig_named("vm"), study("two-nodes"))
    require_hosts(rig_named("host"), study("sharing"))
