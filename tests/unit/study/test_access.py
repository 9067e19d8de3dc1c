"""How each system is reached: its own words, the study's for the rest; what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.plan.preview import describe
from fsgauge.plan.turns import make_plan, with_seed
from fsgauge.study.dump import dump_study
from fsgauge.study.keys import MOVED, all_dotted
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study
from fsgauge.study.reached import access_of, accesses_of, is_beside_path, over_paths

GIB = 1 << 30
THREE = """\
format = 1
question = "What does a server add?"

[storage]
kind = "loop"
size = "4 GiB"

[access]
smb_dialect = "2.1"
beside_path = false

[[system]]
name = "path"
kind = "ext4"
access = "path"

[[system]]
name = "smb"
kind = "ext4"
access = "samba"

[[system]]
name = "signed"
kind = "ext4"
server = { "server signing" = "mandatory" }
access = { server = "samba", smb_dialect = "3.1.1" }

[[system]]
name = "nfs"
kind = "ext4"
access = "ganesha"

[workload]
kind = "connections"
clients = 10
"""


def study_of(text: str, folder: Path) -> Study:
    file = folder / "mine.toml"
    file.write_text(text)
    return with_seed(load_study(str(file)), 1)


def test_one_study_compares_the_path_and_several_servers(tmp_path: Path) -> None:
    study = study_of(THREE, tmp_path)
    found = {
        system.name: (access.server, access.protocol, access.smb_dialect, access.smb_signing)
        for system, access in zip(study.systems, accesses_of(study), strict=True)
    }
    assert found == {
        "path": ("none", "path", "2.1", False),
        "smb": ("samba", "smb", "2.1", False),
        "signed": ("samba", "smb", "3.1.1", True),
        "nfs": ("ganesha", "nfs", "2.1", False),
    }
    plan = make_plan(study, size_bytes=4 * GIB)
    for block in {turn.block for turn in plan.turns}:
        turns = [turn for turn in plan.turns if turn.block == block]
        assert {turn.system for turn in turns} == set(found) and len(turns) == 5
    facts = describe(plan, study, size_bytes=4 * GIB)
    assert (
        "access (path: its path; smb: a private Samba server (SMB 2.1, not signed); signed:"
        " a private Samba server (SMB 3.1.1, signed); nfs: a private NFS-Ganesha server"
        " (NFS version 3))"
    ) in facts.different
    assert any("each system as it specifies" in line for line in facts.held_equal)


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    study = study_of(THREE, tmp_path)
    text = dump_study(study)
    assert 'access = {server = "samba", smb_dialect = "3.1.1"}' in text
    (tmp_path / "again").mkdir()
    assert study_of(text, tmp_path / "again") == study


def test_only_systems_behind_a_private_server_have_a_turn_over_the_path(tmp_path: Path) -> None:
    study = study_of(THREE.replace("beside_path = false", ""), tmp_path)
    assert [is_beside_path(study, system) for system in study.systems] == [False, True, True, True]
    plan = make_plan(study, size_bytes=4 * GIB)
    beside = {turn.system for turn in plan.turns if turn.over_path}
    assert beside == {"smb", "signed", "nfs"}
    below = over_paths(study)
    assert {access.protocol for access in accesses_of(below)} == {"path"}


def test_the_command_line_says_it_too() -> None:
    study = load_study(
        "connections",
        ["system.ext4 (samba).access.smb_dialect=2.1"],
        ["ext4:access=samba", "direct=ext4:access=path"],
        serve="ganesha",
    )
    found = {system.name: access_of(study, system).protocol for system in study.systems}
    assert found == {"ext4 nodelalloc": "nfs", "ext4 (samba)": "smb", "direct": "path"}
    assert access_of(study, study.systems[1]).smb_dialect == "2.1"
    assert load_study("connections", ["access.server=samba"]) == load_study(
        "connections", serve="samba"
    )


@pytest.mark.parametrize(
    ("written", "instead", "what"),
    [
        ('access = "path"', 'access = "sambaa"', '"sambaa" is not a way to reach a system'),
        ('access = "path"', 'access = { smb_oplocks = true, server = "none" }', "work on a path"),
        ('access = "ganesha"', 'access = { server = "ganesha", smb_signing = true }', "speak NFS"),
        ('access = "path"', 'access = "nfs://host/export"', "only a share has one"),
        ('smb_dialect = "2.1"', "smb_encryption = true\nsmb_dialect = '2.1'", "no encryption"),
        ('smb_dialect = "2.1"', 'server = "samba"', "every system sets it itself"),
        ('smb_dialect = "2.1"', 'password_file = "/p"', "password_file would be ignored"),
    ],
)
def test_what_contradicts_itself_or_would_be_ignored_is_refused(
    written: str, instead: str, what: str, tmp_path: Path
) -> None:
    assert written in THREE
    with pytest.raises(InputError) as refusal:
        study_of(THREE.replace(written, instead, 1), tmp_path)
    assert what in refusal.value.render()
    assert refusal.value.location is not None and refusal.value.location.line


@pytest.mark.parametrize("name", MOVED)
def test_a_key_that_stood_elsewhere_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    assert MOVED[name] in all_dotted() and name not in all_dotted()
    section, key = name.split(".")
    header = "[workload]" if section == "workload" else "[[system]]"
    with pytest.raises(InputError, match=f'unknown key "{key}"') as refusal:
        study_of(THREE.replace(header, f'{header}\n{key} = "x"', 1), tmp_path)
    assert f"it is now {MOVED[name]}" in refusal.value.render()
    assert refusal.value.next == f"fsgauge explain {MOVED[name]}"
    if section == "workload":
        with pytest.raises(InputError, match="unknown key") as refusal:
            load_study("connections", [f"{name}=x"])
        assert f"it is now {MOVED[name]}" in refusal.value.render()


@pytest.mark.parametrize("server", ["samba", "ganesha"])
def test_a_bare_device_stays_one_beside_systems_that_are_served(server: str) -> None:
    study = load_study("overhead", serve=server)
    raw, *others = accesses_of(study)
    assert study.systems[0].kind == "raw" and raw.protocol == "path"
    assert {access.server for access in others} == {server}
    assert not any(is_beside_path(study, system) for system in study.systems)


@pytest.mark.parametrize(
    ("kind", "overrides", "what"),
    [
        ("aging", [], "works on paths, not through a server"),
        ("churn", [], "files that follow the study's formula"),
        ("writers", ["workload.readers=1"], "readers work on local files"),
        ("writers", ["workload.descriptors=shared"], "its own session"),
        ("writers", ['workload.allocation=["preallocated"]'], "space cannot be preallocated"),
        ("overhead", ["workload.queue_depths=[1024]"], "512 operations at a time"),
        ("overhead", ["access.beside_path=false"], "does not report a server's share"),
    ],
)
def test_a_kind_refuses_what_a_server_does_not_have(
    kind: str, overrides: list[str], what: str
) -> None:
    with pytest.raises(InputError) as refusal:
        load_study(kind, overrides, serve="samba")
    assert what in refusal.value.render() and refusal.value.next
    if overrides and not overrides[0].startswith("access."):
        load_study(kind, overrides)


def test_churn_writes_new_files_through_a_server() -> None:
    study = load_study("churn", ['workload.tests=["write"]'], serve="ganesha")
    facts = describe(make_plan(with_seed(study, 1), size_bytes=GIB), study, size_bytes=GIB)
    assert any(
        "trees are made over the path, below the server" in line for line in facts.held_equal
    )
