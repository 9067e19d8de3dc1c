"""Settings of the client of a mounted file system: found, set, and set back however it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fsgauge.errors import InputError, RigError
from fsgauge.machine.ledger import ledger_folder
from fsgauge.machine.ledger.ledger import clean_up_after_the_dead, opened_ledger
from fsgauge.rig.host import tunables
from fsgauge.rig.host.tunables import require_tunables_of, tuned_client
from fsgauge.study.parse import load_study
from fsgauge.study.system import System
from fsgauge.study.tunable_places import OF_A_MOUNT, place_of

TARGETS = ("lus-OST0000-osc-ffff8881", "lus-OST0001-osc-ffff8881")


def folder(**settings: str) -> System:
    return System(name="client", kind="mounted", tunables=settings)


@pytest.fixture
def lustre(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a client of two targets has below /sys/fs/lustre, and ledgers of our own."""
    root = tmp_path / "lustre"
    for target in TARGETS:
        (root / "osc" / target).mkdir(parents=True)
        (root / "osc" / target / "max_rpcs_in_flight").write_text("8\n")
    monkeypatch.setattr(tunables, "LUSTRE_ROOTS", (tmp_path / "none", root))
    (tmp_path / "ledgers").mkdir(mode=0o700)
    monkeypatch.setattr(ledger_folder, "ledger_folder", lambda: tmp_path / "ledgers")
    return root


def values(root: Path) -> list[str]:
    return [(root / "osc" / each / "max_rpcs_in_flight").read_text().strip() for each in TARGETS]


def test_every_target_is_set_and_set_back(lustre: Path, tmp_path: Path) -> None:
    system = folder(**{"osc.*.max_rpcs_in_flight": "64"})
    with opened_ledger() as ledger, tuned_client(system, str(tmp_path), ledger) as in_force:
        assert values(lustre) == ["64", "64"]
        assert sorted(in_force) == [f"{lustre}/osc/{each}/max_rpcs_in_flight" for each in TARGETS]
        assert set(in_force.values()) == {"64"}
    assert values(lustre) == ["8", "8"]


def test_one_target_can_be_named(lustre: Path, tmp_path: Path) -> None:
    system = folder(**{f"osc.{TARGETS[1]}.max_rpcs_in_flight": "1"})
    with opened_ledger() as ledger, tuned_client(system, str(tmp_path), ledger):
        assert values(lustre) == ["8", "1"]
    assert values(lustre) == ["8", "8"]


def test_what_raises_sets_them_back(lustre: Path, tmp_path: Path) -> None:
    system = folder(**{"osc.*.max_rpcs_in_flight": "64"})
    with (
        pytest.raises(KeyboardInterrupt),
        opened_ledger() as ledger,
        tuned_client(system, str(tmp_path), ledger),
    ):
        raise KeyboardInterrupt
    assert values(lustre) == ["8", "8"]


