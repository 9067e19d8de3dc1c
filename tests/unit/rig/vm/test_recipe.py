"""The guest as data: every file system of the package that is made has its file."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path
from typing import Any

from fsgauge.rig.vm import recipe as recipes
from fsgauge.rig.vm.recipe import recipe
from fsgauge.system import FileSystem, system_kinds

SYSTEMS = Path(recipes.__file__).parent / "systems"


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


def set_ups() -> dict[str, dict[str, Any]]:
    """The tables of all files, by name."""
    found: dict[str, dict[str, Any]] = {}
    for path in SYSTEMS.glob("*.toml"):
        part = tomllib.loads(path.read_text(encoding="utf-8"))
        for sort in ("volume", "file_system", "reached_by"):
            found |= part.get(sort, {})
    return found


def test_what_a_set_up_needs_of_the_kernel_is_brought_along() -> None:
    own = {name.replace("-", "_") for name in (*recipe().modules, *recipe().early_modules)}
    for name, table in set_ups().items():
        assert {module.replace("-", "_") for module in table["modules"]} <= own, name


def test_the_shell_reads_every_step_and_script() -> None:
    texts = [path.read_text() for path in recipes.GUEST.iterdir()]
    for table in set_ups().values():
        texts += [step[key] for step in table["step"] for key in ("do", "undo") if key in step]
    assert len(texts) > 30
    for text in texts:
        said = subprocess.run(
            ["bash", "-n"], input=text, capture_output=True, text=True, check=False, timeout=60
        )
        assert said.returncode == 0, said.stderr + text


def test_another_file_system_is_another_recipe(tmp_path: Path) -> None:
    for path in SYSTEMS.glob("*.toml"):
        (tmp_path / path.name).write_text(path.read_text())
    (tmp_path / "jfs.toml").write_text(
        'kinds = ["jfs"]\npackages = ["jfsutils"]\n'
        'files = ["usr/sbin/mkfs.jfs"]\nmodules = ["jfs"]\n'
    )
    added = recipe(tmp_path)
    assert set(added.kinds) - set(recipe().kinds) == {"jfs"}
    assert added.key != recipe().key
