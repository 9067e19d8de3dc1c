"""A few files out of a tree, with what they need, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fsgauge.errors import RigError
from fsgauge.rig.vm.build import closure
from fsgauge.rig.vm.build.closure import LOADER, Closure, Linked, linked
from tests.needs import need_tool


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A system's root: /bin is a link, sh another name, and a script that bash runs."""
    root = tmp_path / "tree"
    for folder in ("usr/bin", "usr/sbin", "usr/lib64", "etc/alternatives", "usr/share/some/deep"):
        (root / folder).mkdir(parents=True)
    for link in ("bin", "sbin", "lib64"):
        (root / link).symlink_to(f"usr/{link}")
    for name in (LOADER, "usr/bin/bash", "usr/bin/unused", "usr/sbin/mke2fs"):
        (root / name).write_bytes(b"data of " + name.encode())
    (root / "usr/sbin/mkfs.ext4").symlink_to("mke2fs")
    (root / "usr/bin/other").symlink_to("/usr/sbin/mke2fs")
    (root / "usr/bin/script").write_text("#!/bin/bash -e\ntrue\n")
    (root / "usr/share/some/file").write_text("1")
    (root / "usr/share/some/deep/file").write_text("2")
    return root


def test_a_script_brings_what_runs_it(tree: Path, tmp_path: Path) -> None:
    chosen = Closure(tree)
    chosen.add(["usr/bin/script"])
    chosen.copy(tmp_path / "out")
    assert (tmp_path / "out/usr/bin/bash").read_bytes() == b"data of usr/bin/bash"
    assert (tmp_path / "out/bin/bash").exists()
    assert not (tmp_path / "out/usr/bin/unused").exists()


def test_other_names_of_a_program_are_links(tree: Path, tmp_path: Path) -> None:
    chosen = Closure(tree)
    chosen.add(["usr/sbin/mke2fs"])
    chosen.copy(tmp_path / "out")
    assert (tmp_path / "out/usr/sbin/mkfs.ext4").read_bytes() == b"data of usr/sbin/mke2fs"
    assert str((tmp_path / "out/usr/bin/other").readlink()) == "/usr/sbin/mke2fs"


def test_a_name_that_is_a_link_brings_what_it_leads_to(tree: Path, tmp_path: Path) -> None:
    chosen = Closure(tree)
    chosen.add(["sbin/mkfs.ext4"])
    chosen.copy(tmp_path / "out")
    assert (tmp_path / "out/usr/sbin/mke2fs").is_file()
    assert (tmp_path / "out/usr/sbin/mkfs.ext4").is_symlink()


def test_a_folder_brings_all_that_is_in_it(tree: Path, tmp_path: Path) -> None:
    chosen = Closure(tree)
    chosen.add(["usr/share/some"])
    chosen.copy(tmp_path / "out")
    assert (tmp_path / "out/usr/share/some/deep/file").read_text() == "2"


def test_a_wildcard_stands_for_each_name_that_fits(tree: Path, tmp_path: Path) -> None:
    for version in ("10.3", "gsyncd"):
        (tree / "usr/lib/gluster" / version).mkdir(parents=True)
        (tree / "usr/lib/gluster" / version / "file").write_text(version)
    chosen = Closure(tree)
    chosen.add(["usr/lib/gluster/[0-9]*"])
    chosen.copy(tmp_path / "out")
    assert [each.name for each in (tmp_path / "out/usr/lib/gluster").iterdir()] == ["10.3"]
    with pytest.raises(RigError, match=r"do not have usr/lib/none/\*"):
        Closure(tree).add(["usr/lib/none/*"])


def test_a_library_is_looked_for_where_the_program_says(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Samba's are in folders of their own, which its programs name."""
    folders = {
        "usr/lib/x86_64-linux-gnu/samba": "libone.so",
        "usr/lib/private": "libtwo.so",
        "usr/lib": "libone.so",
    }
    for folder, library in folders.items():
        (tree / folder).mkdir(parents=True, exist_ok=True)
        (tree / folder / library).write_bytes(b"data")
    needs = Linked(
        ("libone.so", "libtwo.so"), ("/usr/lib/x86_64-linux-gnu/samba", "$ORIGIN/../lib/private")
    )
    monkeypatch.setattr(closure, "linked", lambda path: needs if path.name == "unused" else None)
    chosen = Closure(tree)
    chosen.add(["usr/bin/unused"])
    assert chosen.libraries() == [Path(LOADER).name], "no other program finds those"
    chosen.copy(tmp_path / "out")
    assert (tmp_path / "out/usr/lib/x86_64-linux-gnu/samba/libone.so").is_file()
    assert (tmp_path / "out/usr/lib/private/libtwo.so").is_file()
    assert not (tmp_path / "out/usr/lib/libone.so").exists()


def test_what_no_package_has_is_refused(tree: Path) -> None:
    with pytest.raises(RigError, match=r"do not have usr/sbin/mkfs\.none"):
        Closure(tree).add(["usr/sbin/mkfs.none"])


def test_a_loop_of_links_is_refused(tree: Path) -> None:
    (tree / "usr/bin/a").symlink_to("b")
    (tree / "usr/bin/b").symlink_to("a")
    with pytest.raises(RigError, match="loop of links"):
        Closure(tree).add(["usr/bin/a"])


def test_the_libraries_are_those_that_the_loader_is_asked_for(tmp_path: Path) -> None:
    need_tool("cc", "gcc libc6-dev")
    (tmp_path / "main.c").write_text(
        "#include <math.h>\nint main(int n, char **v) { return cos(n); }"
    )
    command = ["cc", str(tmp_path / "main.c"), "-o", str(tmp_path / "main"), "-lm"]
    subprocess.run([*command, "-Wl,-rpath,$ORIGIN/own:/opt/own"], check=True, timeout=60)
    found = linked(tmp_path / "main")
    assert found is not None
    assert set(found.libraries) == {"libm.so.6", "libc.so.6"}
    assert found.folders == ("$ORIGIN/own", "/opt/own")


def test_a_static_program_is_linked_with_nothing(tmp_path: Path) -> None:
    need_tool("cc", "gcc libc6-dev")
    (tmp_path / "main.c").write_text("int main(void) { return 0; }")
    command = ["cc", "-static", str(tmp_path / "main.c"), "-o", str(tmp_path / "main")]
    subprocess.run(command, check=True, timeout=60)
    found = linked(tmp_path / "main")
    assert found is not None and found.libraries == ()


def test_this_interpreter_names_libc() -> None:
    found = linked(Path(os.path.realpath(sys.executable)))
    assert found is not None and "libc.so.6" in found.libraries


@pytest.mark.parametrize(
    "content", [b"", b"\x7fELF", b"#!/bin/sh\n", b"\x7fELF\x01\x01" + b"\0" * 90]
)
def test_other_files_are_none(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    assert linked(tmp_path / "file") is None
