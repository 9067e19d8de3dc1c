"""Options of a study file that reached other devices and files, each as it was tried.

root runs a study that somebody else wrote. `-J device=LABEL=` and `UUID=` changed another device's
journal, `-z FILE` wrote an undo file anywhere, a tunable below /proc/sys set core_pattern, and
`vfs objects = /path` loaded a shared object into smbd. What is refused here is refused before
anything is touched, with a sentence.
"""

from __future__ import annotations

import os
import string
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsgauge.errors import FsgaugeError, InputError, RefusedError
from fsgauge.machine.ledger.ledger import opened_ledger
from fsgauge.record.machine import StorageFacts
from fsgauge.rig.host.tunables import check_tunables, tuned
from fsgauge.storage import Base
from fsgauge.study.model import System
from fsgauge.study.parse import load_study
from fsgauge.study.server_options import MODULES, OPTIONS, unknown_option, wrong_value
from fsgauge.study.tunable_places import OF_A_DEVICE, PROC_SYS, place_of, possible_value
from fsgauge.system import FileSystem, find_kind
from fsgauge.system.options import mkfs_words, mount_words
from tests.attack.hostile_options import MKFS, MOUNT, SAMBA, TUNABLES
from tests.patience import patience


def of(name: str) -> FileSystem:
    kind = find_kind(name)
    assert isinstance(kind, FileSystem)
    return kind


def refused(what: Callable[[], object]) -> bool:
    """What, why and what next, and exit code 2: nothing was touched."""
    try:
        what()
    except InputError as error:
        words = error.render()
        says = words.startswith("error: ") and ("next: " in words or "cause: " in words)
        return says and error.exit_code == 2
    return False


@pytest.mark.parametrize("name", MKFS)
def test_mkfs_reaches_no_other_device_and_no_file(name: str) -> None:
    kind = of(name)
    taken = [text for text in MKFS[name] if not refused(partial(mkfs_words, kind, text, "s"))]
    assert taken == []


@pytest.mark.parametrize("name", MOUNT)
def test_mount_reaches_no_other_device_and_no_file(name: str) -> None:
    kind = of(name)
    taken = [text for text in MOUNT[name] if not refused(partial(mount_words, kind, text, "s"))]
    assert taken == []


def test_a_tunable_is_a_setting_of_the_own_device_or_of_the_list() -> None:
    taken = [
        (key, value)
        for key, value in TUNABLES
        if not refused(
            partial(check_tunables, System(name="s", kind="ext4", tunables={key: value}))
        )
    ]
    assert taken == []


def test_a_study_file_with_it_is_refused_with_its_line(tmp_path: Path) -> None:
    study = tmp_path / "hostile.toml"
    lines: dict[tuple[str, str], int | None] = {}
    for key, value in TUNABLES:
        study.write_text(
            'format = 1\nquestion = "?"\n[storage]\nkind = "loop"\nsize = "1 GiB"\n'
            f'[[system]]\nname = "ext4"\ntunables = {{ "{key}" = "{value}" }}\n'
            '[workload]\nkind = "overhead"\n'
        )
        try:
            load_study(str(study))
        except InputError as error:
            lines[key, value] = error.location.line if error.location is not None else None
    assert lines == dict.fromkeys(TUNABLES, 8)


def test_samba_loads_nothing_and_writes_nowhere_else() -> None:
    taken = [
        (name, value)
        for name, value in SAMBA
        if unknown_option("samba", name) is None and not wrong_value("samba", name, value)
    ]
    assert taken == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, "x") for name in ("Squash", "Anonymous_uid", "Anonymous_gid", "Path", "FSAL")),
        *((name, "x") for name in ("Protocols", "SecType", "Access_Type", "Clients", "squash")),
        ("MaxRead", "65536; Squash = None"),
        ("MaxRead", "65536\n  Squash = None;"),
        ("MaxRead", "65536 } EXPORT { Path = /"),
        ("MaxRead", "/etc/passwd"),
        ("MaxRead", ""),
    ],
)
def test_ganesha_exports_what_fsgauge_says(name: str, value: str) -> None:
    assert unknown_option("ganesha", name) is not None or wrong_value("ganesha", name, value)


