"""What apt prints, what is taken of its settings, and a package unpacked through /usr."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from fsgauge.errors import RigError
from fsgauge.machine.process.tool import Said
from fsgauge.rig.vm.build import archive
from fsgauge.rig.vm.build.archive import Archive, _is_usual, _packages, unpack
from tests.needs import need_tool


def test_a_line_of_print_uris_is_a_package() -> None:
    file = "bash_5.2.15-2%2bb8_amd64.deb"
    line = f"'http://deb.example/{file}' {file} 149 SHA256:ab"
    (found,) = _packages(Said((), 0, f"Reading package lists...\n{line}\n", ""))
    assert (found.size_bytes, found.hash) == (149, "SHA256:ab")
    assert found.name.startswith("bash 5.2.15-2")


@pytest.mark.parametrize(
    ("name", "usual"),
    [
        ("linux-image-6.1.0-47-amd64", True),
        ("linux-image-6.1.0-47-rt-amd64", False),
        ("linux-image-6.1.0-47-cloud-amd64", False),
        ("linux-image-6.1.0-47-amd64-unsigned", False),
        ("linux-image-6.1.0-47-amd64-dbg", False),
    ],
)
def test_kernels_for_everyone_are_offered(name: str, usual: bool) -> None:
    assert _is_usual(name) is usual


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine's /etc/apt."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "settings").mkdir()
    monkeypatch.setattr(archive, "_SOURCES", tmp_path / "sources.list")
    monkeypatch.setattr(archive, "_SOURCE_PARTS", tmp_path / "parts")
    monkeypatch.setattr(archive, "_SETTINGS", tmp_path / "settings")
    return tmp_path


def test_the_distribution_s_own_sources_are_taken_alone(machine: Path) -> None:
    own = "Types: deb\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"
    (machine / "parts/debian.sources").write_text(own)
    (machine / "parts/other.list").write_text("deb https://other.example stable main\n")
    (machine / "settings/proxy").write_text('Acquire::http::Proxy "http://proxy.example";\n')
    (machine / "settings/hook").write_text('DPkg::Post-Invoke { "rm -f /var/cache/apt/*"; };\n')
    Archive(machine / "apt")
    assert [path.name for path in (machine / "apt/parts").iterdir()] == ["debian.sources"]
    assert [path.name for path in (machine / "apt/settings").iterdir()] == ["proxy"]


def test_sources_that_name_no_key_are_all_taken(machine: Path) -> None:
    (machine / "sources.list").write_text("deb http://deb.example bookworm main\n")
    Archive(machine / "apt")
    assert [path.name for path in (machine / "apt/parts").iterdir()] == ["sources.list"]


def test_a_machine_without_sources_is_refused(machine: Path) -> None:
    with pytest.raises(RigError, match="no sources of packages"):
        Archive(machine / "apt")


def test_a_package_is_unpacked_through_the_links_into_usr(tmp_path: Path) -> None:
    need_tool("dpkg-deb", "dpkg")
    source = tmp_path / "source"
    (source / "DEBIAN").mkdir(parents=True)
    (source / "DEBIAN/control").write_text(
        "Package: tried\nVersion: 1\nArchitecture: all\nMaintainer: x <x@x.x>\nDescription: x\n"
    )
    for name in ("sbin/mkfs.tried", "usr/bin/tried", "usr/share/doc/tried/readme"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(name)
    package = tmp_path / "tried.deb"
    subprocess.run(
        ["dpkg-deb", "--build", str(source), str(package)],
        check=True,
        capture_output=True,
        timeout=60,
    )
    unpack(package, tmp_path / "tree")
    assert (tmp_path / "tree/usr/sbin/mkfs.tried").read_text() == "sbin/mkfs.tried"
    assert (tmp_path / "tree/sbin").is_symlink()
    assert not (tmp_path / "tree/usr/share/doc/tried/readme").exists()


def test_a_damaged_package_is_refused(tmp_path: Path) -> None:
    need_tool("dpkg-deb", "dpkg")
    (tmp_path / "bad.deb").write_bytes(b"!<arch>\nnothing")
    with pytest.raises(RigError, match=r"bad\.deb cannot be unpacked"):
        unpack(tmp_path / "bad.deb", tmp_path / "tree")
