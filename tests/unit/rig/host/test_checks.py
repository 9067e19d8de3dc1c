"""What cannot work is said before anything is touched, with the command that helps."""

from __future__ import annotations

import os
import resource
from pathlib import Path
from typing import Any

import pytest

from fsgauge.errors import FsgaugeError, InputError
from fsgauge.rig.host import checks, process_limits
from fsgauge.rig.host.checks import refused_systems, smallest_bytes
from fsgauge.rig.host.process_limits import LAB_DESCRIPTORS, NoRings
from fsgauge.rig.host.tunables import check_tunables
from fsgauge.rig.refusing import require_none
from fsgauge.study.model import Study, System
from fsgauge.system import Support


def study(*systems: dict[str, Any], **storage: Any) -> Study:
    return Study.model_validate(
        {
            "format": 1,
            "name": "s",
            "question": "Why?",
            "storage": {"kind": "loop", "size": 400 << 20} | storage,
            "system": list(systems),
            "workload": {"kind": "overhead"},
        }
    )


def of_descriptors(monkeypatch: pytest.MonkeyPatch, soft: int, hard: int) -> None:
    """As if this process might have so many files open; its other limits are as they are."""
    real = resource.getrlimit
    monkeypatch.setattr(
        resource,
        "getrlimit",
        lambda name: (soft, hard) if name == resource.RLIMIT_NOFILE else real(name),
    )


def check_systems(asked: Study) -> None:
    require_none(refused_systems(asked))


@pytest.fixture
def as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(checks, "support_of", lambda kind, load_module: Support(True, True, ""))
    monkeypatch.setattr(checks, "find_tool", lambda name: f"/sbin/{name}")


def said(asked: Study) -> FsgaugeError:
    with pytest.raises(FsgaugeError) as error:
        check_systems(asked)
    return error.value


@pytest.mark.usefixtures("as_root")
def test_a_study_that_works() -> None:
    check_systems(study({"name": "raw"}, {"name": "ext4"}, {"name": "xfs", "mount": "noatime"}))


@pytest.mark.usefixtures("as_root")
def test_an_ordinary_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    error = said(study({"name": "ext4"}))
    assert isinstance(error, InputError) and "sudo" in error.next


@pytest.mark.usefixtures("as_root")
def test_a_file_system_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    lacks = Support(True, False, "apt-get install xfsprogs")
    monkeypatch.setattr(checks, "support_of", lambda kind, load_module: lacks)
    error = said(study({"name": "xfs"}))
    assert isinstance(error, InputError) and error.next == "apt-get install xfsprogs"
    monkeypatch.setattr(checks, "support_of", lambda kind, load_module: Support(False, True, ""))
    assert "this kernel has no xfs" in said(study({"name": "xfs"})).what


@pytest.mark.usefixtures("as_root")
def test_too_small_for_one_of_them() -> None:
    error = said(study({"name": "ext4"}, {"name": "xfs"}, size=200 << 20))
    assert isinstance(error, InputError)
    assert error.what.startswith('"xfs" needs 300 MiB')
    assert error.next == "--set storage.size=300MiB, or --without xfs"


def test_the_most_demanding_system_counts() -> None:
    assert smallest_bytes(study({"name": "raw"})) == 0
    assert smallest_bytes(study({"name": "ext4"}, {"name": "xfs"})) == 300 << 20


def test_an_unknown_system() -> None:
    assert 'did you mean "btrfs"?' in said(study({"name": "btrf"})).render()


def test_a_folder_needs_no_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    storage: dict[str, Any] = {"kind": "path", "path": str(tmp_path), "size": 16 << 20}
    asked = Study.model_validate(
        {
            "format": 1,
            "name": "s",
            "question": "Why?",
            "storage": storage,
            "system": [{"name": "here", "kind": "mounted"}],
            "workload": {"kind": "overhead"},
        }
    )
    check_systems(asked)
    gone = System(name="there", kind="mounted", path="/no/such/folder")
    assert "there is no folder" in said(asked.model_copy(update={"systems": [gone]})).what


@pytest.mark.parametrize("key", ["/etc/passwd", "/sys/../etc/passwd", "../../../etc/passwd"])
def test_a_tunable_stays_within_its_list(key: str) -> None:
    system = System(name="s", kind="ext4", tunables={key: "1"})
    with pytest.raises(InputError, match="not known to be safe as root"):
        check_tunables(system)


def test_tunables_that_are_fine() -> None:
    keys = ["/sys/fs/ext4/{device}/mb_stats", "queue/scheduler", "/proc/sys/vm/dirty_ratio"]
    check_tunables(System(name="s", kind="ext4", tunables=dict.fromkeys(keys, "1")))


def test_one_setting_by_two_names() -> None:
    """The second one's lock would be refused because of the first: it is said before."""
    keys = ["queue/scheduler", "/sys/block/{device}/queue/scheduler"]
    with pytest.raises(InputError, match="are one setting"):
        check_tunables(System(name="s", kind="ext4", tunables=dict.fromkeys(keys, "none")))


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("vm.swappines", '"/proc/sys/vm/swappiness"'),
        ("/proc/sys/vm/dirty_byte", '"/proc/sys/vm/dirty_bytes"'),
        ("wmem_maxx", '"/proc/sys/net/core/wmem_max"'),
        ("/proc/sys/kernel/zzz", "no accepted setting is similar"),
    ],
)
def test_an_unknown_tunable_names_the_nearest_few(key: str, near: str) -> None:
    """It named every place that there is."""
    with pytest.raises(InputError) as refused:
        check_tunables(System(name="s", kind="ext4", tunables={key: "1"}))
    (said,) = refused.value.details
    assert near in said and len(said) < 200
    assert refused.value.next == "fsgauge explain system.tunables"


