"""A study over several hosts, on a rig that has fewer, is told what has as many."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.rig.registry import RIGS, around_of, require_hosts, rig_named
from fsgauge.rig.rig import Rig
from fsgauge.rig.vm.acceleration import CHOICE_VARIABLE
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


def test_what_a_list_of_studies_says_of_time_is_what_their_rigs_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The list asks without a rig; another one that knows its time has to be asked there too."""
    monkeypatch.setenv(CHOICE_VARIABLE, "tcg")
    assert [name for name in RIGS if type(rig_named(name)).around is not Rig.around] == ["vm"]
    for name in ("two-nodes", "writers"):
        own = rig_named("vm" if study(name).rig else "host")
        assert around_of(study(name)) == own.around(study(name))
    assert around_of(study("two-nodes")).before_seconds > 0