def test_what_servers_are_told_in_earnest_is_accepted() -> None:
    for name, value in (
        *(("aio read size", "0"), ("server signing", "mandatory"), ("log level", "1 auth:3")),
        *(("socket options", "TCP_NODELAY SO_RCVBUF=65536"), ("vfs objects", "catia fruit")),
    ):
        assert name in OPTIONS["samba"] and wrong_value("samba", name, value) is None
    assert wrong_value("ganesha", "MaxRead", "65536") is None
    assert not any("/" in module or ":" in module for module in MODULES)


def test_the_list_of_tunables_is_what_it_says() -> None:
    for key in PROC_SYS:
        assert place_of(key) is not None
    for key in OF_A_DEVICE:
        folder, *_ = key.replace("(", "...").split("...")
        assert any(place_of(folder + name) for name in ("name", "max_ratio")), key
    assert all("kernel/" not in key and "panic" not in key for key in PROC_SYS)


@given(st.text(string.ascii_lowercase + "/.{}_-0", max_size=60))
def test_no_place_leads_out_of_its_tree(text: str) -> None:
    """Whatever is accepted has no step up, and lies in /sys or /proc."""
    for key in (text, f"/proc/sys/{text}", f"/sys/{text}", f"/sys/block/{{device}}/{text}"):
        place = place_of(key)
        if place is not None and place.is_lustre:
            assert text.count(".") == 2 and "/" not in text  # two stars and a name at most
        elif place is not None:
            parts = Path(place.path).parts
            assert parts[1] in ("sys", "proc") and not {"..", "."} & set(parts)
            assert not place.device or place.device in place.home


@given(st.text(max_size=50))
def test_no_value_of_a_tunable_is_a_path(value: str) -> None:
    if possible_value(value):
        assert "/" not in value and "|" not in value and value.isascii()


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="loop devices and mkfs need root")


@needs_root
def test_a_setting_of_another_device_is_refused(tmp_path: Path) -> None:
    """The name of a disk that the machine has, in a study whose storage is another."""
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(1 << 20)
    device = _output("losetup", "--find", "--show", str(image))
    try:
        others = [p.name for p in Path("/sys/block").iterdir() if f"/dev/{p.name}" != device]
        key = f"/sys/block/{others[0]}/queue/read_ahead_kb"
        before = Path(key).read_text()
        base = Base(
            device=device, directory=None, size_bytes=1 << 20, facts=StorageFacts.model_construct()
        )
        system = System(name="s", kind="ext4", tunables={key: "77"})
        with (
            opened_ledger() as ledger,
            pytest.raises(RefusedError, match="another device"),
            tuned(system, base, ledger),
        ):
            pass
        assert Path(key).read_text() == before
    finally:
        subprocess.run(["losetup", "--detach", device], check=True, timeout=patience(30))


@needs_root
def test_the_journal_of_a_labelled_device_is_left_alone(tmp_path: Path) -> None:
    """The exploit itself: an ext4 study whose journal lies on the disk called "victim".

    mke2fs -J device=LABEL=victim finds that disk by itself and writes its superblock anew; the
    guard looked for paths, and there is none in it.
    """
    victim = tmp_path / "victim"
    with victim.open("wb") as file:
        file.truncate(32 << 20)
    device = _output("losetup", "--find", "--show", str(victim))
    try:
        label = f"v{os.getpid()}"
        _output("mke2fs", "-q", "-F", "-O", "journal_dev", "-b", "4096", "-L", label, device)
        uuid = _output("blkid", "-o", "value", "-s", "UUID", device)
        before = victim.read_bytes()
        for name in (f"LABEL={label}", f"UUID={uuid}", device):
            with pytest.raises(FsgaugeError):
                mkfs_words(of("ext4"), f"-b 4096 -J device={name}", "s")
        assert victim.read_bytes() == before
    finally:
        subprocess.run(["losetup", "--detach", device], check=True, timeout=patience(30))


def _output(*command: str) -> str:
    done = subprocess.run(command, check=True, timeout=patience(30), capture_output=True, text=True)
    return done.stdout.strip()
