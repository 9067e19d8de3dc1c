"""Servers in a study: addresses, options, what gives way, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.study.access import parse_address
from fsgauge.study.dump import dump_study
from fsgauge.study.model import System
from fsgauge.study.parse import load_study
from fsgauge.study.reached import accesses_of
from fsgauge.study.server_options import OPTIONS, unknown_option, wrong_value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("smb://ann@filer/share", ("smb", "ann", "filer", 445, "share")),
        ("smb://ann@10.0.0.1:1445/a b", ("smb", "ann", "10.0.0.1", 1445, "a b")),
        ("nfs://filer/export/home", ("nfs", "", "filer", 2049, "/export/home")),
        ("nfs://[::1]:12049/e", ("nfs", "", "::1", 12049, "/e")),
    ],
)
def test_an_address_is_taken_apart(text: str, expected: tuple[object, ...]) -> None:
    found = parse_address(text)
    assert (found.protocol, found.user, found.host, found.port, found.path) == expected
    assert parse_address(str(found).replace("::1", "[::1]")) == found


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("smb://filer/share", "names its user"),
        ("smb://ann@filer/", "name of the share"),
        ("smb://ann@filer/share/deeper", "name of the share"),
        ("nfs://ann@filer/export", "has no user"),
        ("smb://ann@filer:70000/share", "no port"),
        ("cifs://ann@filer/share", "not the address"),
        ("/srv", "not the address"),
    ],
)
def test_a_wrong_address_says_why(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_address(text)


SECRET = "hunter2"  # noqa: S105 - nobody's


def test_a_password_in_an_address_is_refused_and_never_repeated(tmp_path: Path) -> None:
    address = f"smb://ann:{SECRET}@filer/share"
    file = tmp_path / "mine.toml"
    file.write_text(
        f'format = 1\nquestion = "?"\n[storage]\nkind = "share"\n[[system]]\nname = "share"\n'
        f'access = "{address}"\n[workload]\nkind = "connections"\n'
    )
    for load in (
        lambda: load_study("connections", [f"access.share={address}"]),
        lambda: load_study("connections", systems=[f"a=share:access={address}"]),
        lambda: load_study(str(file)),
    ):
        with pytest.raises(InputError) as refusal:
            load()
        assert SECRET not in refusal.value.render()
        assert "FSGAUGE_SMB_PASSWORD" in refusal.value.next


def test_a_target_takes_the_place_of_storage_and_systems() -> None:
    study = load_study("connections", ["access.share=smb://ann@filer/share"])
    assert study.storage.kind == "share"
    assert [system.kind for system in study.systems] == ["share"]
    assert [each.protocol for each in accesses_of(study)] == ["smb"]


def test_several_shares_are_systems() -> None:
    shares = ["a=share:access=nfs://one/e", "b=share:access=nfs://two/e"]
    study = load_study("connections", systems=shares)
    assert [each.share for each in accesses_of(study)] == ["nfs://one/e", "nfs://two/e"]
    assert study.storage.kind == "share"


@pytest.mark.parametrize(
    "arguments",
    [
        {"serve": "samba"},
        {"serve": "ganesha", "systems": ["a=ext4:server.MaxRead=65536"]},
        {"overrides": ["access.share=smb://ann@filer/share", "access.smb_dialect=2.1"]},
        {"overrides": ["system.ext4 delalloc.server.aio read size=0"], "serve": "samba"},
    ],
)
def test_what_is_written_reads_back(tmp_path: Path, arguments: dict[str, object]) -> None:
    study = load_study("connections", **arguments)  # type: ignore[arg-type]
    file = tmp_path / f"{study.name}.toml"
    file.write_text(dump_study(study))
    assert load_study(str(file)) == study


SMB = "access.share=smb://ann@filer/share"
SERVED = "access.server=samba"


@pytest.mark.parametrize(
    ("overrides", "what"),
    [
        (["access.smb_signing=true"], "smb_signing would be ignored"),
        (["access.beside_path=false"], "beside_path would be ignored"),
        (["access.server=ganesha", "access.smb_dialect=2.1"], "smb_dialect would be ignored"),
        (["access.server=ganesha", "access.smb_signing=true"], "version 3, which has no dialects"),
        ([SERVED, "access.password_file=/p"], "password_file would be ignored"),
        ([SMB, "workload.interface=plain"], "interface would be ignored"),
        ([SMB, "workload.extents=true"], "extents would be ignored"),
        ([SMB, "workload.scan=true"], "scan would be ignored"),
        ([SMB, "access.nfs_mount_port=111"], "nfs_mount_port would be ignored"),
        ([SMB, SERVED], "server would start another"),
        ([SERVED, "access.smb_dialect=2.1", "access.smb_encryption=true"], "no encryption"),
        ([SERVED, "access.smb_dialect=1.0"], "not known"),
        ([SERVED, 'workload.backup_orders=["inode"]'], "directory order"),
        (["workload.backup_access=path"], "backup_access would be ignored"),
        ([SMB, "workload.backup_access=path"], "have no path on this machine"),
        ([SERVED, "system.ext4 delalloc.server.aio reed size=0"], "may not set the option"),
        ([SERVED, "system.ext4 delalloc.server.path=/etc"], "may not set the option"),
        ([SERVED, "system.ext4 delalloc.server.aio read size=%m"], "a study may not set"),
        (["system.ext4 delalloc.server.aio read size=0"], "nothing is served"),
        (["access.server=nfsd"], "not known"),
    ],
)
def test_what_contradicts_itself_or_would_be_ignored_is_refused(
    overrides: list[str], what: str
) -> None:
    with pytest.raises(InputError) as refusal:
        load_study("connections", overrides)
    assert what in refusal.value.render()


def test_a_raw_device_shares_nothing() -> None:
    with pytest.raises(InputError):
        load_study("connections", systems=["raw"], serve="samba")
    with pytest.raises(InputError, match=r"this machine.s storage, not on shares"):
        load_study("overhead", systems=["a=share:access=nfs://filer/e"])


def test_every_option_has_a_part_and_a_neighbour() -> None:
    for server, options in OPTIONS.items():
        for name in options:
            assert unknown_option(server, name) is None
    for server, name in (("samba", "path"), ("samba", "Root Preexec"), ("ganesha", "Squash")):
        assert unknown_option(server, name) == "fsgauge sets that itself"
    assert unknown_option("samba", "quark") == ""
    described = System.model_fields["server"].description or ""
    assert all(name in described for names in OPTIONS.values() for name in names)
    assert "aio read size" in (unknown_option("samba", "aio reed size") or "")
    assert wrong_value("samba", "aio read size", "0; Path = /")
    assert wrong_value("samba", "aio read size", "64 kb") is None


@pytest.mark.parametrize("storage", ["loop:1GiB", "ram:1GiB", "/"])
def test_a_storage_that_a_person_asked_for_is_not_dropped_for_a_share(storage: str) -> None:
    of_option = {"systems": ["nas=share:access=nfs://filer/e"]}
    for changes in ({"overrides": [SMB]}, of_option):
        with pytest.raises(InputError, match="the storage would be ignored") as refusal:
            load_study("connections", storage=storage, **changes)  # type: ignore[arg-type]
        assert refusal.value.location is not None
    study = load_study("connections", [SMB, "storage.size=2GiB"])
    assert study.storage.kind == "share" and study.storage.size == 2 << 30


def test_systems_that_a_person_asked_for_are_not_dropped_for_a_target(tmp_path: Path) -> None:
    with pytest.raises(InputError, match='"ext4" cannot be measured alongside a share'):
        load_study("connections", [SMB], ["ext4"])
    with pytest.raises(InputError, match='"ext4 delalloc" cannot be measured alongside a share'):
        load_study("connections", [SMB], ["ext4 delalloc"])
    with pytest.raises(InputError, match='"xfs" cannot be measured alongside a share'):
        load_study("connections", systems=["xfs", "nas=share:access=smb://ann@filer/share"])
    file = tmp_path / "mine.toml"
    file.write_text(
        'format = 1\nquestion = "Q?"\n[storage]\nkind = "loop"\nsize = "1 GiB"\n'
        '[[system]]\nname = "ext4"\n[workload]\nkind = "connections"\n'
    )
    with pytest.raises(InputError, match='"ext4" cannot be measured alongside a share') as error:
        load_study(str(file), [SMB])
    assert error.value.location is not None and error.value.location.line == 6
    assert [each.kind for each in load_study("connections", [SMB]).systems] == ["share"]