KILLED = """
import os, signal, sys
from pathlib import Path
from fsgauge.rig.host import tunables
from fsgauge.machine.ledger import ledger_folder
from fsgauge.machine.ledger.ledger import opened_ledger
from fsgauge.study.system import System
root, ledgers = map(Path, sys.argv[1:])
tunables.LUSTRE_ROOTS = (root,)
ledger_folder.ledger_folder = lambda: ledgers
system = System(name="c", kind="mounted", tunables={"osc.*.max_rpcs_in_flight": "64"})
with opened_ledger() as ledger, tunables.tuned_client(system, str(root), ledger):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_leaves_them_to_the_next_command(lustre: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-c", KILLED, str(lustre), str(tmp_path / "ledgers")]
    done = subprocess.run(words, check=False, timeout=120, capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    assert values(lustre) == ["64", "64"]
    said = clean_up_after_the_dead()
    assert values(lustre) == ["8", "8"]
    assert sum("set" in sentence and "back to 8" in sentence for sentence in said) == 2


def test_a_client_that_is_not_there_is_a_sentence(lustre: Path, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r'"osc\.\*\.max_dirty_mb" of the system "client"'
    ) as caught:
        require_tunables_of(folder(**{"osc.*.max_dirty_mb": "256"}), str(tmp_path))
    assert "no Lustre file system is mounted here" in caught.value.cause
    assert "lctl get_param" in caught.value.next
    require_tunables_of(folder(**{"osc.*.max_rpcs_in_flight": "8"}), str(tmp_path))
    assert values(lustre) == ["8", "8"]


@pytest.mark.usefixtures("lustre")
def test_one_that_this_user_may_not_write_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(RigError, match="cannot be written") as caught:
        require_tunables_of(folder(**{"osc.*.max_rpcs_in_flight": "9"}), str(tmp_path))
    assert caught.value.cause == "this is an ordinary user"


def test_memory_has_no_read_ahead() -> None:
    if not Path("/dev/shm").is_dir():
        pytest.skip("no memory file system here")
    with pytest.raises(InputError, match="has no settings of its own"):
        require_tunables_of(folder(**{"/sys/class/bdi/{mount}/read_ahead_kb": "64"}), "/dev/shm")


def test_the_list_is_what_it_says() -> None:
    for key in OF_A_MOUNT:
        before, _, rest = key.partition("(")
        place = place_of(before + rest.partition(",")[0].partition(" ")[0].rstrip(")"))
        assert place is not None and place.is_of_client, key


@pytest.mark.parametrize(
    "key",
    [
        *("osc.*.uuid", "osc.../x.max_dirty_mb", "ost.*.max_dirty_mb", "osc.*.*"),
        *("/sys/class/bdi/7:0/read_ahead_kb", "/sys/class/bdi/{mount}/power", "osc..max_dirty_mb"),
    ],
)
def test_nothing_else_of_a_client_is_set(key: str) -> None:
    assert place_of(key) is None


def test_settings_belong_where_they_are() -> None:
    for system, what in (
        ("ext4:tunables.osc.*.max_dirty_mb=1", "of the client of a mounted file system"),
        ("ext4:tunables./sys/class/bdi/{mount}/read_ahead_kb=1", "of the client of a mounted"),
    ):
        with pytest.raises(InputError, match=what):
            load_study("overhead", systems=[system])
    with pytest.raises(InputError, match="is of a device, and this system is a folder"):
        load_study("overhead", systems=["a=mounted:path=/mnt/a;tunables.queue/scheduler=none"])


def test_they_are_factors_of_a_study() -> None:
    """One mount with two settings of its client: two systems."""
    study = load_study(
        "overhead",
        systems=[
            "few=mounted:path=/mnt/l;tunables.osc.*.max_rpcs_in_flight=8",
            "many=mounted:path=/mnt/l;tunables.osc.*.max_rpcs_in_flight=64",
        ],
    )
    assert [system.tunables for system in study.systems] == [
        {"osc.*.max_rpcs_in_flight": "8"},
        {"osc.*.max_rpcs_in_flight": "64"},
    ]


@pytest.mark.root
@pytest.mark.usefixtures("lustre")
@pytest.mark.parametrize("unit", ["bytes", "ratio"])
def test_of_two_units_the_one_that_was_set_comes_back(unit: str, tmp_path: Path) -> None:
    """The kernel takes no 0 back for dirty_background_bytes, and its ratio stayed 0."""
    places = [Path(f"/proc/sys/vm/dirty_background_{each}") for each in ("bytes", "ratio")]
    before = [each.read_text() for each in places]
    value = {"bytes": "67108864", "ratio": "9"}[unit]
    system = folder(**{f"/proc/sys/vm/dirty_background_{unit}": value})
    with opened_ledger() as ledger, tuned_client(system, str(tmp_path), ledger) as in_force:
        assert list(in_force.values()) == [value]
        assert [each.read_text() for each in places] != before
    assert [each.read_text() for each in places] == before


def test_two_units_are_one_setting() -> None:
    both = {"/proc/sys/vm/dirty_bytes": "1048576", "/proc/sys/vm/dirty_ratio": "9"}
    with pytest.raises(InputError, match="are one setting"):
        tunables.check_tunables(folder(**both))
