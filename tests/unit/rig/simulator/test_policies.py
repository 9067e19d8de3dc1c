"""From systems of a study to policies: what each setting becomes, and what is refused, where."""

from __future__ import annotations

import pytest

from fsgauge.engine import wire
from fsgauge.errors import InputError
from fsgauge.rig.simulator.models import (
    devices_of,
    made_with,
    policy_of,
    settings_of,
    size_of,
    stripe_bytes_of,
    told_of,
)
from fsgauge.study.model import Study, System
from fsgauge.study.parse import load_study, parse_study
from fsgauge.study.policies import POLICIES
from fsgauge.system import find_kind

GIB = 1 << 30


def study(*systems: str, storage: str = "simulated:1GiB") -> Study:
    return load_study("aging", [], list(systems), storage, 1)


def policy(system: str, *overrides: str) -> wire.SimulatedPolicy:
    chosen = load_study("aging", list(overrides), [system], "simulated:1GiB", 1)
    return policy_of(chosen, chosen.systems[-1])


def test_every_kind_has_a_policy_and_is_a_system() -> None:
    for kind in POLICIES:
        assert find_kind(kind).placement == "modelled"
        assert policy(kind).kind.replace("_", "-") == kind.partition("-6.")[0]


def test_real_ext4_is_that_of_the_newest_kernel_and_its_options_count() -> None:
    assert policy("ext4:mkfs=-m 0") == policy("ext4-6.18") == wire.Ext4Policy(release="6.18")
    assert policy(
        "ext4:mkfs=-m 0;mount=noatime,nodelalloc,data=ordered,stripe=64"
    ) == wire.Ext4Policy(release="6.18", delays=False, stripe_blocks=64)


def test_real_xfs_is_a_model_and_its_options_count() -> None:
    assert policy("xfs") == policy("xfs-6.18") == wire.XfsPolicy()
    written = "workload.aged_by=write"
    fixed = wire.XfsPolicy(preallocation_blocks=16384)
    assert policy("xfs:mount=noatime,allocsize=64m", written) == fixed
    assert policy("xfs-6.18:settings.allocsize=64MiB;settings.extsize=0", written) == fixed
    assert policy("xfs:mkfs=-d agcount=8") == wire.XfsPolicy(groups=8)
    assert policy("xfs:extent_size_hint=8MiB") == wire.XfsPolicy(extent_hint_blocks=2048)
    for ignored in ("xfs:mount=allocsize=64m", "xfs-6.18:settings.allocsize=64MiB"):
        with pytest.raises(InputError, match="allocsize would be ignored"):
            study(ignored)


def test_settings_become_those_of_the_policy() -> None:
    table = "ldiskfs:settings.prealloc_table=256 512;settings.mb_last_group=7"
    assert policy(table) == wire.LdiskfsPolicy(prealloc_table_blocks=[256, 512], last_group=7)
    assert policy("delayed:settings.delay=512KiB") == wire.DelayedPolicy(delay_blocks=128)
    assert policy("window:settings.window=8MiB") == wire.WindowPolicy(window_blocks=2048)
    assert policy("vxfs") == wire.VxfsPolicy(initial_blocks=2, largest_blocks=2048)
    assert policy("block-at-a-time") == wire.BlockAtATimePolicy()
    old = policy("ext4-6.12:settings.delayed_allocation=no;settings.mb_stream_req=32")
    assert old == wire.Ext4Policy(release="6.12", delays=False, shared_blocks=32)
    assert policy("ext4-6.1") == wire.Ext4Policy(release="6.1")


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
        ("ext4:mount=stripe=x", "cannot have stripe x: it is a whole number of blocks from 0"),
        ("xfs:mkfs=-m crc=0", "knows nothing of mkfs = '-m crc=0'"),
        ("ext4:mount=data=journal", "knows nothing of mount = 'data=journal'"),
        ("ext4:mount=data=writeback", "knows nothing of mount = 'data=writeback'"),
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
        ('prealloc_table = "256 x"', 'entry "x" is not a whole number of blocks from 1 to 32768'),
        ('prealloc_table = "0 256"', 'entry "0" is not a whole number of blocks from 1 to 32768'),
        ('prealloc_table = "4 65536"', 'entry "65536" is not a whole number of blocks'),
        (
            f'prealloc_table = "{" ".join(map(str, range(1, 65)))}"',
            "it has 64 entries, and at most",
        ),
        ('prealloc_table = ""', "it has no entry"),
        ('prealoc_table = "256"', "ldiskfs has no setting prealoc_table"),
        ('mb_last_group = "-1"', "it is a whole number"),
        ('mb_last_group = "8"', "there is no group 8: a device of 1 GiB has groups 0 to 7"),
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


