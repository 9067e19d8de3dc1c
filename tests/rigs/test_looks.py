"""What a machine lacks is found on real file systems before a study begins: inodes, direct I/O."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from fsgauge.errors import InputError
from fsgauge.rig.host.rig import HostRig
from fsgauge.study.model import Study
from tests.commands import interpreted as fsgauge
from tests.needs import need_mkfs
from tests.rigs.conftest import MEBIBYTE, Scene, run

pytestmark = pytest.mark.root

Mount = Callable[..., Path]


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Mount]:
    """Makes a file system in a file and mounts it."""
    with ExitStack() as stack:

        def made(name: str, size_bytes: int, kind: str, *options: str, mount: str = "rw") -> Path:
            need_mkfs(kind)
            image, place = tmp_path / f"{name}.img", tmp_path / name
            with image.open("wb") as file:
                file.truncate(size_bytes)
            place.mkdir()
            run(f"mkfs.{kind}", "-q", *options, str(image))
            run("mount", "-o", f"loop,{mount}", str(image), str(place))
            stack.callback(run, "umount", str(place))
            return place

        yield made


def of_folders(scene: Scene, workload: dict[str, object], **places: Path) -> Study:
    systems = [{"name": name, "kind": "mounted", "path": str(at)} for name, at in places.items()]
    storage = {"kind": "path", "path": str(scene.scratch), "size": 32 * MEBIBYTE}
    document = scene.study({"name": "raw"}).model_dump(by_alias=True)
    document |= {"storage": storage, "system": systems, "workload": workload}
    return Study.model_validate(document)


def test_a_file_system_with_few_inodes_is_refused_as_the_plan_says(
    scene: Scene, engine: Engine, mounted: Mount
) -> None:
    """`sharing` did not look, and ended in the middle with the key of another kind."""
    few = mounted("few", 100 * MEBIBYTE, "ext4", "-N", "64")
    tests = {"kind": "sharing", "tests": ["create_sequential"], "file_sizes": [MEBIBYTE]}
    rig = HostRig(engine)
    study = of_folders(scene, tests | {"folder_files": 1000}, few=few)
    (planned,) = rig.refusals(study)
    with pytest.raises(InputError, match="1,001 files need") as refused:
        rig.check(study, None)
    assert refused.value.what == planned.what
    assert list(few.iterdir()) == [few / "lost+found"]
    assert rig.refusals(of_folders(scene, tests | {"folder_files": 10}, few=few)) == []


def test_direct_io_of_btrfs_with_checksums_is_said_and_that_without_them_is_not(
    scene: Scene, engine: Engine, mounted: Mount
) -> None:
    summed = mounted("summed", 300 * MEBIBYTE, "btrfs")
    bare = mounted("bare", 300 * MEBIBYTE, "btrfs", mount="nodatasum")
    study = of_folders(scene, {"kind": "overhead"}, summed=summed, bare=bare)
    found = HostRig(engine).storage_cautions(study)
    assert not any('"bare"' in each for each in found)
    if not found:
        pytest.skip("this kernel's btrfs writes directly, checksums or not (before Linux 6.14)")
    (said,) = found
    assert said.startswith('direct I/O of "summed" goes through the page cache: ')
    buffered = of_folders(scene, {"kind": "overhead", "direct": False}, summed=summed)
    assert HostRig(engine).storage_cautions(buffered) == []


def test_the_way_out_that_a_plan_names_fits_the_inodes_too(mounted: Mount) -> None:
    """The plan named the clients that fit the bytes, and refused these for their inodes."""
    few = mounted("few", 300 * MEBIBYTE, "ext4", "-N", "240")
    words = ["plan", "connections", "--system", f"few={few}", "--set", "storage.size=200MiB"]
    refused = fsgauge(*words)
    assert refused.returncode == 2, refused.stdout
    found = re.search(r"--set (workload\.clients=\d+)", refused.stdout)
    assert found is not None, refused.stdout
    accepted = fsgauge(*words, "--set", found[1])
    assert accepted.returncode == 0, accepted.stderr


def test_the_option_of_mkfs_that_is_proposed_gives_the_inodes(tmp_path: Path) -> None:
    """Of a system that the study makes: refused with the change, and accepted with it."""
    words = ["plan", "metadata", "--set", "workload.entries=1000000", "--storage", "loop:4GiB"]
    refused = fsgauge(*words)
    assert refused.returncode == 2, refused.stdout
    assert "1,000,000 files and their folders need 1,000,012 inodes" in refused.stdout
    found = re.search(r"--set '(system\.ext4\.mkfs=-N \d+)'", refused.stdout)
    assert found is not None, refused.stdout
    accepted = fsgauge(*words, "--set", found[1])
    assert accepted.returncode == 0, accepted.stderr


def test_a_folder_of_a_million_entries_without_the_inodes_is_refused(
    scene: Scene, engine: Engine, mounted: Mount
) -> None:
    """Before anything is made, by the inodes that are free on the file system itself."""
    few = mounted("few", 2048 * MEBIBYTE, "ext4", "-N", "65536")
    names = {"kind": "metadata", "clients": [1], "operations": ["create", "unlink"]}
    study = of_folders(scene, names | {"entries": [1_000_000], "file_sizes": [0]}, few=few)
    storage = study.storage.model_copy(update={"size": 1536 * MEBIBYTE})
    study = study.model_copy(update={"storage": storage})
    with pytest.raises(
        InputError, match="1,000,000 files and their folders need 1,000,009"
    ) as said:
        HostRig(engine).check(study, None)
    assert "more inodes (-N of mkfs.ext4)" in (said.value.next or "")
    assert list(few.iterdir()) == [few / "lost+found"]