@pytest.mark.usefixtures("as_root")
def test_every_system_that_cannot_be_measured_is_named_with_the_way_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lacks = {"xfs": Support(True, False, "apt-get install xfsprogs")}
    usable = Support(True, True, "")
    monkeypatch.setattr(
        checks, "support_of", lambda kind, load_module: lacks.get(kind.name, usable)
    )
    journal = {"name": "my ext4", "kind": "ext4", "mount": "data=journal"}
    asked = study({"name": "raw"}, {"name": "ext4"}, {"name": "xfs"}, journal, size=1 << 30)
    refused = checks.refused_systems(asked)
    assert [each.what for each in refused] == [
        '"xfs" needs mkfs.xfs, which is not installed',
        '"my ext4" has no direct I/O',
    ]
    assert refused[0].next == "apt-get install xfsprogs, or --without xfs"
    assert refused[1].next.endswith("or --without 'my ext4'")
    assert "data=journal" in refused[1].cause
    error = said(asked)
    assert error.what == refused[0].what
    assert error.details == (
        'also: "my ext4" has no direct I/O'
        " (next: --set workload.direct=false, or --without 'my ext4')",
    )


@pytest.mark.usefixtures("as_root")
def test_a_kernel_without_the_file_system_is_named_before_a_program_is_installed_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lacks = Support(driver=False, mkfs=False, install="apt-get install f2fs-tools")
    monkeypatch.setattr(checks, "support_of", lambda kind, load_module: lacks)
    (refused,) = checks.refused_systems(study({"name": "f2fs"}, size=1 << 30))
    assert "this kernel has no f2fs" in refused.what and "--rig vm" in refused.next


@pytest.mark.usefixtures("as_root")
def test_buffered_io_needs_no_direct_io() -> None:
    asked = study({"name": "raw"}, {"name": "ext4", "mount": "data=journal"}, size=1 << 30)
    buffered = asked.model_copy(
        update={"workload": asked.workload.model_copy(update={"direct": False})}
    )
    assert checks.refused_systems(buffered) == []
    again = study({"name": "raw"}, {"name": "ext4", "mount": "data=journal,data=ordered"})
    assert checks.refused_systems(again) == []


def in_folder(place: Path, workload: dict[str, Any]) -> Study:
    return Study.model_validate(
        {
            "format": 1,
            "name": "s",
            "question": "Why?",
            "storage": {"kind": "path", "path": str(place), "size": 1 << 30},
            "system": [{"name": "here", "kind": "mounted"}],
            "workload": workload,
        }
    )


FILES_OF_KINDS: dict[str, dict[str, Any]] = {
    "overhead": {"kind": "overhead", "files": 100},
    "writers": {"kind": "writers", "ranges": ["own files"], "writers": [100]},
    "aging": {"kind": "aging", "files": 100, "streams": 2},
    "sharing": {
        "kind": "sharing",
        "tests": ["create_sequential", "delete_sequential"],
        "folder_files": 100,
    },
    "connections": {"kind": "connections", "clients": 20, "files_per_connection": 5},
    "churn": {"kind": "churn", "median_size": 4096, "largest_size": 65536},
}


@pytest.mark.parametrize("kind", FILES_OF_KINDS)
def test_inodes_are_counted_for_the_files_of_every_kind(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`sharing` began without, and ended in the middle."""
    asked = in_folder(tmp_path, FILES_OF_KINDS[kind])
    for free, is_enough in ((50, False), (0, False), (1_000_000, True), (None, True)):
        monkeypatch.setattr(checks, "free_inodes", lambda _, free=free: free)
        whats = [error.what for error in refused_systems(asked)]
        assert any("inodes" in what for what in whats) != is_enough, (free, whats)


def test_too_few_descriptors_for_the_lab_are_said_before_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 64 a study failed at its first record: "cannot write turn.json"."""
    asked = in_folder(tmp_path, {"kind": "sharing"})

    def said_with(soft: int, hard: int) -> list[str]:
        of_descriptors(monkeypatch, soft, hard)
        return [error.next for error in refused_systems(asked)]

    assert said_with(LAB_DESCRIPTORS, LAB_DESCRIPTORS) == []
    assert said_with(64, 4096) == ["ulimit -S -n hard"]
    assert said_with(64, 64) == ["as root: ulimit -n 1024"]
    assert said_with(resource.RLIM_INFINITY, resource.RLIM_INFINITY) == []


@pytest.mark.parametrize("kind", ["overhead", "writers"])
def test_files_that_are_open_at_once_are_counted(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = in_folder(tmp_path, FILES_OF_KINDS[kind])
    of_descriptors(monkeypatch, 130, 131)
    assert "100 files open at once" in said(asked).what
    of_descriptors(monkeypatch, 130, 132)
    check_systems(asked)


def test_rings_are_among_what_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The probe knew it, and 36 of 36 runs failed."""
    forbidden = NoRings("io_uring is forbidden here", "", is_forbidden=True)
    monkeypatch.setattr(process_limits, "no_rings", lambda count, depth: forbidden)
    of_descriptors(monkeypatch, 64, 64)
    whats = [each.what for each in refused_systems(in_folder(tmp_path, {"kind": "aging"}))]
    assert len(whats) == 2, "all reasons at once"
    assert "needs io_uring for 4 operations" in whats[1]