@pytest.mark.parametrize(
    ("kind", "setting", "says"),
    [
        ("window", 'window = "0"', "it is a size from 4 KiB to 128 MiB, whole blocks of 4 KiB"),
        ("window", 'window = "1 GiB"', "it is a size from 4 KiB to 128 MiB, whole blocks of 4 KiB"),
        ("window", 'window = "5000"', '"5000" has no unit; it is a size from 4 KiB'),
        ("ext4-6.18", 'mb_max_to_scan = "0"', "it is a whole number of free runs from 1 up"),
        ("ext4-6.18", 'mb_group_prealloc = "0"', "a whole number of blocks from 1 to 32768"),
        ("ext4-6.18", 'stripe = "99999"', "it is a whole number of blocks from 0 to 32768"),
        ("xfs-6.18", 'allocsize = "12 KiB"', "a size from 4 KiB to 1 GiB, a power of two, or 0"),
        ("xfs-6.18", 'agcount = "100"', "100 allocation groups on 1 GiB have 10.2 MiB each"),
        (
            "vxfs",
            'initial_extent_size = "16 MiB"',
            "initial_extent_size is 16 MiB and max_seqio_extent_size 8 MiB",
        ),
    ],
)
def test_a_setting_beyond_its_limits_is_named_with_its_unit(
    kind: str, setting: str, says: str
) -> None:
    """The engine said "window_blocks has 262144 blocks", without a place in the study's file."""
    text = FILE.format(setting=setting).replace('name = "ldiskfs"', f'name = "a"; kind = "{kind}"')
    with pytest.raises(InputError) as refused:
        parse_study(text.replace("; kind", "\nkind"), "lives.toml", "lives")
    assert says in refused.value.what
    place = refused.value.location
    assert place is not None
    assert (place.path, place.line) == ("lives.toml", 9)


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


def told(mkfs: str, size_bytes: int = GIB) -> tuple[wire.Mke2fs, int]:
    return told_of(System(name="ext4", kind="ext4", mkfs=mkfs), size_bytes)


def study_of_mke2fs(system: str, storage: str = "simulated:1GiB") -> Study:
    return load_study("aging", [], [system], storage, 1)


def test_five_percent_are_left_to_root_and_small_devices_have_small_blocks() -> None:
    """The simulator left nothing to root, and had blocks of 4 KiB: 9.8 % more files."""
    usual = wire.Mke2fs(reserved_percent=5.0)
    assert told("") == told("", 512 << 20) == (usual, 4096)
    assert told("", (512 << 20) - 1) == (usual, 1024)
    assert told("-b 4096", 64 << 20) == (usual, 4096)


@pytest.mark.parametrize(
    ("mkfs", "expected", "block_bytes"),
    [
        ("-m 0", {"reserved_percent": 0.0}, 4096),
        ("-m0.5 -b 2k", {"reserved_percent": 0.5}, 2048),
        ("-i 65536", {"bytes_per_inode": 65536}, 4096),
        ("-N 5000 -I 512", {"inodes": 5000, "inode_size_bytes": 512}, 4096),
        ("-J size=32", {"journal_size_bytes": 32 << 20}, 4096),
        ("-O ^has_journal,^64bit,^resize_inode,extent",
         {"journal_size_bytes": 0, "has_64bit": False, "resize_inode": False}, 4096),
        ("-O 64bit -E nodiscard,lazy_itable_init=0 -e continue -D", {}, 4096),
        ("-T small", {"bytes_per_inode": 4096}, 1024),
        ("-b 4096 -T small -i 8192", {"bytes_per_inode": 8192}, 4096),
        ("-T largefile", {"bytes_per_inode": 1 << 20}, 4096),
    ],
)  # fmt: skip
def test_what_is_told_reaches_the_model(
    mkfs: str, expected: dict[str, object], block_bytes: int
) -> None:
    assert told(mkfs) == (
        wire.Mke2fs.model_validate({"reserved_percent": 5.0, **expected}),
        block_bytes,
    )


@pytest.mark.parametrize(
    ("mkfs", "says"),
    [
        ("-O ^extent", r"-O \^extent"),
        ("-O bigalloc,64bit", "-O bigalloc"),
        ("-O quota", "-O quota"),
        ("-E stride=16", "-E stride=16"),
        ("-E nodiscard,resize=4096", "-E resize=4096"),
        ("-J fast_commit_size=4", "-J fast_commit_size=4"),
        ("-b 8192", "-b 8192"),
        ("-i 64k", "-i 64k"),
        ("-m 5k", "-m 5k"),
        ("-G 32", "-G 32"),
        ("-g 8192", "-g 8192"),
        ("-r 0", "-r 0"),
    ],
)
def test_what_has_no_model_is_refused_with_its_name(mkfs: str, says: str) -> None:
    chosen = study_of_mke2fs(f"ext4:mkfs={mkfs}")
    with pytest.raises(InputError, match=f"knows nothing of mkfs = '{says}'") as refused:
        policy_of(chosen, chosen.systems[-1])
    assert refused.value.exit_code == 2


def test_a_model_by_its_own_name_has_no_mkfs() -> None:
    by_name = study_of_mke2fs("ext4-6.12")
    assert made_with(by_name, by_name.systems[-1]) == (wire.Mke2fs(), 4096)
    small = study_of_mke2fs("ext4", "simulated:256MiB")
    assert made_with(small, small.systems[-1])[1] == 1024
    policy = policy_of(small, small.systems[-1])
    assert isinstance(policy, wire.Ext4Policy)
    assert policy.mke2fs.reserved_percent == 5.0
