"""From systems of a study to policies: what each setting becomes, and what is refused, where."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.rig.simulator.device import devices_of, size_of, stripe_bytes_of
from fsgauge.rig.simulator.policies import policy_of, settings_of
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study, parse_study
from fsgauge.study.policies import POLICIES
from fsgauge.system import find_kind
from fsgauge.wire import (
    BlockAtATimePolicy,
    DelayedPolicy,
    Ext4Policy,
    LdiskfsPolicy,
    SimulatedPolicy,
    VxfsPolicy,
    WindowPolicy,
    XfsPolicy,
)


def study(*systems: str, storage: str = "simulated:1GiB") -> Study:
    return load_study("aging", [], list(systems), storage, 1)


def policy(system: str, *overrides: str) -> SimulatedPolicy:
    chosen = load_study("aging", list(overrides), [system], "simulated:1GiB", 1)
    return policy_of(chosen, chosen.systems[-1])


def test_every_kind_has_a_policy_and_is_a_system() -> None:
    for kind in POLICIES:
        assert find_kind(kind).placement == "modelled"
        assert policy(kind).kind.replace("_", "-") == kind.partition("-6.")[0]


def test_real_ext4_is_that_of_the_newest_kernel_and_its_options_count() -> None:
    assert policy("ext4") == policy("ext4-6.18") == Ext4Policy(release="6.18")
    assert policy("ext4:mount=noatime,nodelalloc,stripe=64") == Ext4Policy(
        release="6.18", delays=False, stripe_blocks=64
    )


def test_real_xfs_is_a_model_and_its_options_count() -> None:
    assert policy("xfs") == policy("xfs-6.18") == XfsPolicy()
    written = "workload.aged_by=write"
    fixed = XfsPolicy(preallocation_blocks=16384)
    assert policy("xfs:mount=noatime,allocsize=64m", written) == fixed
    assert policy("xfs-6.18:settings.allocsize=64MiB;settings.extsize=0", written) == fixed
    assert policy("xfs:mkfs=-d agcount=8") == XfsPolicy(groups=8)
    assert policy("xfs:extent_size_hint=8MiB") == XfsPolicy(extent_hint_blocks=2048)
    for ignored in ("xfs:mount=allocsize=64m", "xfs-6.18:settings.allocsize=64MiB"):
        with pytest.raises(InputError, match="allocsize would be ignored"):
            study(ignored)


def test_settings_become_those_of_the_policy() -> None:
    table = "ldiskfs:settings.prealloc_table=256 512;settings.mb_last_group=7"
    assert policy(table) == LdiskfsPolicy(prealloc_table_blocks=[256, 512], last_group=7)
    assert policy("delayed:settings.delay=512KiB") == DelayedPolicy(delay_blocks=128)
    assert policy("window:settings.window=8MiB") == WindowPolicy(window_blocks=2048)
    assert policy("vxfs") == VxfsPolicy(initial_blocks=2, largest_blocks=2048)
    assert policy("block-at-a-time") == BlockAtATimePolicy()
    old = policy("ext4-6.12:settings.delayed_allocation=no;settings.mb_stream_req=32")
    assert old == Ext4Policy(release="6.12", delays=False, shared_blocks=32)
    assert policy("ext4-6.1") == Ext4Policy(release="6.1")


def test_what_is_in_force_is_told_whole() -> None:
    chosen = study("ext4:mount=nodelalloc")
    told = settings_of(chosen, chosen.systems[-1])
    assert told["delayed_allocation"] == "no"
    assert told["mb_max_to_scan"] == "200"


@pytest.mark.parametrize(
    ("system", "says"),
    [
        ("btrfs", "there is no model of btrfs"),
        ("xfs:mkfs=-d agcount=8,su=64k", "knows nothing of mkfs = '-d su=64k'"),
        ("xfs:mount=swalloc", "knows nothing of mount = 'swalloc'"),
        ("ext4:mount=stripe=x", "cannot have stripe x: it is a whole number"),
        ("ext4:mkfs=-O ^extent", "knows nothing of mkfs"),
        ("ext4:mount=journal_checksum", "knows nothing of mount = 'journal_checksum'"),
    ],
)
def test_what_has_no_model_is_refused_with_a_way_out(system: str, says: str) -> None:
    chosen = study(system)
    with pytest.raises(InputError, match=says) as refused:
        policy_of(chosen, chosen.systems[-1])
    assert "--without" in refused.value.next


FILE = """\
format = 1
question = "Which?"
[storage]
kind = "simulated"
size = "1 GiB"
[[system]]
name = "ldiskfs"
settings = {{ {setting} }}
[workload]
kind = "aging"
"""


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ('prealloc_table = "256 128"', "it is not ascending, 256 comes before 128"),
        ('prealloc_table = "256 x"', "it is a whole number"),
        ('prealloc_table = ""', "it has no entry"),
        ('prealoc_table = "256"', "ldiskfs has no setting prealoc_table"),
        ('mb_last_group = "-1"', "it is a whole number"),
    ],
)
def test_a_wrong_setting_is_shown_where_it_stands(setting: str, says: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_study(FILE.format(setting=setting), "lives.toml", "lives")
    assert says in refused.value.what
    place = refused.value.location
    assert place is not None
    assert (place.path, place.line) == ("lives.toml", 8)
    assert place.column > len("settings = {")


def test_settings_of_a_real_file_system_are_refused() -> None:
    with pytest.raises(InputError, match='"ext4" is a file system that is mounted'):
        study("ext4:settings.stripe=4")


def test_nothing_is_made_or_mounted_of_a_model() -> None:
    with pytest.raises(InputError, match="mount would be ignored: ldiskfs is a model"):
        study("ldiskfs:mount=noatime")


def test_stripes_need_devices_to_go_over() -> None:
    text = FILE.format(setting='prealloc_table = "256"')
    striped = text.replace('size = "1 GiB"', 'size = "1 GiB"\nstripe_size = "4 MiB"')
    with pytest.raises(InputError, match="stripe_size would be ignored") as refused:
        parse_study(striped, "lives.toml", "lives")
    assert refused.value.location is not None and refused.value.location.line == 6
    over_four = striped.replace("stripe_size", "devices = 4\nstripe_size")
    chosen = parse_study(over_four, "lives.toml", "lives")
    assert (devices_of(chosen), stripe_bytes_of(chosen)) == (4, 4 << 20)
    assert (devices_of(study("ext4")), stripe_bytes_of(study("ext4"))) == (1, 1 << 20)
    uneven = over_four.replace("1 GiB", "1000001 KiB")
    assert size_of(parse_study(uneven, "lives.toml", "lives")) % (4 * 4096) == 0
