"""The guest as data: every file system of the package that is made has its file."""

from __future__ import annotations

from pathlib import Path

from fsgauge.rig.vm import recipe as recipes
from fsgauge.rig.vm.recipe import recipe
from fsgauge.system import FileSystem, system_kinds


def test_every_file_system_that_can_be_made_is_in_the_guest() -> None:
    made = {kind.name for kind in system_kinds().values() if isinstance(kind, FileSystem)}
    assert set(recipe().kinds) == made


def test_the_guest_has_what_makes_each_of_them() -> None:
    names = {Path(file).name for file in recipe().files}
    for name in recipe().kinds:
        kind = system_kinds()[name]
        assert isinstance(kind, FileSystem)
        assert kind.mkfs in names, kind.mkfs
        for command in (kind.facts_command[:1], kind.forget_command[:1]):
            assert set(command) <= names, command
        assert kind.package in recipe().packages
        assert recipe().module_of[name] in recipe().modules


def test_another_file_system_is_another_recipe(tmp_path: Path) -> None:
    systems = Path(recipes.__file__).parent / "systems"
    for path in systems.glob("*.toml"):
        (tmp_path / path.name).write_text(path.read_text())
    (tmp_path / "jfs.toml").write_text(
        'kinds = ["jfs"]\npackages = ["jfsutils"]\n'
        'files = ["usr/sbin/mkfs.jfs"]\nmodules = ["jfs"]\n'
    )
    added = recipe(tmp_path)
    assert set(added.kinds) - set(recipe().kinds) == {"jfs"}
    assert added.key != recipe().key
