"""Which node does what, and how a system is arranged over them."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.rig.vm.arrangement.roles import Roles, arrangements, is_arranged, roles_of
from fsgauge.rig.vm.recipe import Where, tables
from tests.unit.rig.vm.arrangement.given import ours, study

pytestmark = pytest.mark.usefixtures(ours.__name__)
SERVED = "system.ext4.rig.reached_by=served"


def test_a_study_without_nodes_has_one() -> None:
    assert roles_of(study()) == Roles(1, None, (0,))
    assert not is_arranged(study())


def test_the_first_node_serves_where_a_system_needs_it() -> None:
    assert roles_of(study(nodes=3)) == Roles(3, None, (0, 1, 2))
    assert roles_of(study(SERVED, nodes=3)) == Roles(3, 0, (1, 2))
    assert roles_of(study("system.ext4.rig.volume=remote", nodes=2)) == Roles(2, 0, (1,))


def test_roles_may_be_given() -> None:
    given = study(SERVED, 'rig.roles=["load", "server", "load"]', nodes=3)
    assert roles_of(given) == Roles(3, 1, (0, 2))


def test_layers_are_set_up_from_the_disk_upwards() -> None:
    (found,) = arrangements(study(SERVED, "system.ext4.rig.volume=stripe", nodes=2))
    assert [layer.title for layer in found.layers] == ["a stripe", "Served"]
    assert found.words == "ext4 on a stripe, reached by Served"
    roles = Roles(2, 0, (1,))
    assert found.holders(roles) == (0,), "the file system is made on the server"
    assert found.is_one and not found.is_plain


def test_a_file_system_of_several_nodes_is_on_their_shared_disk() -> None:
    given = study(systems=("a=clustered", "b=ext4"), nodes=2)
    clustered, plain = arrangements(given)
    assert clustered.volume_name == "shared" and clustered.is_one
    assert clustered.holders(roles_of(given)) == (0, 1)
    assert plain.is_plain and not plain.is_one


def test_with_one_node_it_is_one_like_any_other() -> None:
    (found,) = arrangements(study(systems=("a=clustered",)))
    assert found.is_plain


def test_steps_are_done_where_they_say() -> None:
    (found,) = arrangements(study(SERVED, nodes=4))
    roles = Roles(4, 0, (1, 2, 3))
    names: tuple[Where, ...] = ("server", "loads", "first", "others")
    where = {name: found.nodes_of(name, roles) for name in names}
    assert where == {"server": (0,), "loads": (1, 2, 3), "first": (1,), "others": (2, 3)}
    assert found.nodes_of("all", roles) == (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("key", "wrong", "near"), [("reached_by", "serve", "served"), ("volume", "strip", "stripe")]
)
def test_what_the_guest_does_not_have_is_refused_with_the_nearest(
    key: str, wrong: str, near: str
) -> None:
    with pytest.raises(InputError) as error:
        arrangements(study(f"system.ext4.rig.{key}={wrong}", nodes=2))
    assert f'the {key} "{wrong}"' in error.value.what
    assert error.value.details == (f'did you mean "{near}"?',)


def test_the_tables_of_the_package_can_be_read() -> None:
    found = tables()
    assert {"disk", "shared"} <= set(found.volume)
    for layer in (*found.volume.values(), *found.file_system.values(), *found.reached_by.values()):
        assert layer.title and all(step.do or step.undo for step in layer.step)


def test_a_bare_disk_and_file_systems_are_on_one_volume_as_on_a_disk() -> None:
    """Raw on a stripe of eight columns, beside ext4 on it, was refused: it is the question."""
    on = [f"system.{name}.rig.volume=stripe" for name in ("raw", "ext4")]
    both = study(*on, systems=("raw", "ext4"))
    for found in arrangements(both):
        assert found.is_device and not found.held(roles_of(both), 0)
        assert "mount" not in " ".join(each.name for each in found.held(roles_of(both), 0))
    assert not any(e.is_device for e in arrangements(study(on[0], systems=("raw", "ext4"))))
    assert not any(e.is_device for e in arrangements(study(on[1])))
    assert not any(e.is_device for e in arrangements(study(*on, systems=("raw", "ext4"), nodes=2)))
