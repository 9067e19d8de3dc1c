"""The guest's root beside the packages' files."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from fsgauge.rig.vm.build.making import complete
from fsgauge.rig.vm.recipe import GUEST, recipe


def made(root: Path) -> Path:
    (root / "usr/bin").mkdir(parents=True)
    (root / "usr/bin/grep").write_text("the package's own")
    wanted = replace(recipe(), users=("statd", "_rpc"), busybox=("grep", "less"))
    complete(root, wanted)
    return root


def test_services_have_accounts_of_their_own(tmp_path: Path) -> None:
    lines = (made(tmp_path) / "etc/passwd").read_text().splitlines()
    users = {line.split(":")[0]: int(line.split(":")[2]) for line in lines}
    assert set(users) == {"root", "nobody", "statd", "_rpc"}
    assert users["root"] == 0 and len(set(users.values())) == 4


def test_scripts_are_there_but_the_one_of_the_first_stage(tmp_path: Path) -> None:
    own = made(tmp_path) / "usr/lib/fsgauge"
    assert {each.name for each in own.iterdir()} == {
        each.name for each in GUEST.iterdir() if each.name != "init"
    }
    assert all(os.access(each, os.X_OK) for each in own.iterdir())


def test_busybox_takes_only_names_that_are_free(tmp_path: Path) -> None:
    programs = made(tmp_path) / "usr/bin"
    assert (programs / "grep").read_text() == "the package's own"
    assert str((programs / "less").readlink()) == "busybox"
