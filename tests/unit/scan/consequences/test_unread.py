"""What was not read is said before what follows from the rest, by the cause that explains most."""

from __future__ import annotations

import pytest

from fsgauge.engine.wire import Note, ScanProblem, ScanResult
from fsgauge.scan.consequences import consequences
from tests.scan_example import changed


def scan(*codes: str, files: int = 1, **source: object) -> ScanResult:
    found = changed(source=dict(source))
    problems = [
        ScanProblem(code=code, text="It is so", count=3, examples=["table, byte 9\n"])
        for code in codes
    ]
    counts = found.counts.model_copy(update={"files": files, "extent_bytes": 4096 * files})
    return found.model_copy(update={"problems": problems, "counts": counts})


@pytest.mark.parametrize(
    ("codes", "why", "do"),
    [
        (["damaged", "truncated", "read_error"], "the device did not return", "dmesg | tail"),
        (["damaged", "truncated"], "the image ends", "copy the image again"),
        (["damaged"], "a structure is damaged", "e2fsck -fn /dev/x"),
    ],
)
def test_the_cause_comes_first_with_what_to_do(codes: list[str], why: str, do: str) -> None:
    rule, said = consequences(scan(*codes, file_system="ext4", device="/dev/x"))[0]
    assert rule.name == "unread" and said.level == "attention"
    assert why in said.sentence and "(3 places; first table, byte 9\\n)" in said.sentence
    assert do in said.do


def test_the_check_is_that_of_the_file_system() -> None:
    for file_system, tool in (("xfs", "xfs_repair -n"), ("btrfs", "btrfs check --readonly")):
        found = consequences(scan("damaged", file_system=file_system, device="/dev/x"))
        assert found[0][1].do == f"{tool} /dev/x"


def test_no_files_is_no_answer_where_files_may_be_hidden() -> None:
    def names(found: ScanResult) -> list[str]:
        return [rule.name for rule, _ in consequences(found)]

    assert "fragmentation" in names(scan(files=0))
    assert "fragmentation" not in names(scan("read_error", files=0))
    assert "unread" not in names(scan("not_permitted"))


def unclean(file_system: str, device: str = "/tmp/a b.img", **changes: object) -> ScanResult:
    found = scan(file_system=file_system, device=device, mount_point=None, **changes)
    return found.model_copy(update={"notes": [Note(code="scan.not_clean", text="It is so")]})


@pytest.mark.parametrize(
    ("found", "do"),
    [
        (
            unclean("xfs"),
            "cp --sparse=always '/tmp/a b.img' copy.img && mount -o loop,nouuid copy.img /mnt"
            " && fsgauge scan /mnt",
        ),
        (unclean("xfs", "/dev/vg/s"), "mount -o ro,nouuid /dev/vg/s /mnt && fsgauge scan /mnt"),
        (unclean("btrfs", "/dev/vg/s"), "mount -o ro /dev/vg/s /mnt && fsgauge scan /mnt"),
        (unclean("ext4", "/dev/vg/s"), "e2fsck -fy /dev/vg/s; fsgauge scan /dev/vg/s"),
    ],
)
def test_a_log_that_was_not_replayed_comes_before_what_is_said_of_the_rest(
    found: ScanResult, do: str
) -> None:
    """A copy of an XFS in use had "20 % full", and nothing was fragmented; it was 52 % full."""
    rule, said = consequences(found)[0]
    assert (rule.name, said.level, said.do) == ("unread", "attention", do)
    assert said.sentence.endswith("its log holds changes that are not counted here")
    assert said.cost.startswith("the log is replayed")
    full = found.model_copy(
        update={"counts": found.counts.model_copy(update={"files": 0, "extent_bytes": 0})}
    )
    assert "fragmentation" not in [rule.name for rule, _ in consequences(full)]
    assert found.free is not None
    nothing = found.model_copy(
        update={"free": found.free.model_copy(update={"size_bytes": 0, "unallocated_bytes": 0})}
    )
    assert [rule.name for rule, _ in consequences(nothing)][:2] == ["unread", "full"]


@pytest.mark.parametrize(
    ("file_system", "device", "do"),
    [
        (
            "ext4",
            "/a.img",
            "cp --sparse=always /a.img copy.img && e2fsck -fy copy.img; fsgauge scan copy.img",
        ),
        ("ext4", "/dev/x", "e2fsck -fy /dev/x; fsgauge scan /dev/x"),
        (
            "xfs",
            "/dev/x",
            "mount -o ro,nouuid /dev/x /mnt && umount /mnt && xfs_repair -n /dev/x",
        ),
        (
            "btrfs",
            "/a.img",
            "cp --sparse=always /a.img copy.img && mount -o loop copy.img /mnt && umount /mnt"
            " && btrfs check --readonly copy.img",
        ),
    ],
)
def test_damage_and_a_log_that_was_not_replayed_are_both_told(
    file_system: str, device: str, do: str
) -> None:
    """What the log holds may be what is missing: the damage alone was told, and fsck -n, which
    leaves the log alone."""
    both = unclean(file_system, device)
    both = both.model_copy(update={"problems": scan("damaged").problems})
    rule, said = consequences(both)[0]
    assert (rule.name, said.do) == ("unread", do)
    assert "a structure is damaged (3 places; first table, byte 9\\n); besides," in said.sentence
    assert said.sentence.endswith(
        "its log holds changes that are not counted here: what is missing may stand there"
    )
    assert said.cost.startswith("the log is replayed, which writes to")


@pytest.mark.parametrize(("code", "do"), [("truncated", "copy the image"), ("read_error", "dmesg")])
def test_what_the_device_hides_is_got_first_and_the_log_is_told_too(code: str, do: str) -> None:
    both = unclean("xfs", "/dev/x").model_copy(update={"problems": scan(code).problems})
    said = consequences(both)[0][1]
    assert said.sentence.endswith("besides, its log holds changes that are not counted here")
    assert said.do.startswith(do) and "mount" not in said.do


def test_a_damaged_image_that_is_mounted_is_not_replayed_in_a_copy() -> None:
    both = unclean("ext4").model_copy(update={"problems": scan("damaged").problems})
    mounted = both.source.model_copy(update={"mount_point": "/srv"})
    said = consequences(both.model_copy(update={"source": mounted}))[0][1]
    assert said.do == "e2fsck -fn '/tmp/a b.img'" and "besides, its log" in said.sentence


def test_what_has_no_log_is_not_said_to_have_one() -> None:
    note = Note(code="scan.not_written", text="It is so")
    said = consequences(unclean("ext4").model_copy(update={"notes": [note]}))[0][1]
    assert said.sentence.endswith("some changes were not written, and are not counted here")
    assert said.cost == "e2fsck writes to the copy"


def test_an_image_that_is_mounted_is_scanned_where_it_is_mounted() -> None:
    found = unclean("ext4")
    mounted = found.source.model_copy(update={"mount_point": "/srv"})
    assert (
        consequences(found.model_copy(update={"source": mounted}))[0][1].do == "fsgauge scan /srv"
    )
