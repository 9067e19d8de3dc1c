"""A way to reach a file system, or a volume, that is typed as a system: what asks for it."""

from __future__ import annotations

import pytest

from fsgauge.rig.host.checks import refused_systems
from fsgauge.rig.vm.arrangement.refusing import of_virtual_rig, without_file_system
from fsgauge.rig.vm.arrangement.roles import arrangement_of
from fsgauge.rig.vm.rig import VmRig
from fsgauge.study.model import Study, System
from fsgauge.study.parse import load_study


def study(name: str) -> Study:
    return load_study("overhead", [], ["xfs", name], None, 1, baseline="xfs")


def system(name: str) -> System:
    return study(name).systems[1]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nfs4", "--set rig.nodes=2 --system nfs4=xfs --set system.nfs4.rig.reached_by=nfs4"),
        ("gluster", "--set rig.nodes=2 --system gluster=xfs"),
        ("overlay", "--rig vm --system overlay=xfs --set system.overlay.rig.reached_by=overlay"),
        ("iscsi", "--set rig.nodes=2 --system iscsi=xfs --set system.iscsi.rig.volume=iscsi"),
    ],
)
def test_the_words_that_ask_for_it_are_those_that_work(name: str, words: str) -> None:
    found = without_file_system(study(name), system(name))
    assert found is not None and words in found.next
    sets = [word for word in found.next.split() if word.startswith(("rig.", "system."))]
    asked = load_study("overhead", sets, [f"{name}=xfs"], "loop:512MiB", 1, baseline=name)
    assert not arrangement_of(asked, asked.systems[0]).is_plain
    assert "no file system is named" not in str(VmRig().refusals(asked))


def test_disks_and_file_systems_are_no_such_names() -> None:
    for name in ("disk", "shared", "ext4", "gfs2", "nonesuch"):
        assert without_file_system(study(name), system(name)) is None
        assert of_virtual_rig(study(name), system(name)) is None


def test_the_host_rig_names_the_rig_that_has_it() -> None:
    """`--rig host --system nfs4` was answered with: did you mean nilfs2?"""
    first = refused_systems(study("nfs4"))[0]
    assert first.what == (
        '"nfs4" is a system of the virtual rig: NFS 4.2, a way to reach a file system'
    )
    assert first.next.startswith("--rig vm --set rig.nodes=2 --system nfs4=xfs --set ")
    assert first.next.endswith(", or --without nfs4")
    near = refused_systems(study("nfs"))[0]
    assert near.what == '"nfs" is not a kind of system'
    assert near.details[0].startswith('did you mean "nfs4", a way to reach a file system on the')
    far = refused_systems(study("nilfs"))[0]
    assert far.details == ('did you mean "nilfs2"?',)
