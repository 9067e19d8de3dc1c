"""Which failures are carried out, and which are refused before a machine is started."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.failure.carrying_out import chosen_failures, possible
from fsgauge.rig.vm.trials import chosen_sharing


def failures(names: list[str], *struck: str, are_named: bool = True) -> tuple[list[str], list[str]]:
    said: list[str] = []
    found = chosen_failures(chosen_sharing(names), struck, are_named=are_named, say=said.append)
    return [f"{system.name} {each}" for system, each in found], said


def test_a_server_fails_only_where_there_is_one() -> None:
    known = {each.name: possible(each) for each in chosen_sharing([])}
    assert known["nfs4"] == known["smb"] == ["server", "node", "link"]
    assert known["gfs2"] == known["ocfs2"] == ["node", "link"]
    assert known["gluster"] == ["link"], "its cluster does not outlive a guest's memory"


def test_without_a_choice_all_that_is_possible_is_carried_out() -> None:
    assert failures(["nfs4", "gfs2"]) == (
        ["nfs4 server", "nfs4 node", "nfs4 link", "gfs2 node", "gfs2 link"],
        [],
    )


def test_a_server_that_no_system_has_is_refused_with_what_works() -> None:
    """`failure --system gfs2 --fault server` once made a page of nothing, and exit code 0."""
    with pytest.raises(InputError, match="a server of gfs2 cannot fail") as refused:
        failures(["gfs2"], "server")
    assert refused.value.details == ("gfs2: node, link can fail",)
    assert refused.value.next == "fsgauge rig failure --system gfs2 --fault node"


def test_one_of_several_systems_without_a_server_is_refused_too() -> None:
    with pytest.raises(InputError, match="a server of gfs2 cannot fail") as refused:
        failures(["gfs2", "nfs3", "ocfs2"], "server", "link")
    assert refused.value.next == "fsgauge rig failure --system nfs3 --fault server"


def test_of_the_usual_systems_those_without_a_server_are_left_out_and_named() -> None:
    found, said = failures(["nfs3", "gfs2"], "server", are_named=False)
    assert found == ["nfs3 server"]
    assert len(said) == 1
    assert said[0].startswith("gfs2, the server loses its power: left out, it has no server")
