"""Whether pieces matter: by the device's seek and rate, in bytes, and for a single file."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.engine.wire import Jumps, ListedFile, ScanResult
from fsgauge.scan.consequences import RULES, consequences, fragmentation
from fsgauge.scan.consequences.rule import word_of
from tests.scan_example import example
from tests.unit.scan.consequences.test_no_space import MIB, scan


def files(
    count: int, pieces: int, size_bytes: int, *, rotational: bool | None, **more: Any
) -> ScanResult:
    found = scan(is_rotational=rotational, **more)
    counts = found.counts.model_copy(
        update={
            "files": count,
            "files_without_extents": 0,
            "extents": pieces,
            "extent_bytes": size_bytes,
            "short_bytes": size_bytes // 4,
            "jumps": far(pieces - count),
        }
    )
    return found.model_copy(update={"counts": counts, "top": []})


def far(jumps: int) -> Jumps:
    return Jumps(far=jumps, near=0, passed_bytes=0)


def sentence(found: ScanResult) -> str:
    said = fragmentation.matters(found)
    assert said is not None
    return said.sentence


def test_a_seek_costs_a_disk_with_heads_what_flash_hardly_feels() -> None:
    heads, flash = fragmentation.heads(), fragmentation.flash()
    assert heads.jump_ns == pytest.approx(12.67e6, rel=0.01)
    assert heads.factor(1, far(0), 100 * MIB) == flash.factor(1, far(0), 100 * MIB) == 1
    assert heads.factor(1, far(99), 100 * MIB) > 2.5
    assert flash.factor(1, far(99), 100 * MIB) < 1.01


def test_heads_pass_over_what_lies_a_little_ahead() -> None:
    """Two files that grew in turns are read in the time of both."""
    heads, flash = fragmentation.heads(), fragmentation.flash()
    turns = Jumps(far=0, near=25_600, passed_bytes=100 * MIB)
    assert heads.longer_ns(turns) == pytest.approx(1e9 * 100 * MIB / heads.bytes_per_second)
    assert flash.longer_ns(turns) == flash.longer_ns(far(25_600)) == 25_600 * flash.jump_ns


def test_it_is_said_by_the_device_and_in_shares_of_bytes() -> None:
    assert sentence(files(10, 1000, 1 << 30, rotational=True)).startswith(
        "Fragmentation matters here: reading every file takes a disk with heads 3.0"
    )
    on_flash = sentence(files(10, 1000, 1 << 30, rotational=False))
    assert on_flash.startswith("Fragmentation does not matter here: reading every file takes as")
    assert "25.0 % of the bytes are in short pieces" in on_flash
    assert "which of both is not known" in sentence(files(10, 1000, 1 << 30, rotational=None))
    whole = files(10, 10, 1 << 30, rotational=None)
    counts = whole.counts.model_copy(update={"short_bytes": 0})
    assert sentence(whole.model_copy(update={"counts": counts})) == (
        "Fragmentation does not matter here: reading every file takes as long as from whole"
        " files, within 1 %"
    )
    none = sentence(files(0, 0, 0, rotational=True))
    assert none == "No file has an extent on the device: nothing is fragmented"


def test_a_seek_alone_is_no_loss() -> None:
    """One file of 8 MiB in 2 pieces: a disk with heads takes 13 ms longer, a fifth."""
    said = sentence(files(1, 2, 8 * MIB, rotational=True))
    assert said.startswith("Fragmentation does not matter here: reading every file takes a disk")
    assert "1.21 times as long as from whole files, 12.7 ms longer in all" in said
    heads = fragmentation.heads()
    most = int(fragmentation.LEAST_EXTRA_NS // heads.jump_ns)
    assert not heads.loses(1.1, 1, far(most), 8 * MIB) and heads.loses(
        1.1, 1, far(most + 1), 8 * MIB
    )
    assert not heads.loses(1.1, 1, far(most + 1), 1 << 40)


def test_a_scan_that_counted_no_jumps_has_one_for_each_piece_more() -> None:
    known = files(10, 1000, 1 << 30, rotational=True)
    old = known.counts.model_copy(update={"jumps": None})
    assert sentence(known.model_copy(update={"counts": old})) == sentence(known)


def test_the_jumps_of_a_file_are_those_between_its_pieces() -> None:
    top = example().top[0]
    places = [(0, 1 << 20), (1 << 20, (1 << 20) + 4096), (9 << 20, 5 << 20), (10 << 20, 0)]
    pieces = [
        top.list[0].model_copy(
            update={"logical_bytes": at, "physical_bytes": place, "length_bytes": 4096}
        )
        for at, place in [*places, (11 << 20, 4096 + (512 << 10)), (12 << 20, 12 << 20)]
    ]
    found = fragmentation._jumps_of(top.model_copy(update={"extents": 6, "list": pieces}))
    assert found == Jumps(far=3, near=1, passed_bytes=512 << 10)
    more = fragmentation._jumps_of(top.model_copy(update={"extents": 11, "list": pieces}))
    assert more == Jumps(far=6, near=2, passed_bytes=1 << 20)


def test_of_a_sparse_file_what_it_holds_is_read() -> None:
    scanned = files(100_000, 100_100, 1 << 40, rotational=True)
    top = example().top[0]
    piece = top.list[0].model_copy(update={"length_bytes": 4096})
    apart = piece.model_copy(update={"physical_bytes": 1 << 30})
    sparse = top.model_copy(update={"extents": 500, "size_bytes": 1 << 40, "list": [piece, apart]})
    found = fragmentation.matters(scanned.model_copy(update={"top": [sparse]}))
    assert found is not None and "single files" in found.sentence and "1.95 MiB" in found.cost


def test_one_file_may_matter_where_all_do_not() -> None:
    scanned = files(100_000, 100_100, 1 << 40, rotational=True)
    top = example().top[0].model_copy(update={"extents": 500, "size_bytes": 64 * MIB})
    other = top.model_copy(update={"name": "/fake/most pieces", "extents": 2, "list": []})
    top = top.model_copy(update={"name": "/fake/slow", "list": []})
    found = fragmentation.matters(scanned.model_copy(update={"top": [other, top]}))
    assert found is not None and found.level == "attention"
    assert found.sentence.startswith("Fragmentation matters for single files, not for all")
    assert found.do.startswith("e4defrag -v /fake/slow") and "64 MiB" in found.cost
    assert "largest free one has 16 MiB" in found.cost


@pytest.mark.parametrize(
    ("kind", "command", "later"),
    [
        ("xfs", "xfs_fsr -v", "allocsize"),
        ("btrfs", "btrfs filesystem defragment", "chattr +C"),
        ("ext4", "e4defrag -v FILE   (where it prints [ NG ]: cp -a", "fallocate"),
        ("ext3", "cp -a --reflink=never FILE COPY && mv COPY FILE;", "fallocate"),
        ("f2fs", "cp -a --reflink=never FILE COPY && mv COPY FILE", ""),
    ],
)
def test_what_to_do_is_of_the_file_system(kind: str, command: str, later: str) -> None:
    scanned = files(10, 1000, 1 << 30, rotational=True, source={"file_system": kind})
    found = fragmentation.matters(scanned)
    assert found is not None and found.do.startswith(command) and found.cost
    assert later in found.do


def test_what_has_clusters_is_copied() -> None:
    """The kernel has no EXT4_IOC_MOVE_EXT for bigalloc."""
    scanned = files(10, 1000, 1 << 30, rotational=True)
    room = scanned.room.model_copy(update={"cluster_bytes": 16 << 10})
    found = fragmentation.matters(scanned.model_copy(update={"room": room}))
    assert found is not None and found.do.startswith("cp -a") and "e4defrag" not in found.do


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("/a b", "'/a b'"),
        ("/a\N{REPLACEMENT CHARACTER}b c", "/a*'b c'"),
        ("/a\n\x1b[m", "/a**'[m'"),
        ("\N{REPLACEMENT CHARACTER}", "*"),
    ],
)
def test_what_is_no_text_of_a_name_is_a_star_of_a_command(name: str, word: str) -> None:
    assert word_of(name) == word


def test_the_gravest_comes_first_and_nothing_follows_from_half_a_scan() -> None:
    stopped = scan(inodes={"total": 10, "free": 0}, is_rotational=True)
    levels = [said.level for _, said in consequences(stopped)]
    assert levels[0] == "stop" and levels == sorted(levels, key=["stop", "attention", "fine"].index)
    assert consequences(stopped.model_copy(update={"ended": "interrupted"})) == []


def test_each_rule_has_its_question_threshold_and_source_and_its_own_name() -> None:
    assert all(rule.question.endswith("?") and rule.threshold and rule.source for rule in RULES)
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_a_compressed_file_does_not_silence_what_is_said_of_others() -> None:
    """One such file, and a database in 7,000 pieces was not named."""
    shared = {"compressed_extents": 1, "undecided_extents": 1}
    found = files(1000, 1100, 100 << 30, rotational=True)
    piece = example().top[0].list[0]

    def listed(name: str, gap: int) -> ListedFile:
        pieces = [
            piece.model_copy(
                update={
                    "logical_bytes": at << 17,
                    "physical_bytes": at * gap,
                    "length_bytes": 1 << 17,
                }
            )
            for at in range(1000)
        ]
        return (
            example()
            .top[0]
            .model_copy(
                update={"name": name, "extents": 1000, "size_bytes": 1000 << 17, "list": pieces}
            )
        )

    # What is compressed begins inside the contents of the one before.
    packed, database = listed("/packed", 64 << 10), listed("/database", 4 << 20)
    counts = found.counts.model_copy(update=shared)
    both = found.model_copy(update={"counts": counts, "top": [packed, database]})
    assert "/database takes a disk with heads" in sentence(both)
    alone = both.model_copy(update={"top": [packed]})
    assert sentence(alone).startswith("Fragmentation does not matter here")


def in_pieces(size: int, pieces: int, **more: Any) -> ScanResult:
    """A file system of 64 GiB, with so much free in so many pieces, and what is in large ones."""
    large = more.pop("large", 0)
    source = {"size_bytes": 64 << 30, "address_bytes": None, **more.pop("source", {})}
    free = {
        "size_bytes": size,
        "extents": pieces,
        "at_least": [{"at_least_bytes": 8 * MIB, "size_bytes": large}],
        "unallocated_bytes": None,
        **more.pop("free", {}),
    }
    found = scan(source=source, free=free, is_rotational=True, **more)
    return ScanResult.model_validate(found.model_dump(mode="json"))


def test_new_files_lie_where_room_is() -> None:
    """redpanda 31630: 8 blocks on average, and nothing was said to be fragmented."""
    size = 8 << 30
    found = fragmentation.free_pieces(in_pieces(size, 200_000))
    assert found is not None and found.level == "attention" and found.do and found.cost
    assert "8 GiB, is in 200,000 pieces of 41.9 KiB on average" in found.sentence
    assert "a disk with heads 8.00 times as long" in found.sentence, "it passes over the rest"
    assert fragmentation.free_pieces(in_pieces(size, 2_000)) is None, "long pieces"
    assert fragmentation.free_pieces(in_pieces(size, 200_000, large=size // 2)) is None
    assert fragmentation.free_pieces(in_pieces(3 << 30, 200_000)) is None, "hardly any is free"
    assert fragmentation.free_pieces(in_pieces(size, 200_000, free={"extents": None})) is None


def test_btrfs_makes_chunks_of_what_is_in_none() -> None:
    source = {"file_system": "btrfs", "mount_point": "/srv"}
    found = fragmentation.free_pieces(in_pieces(8 << 30, 200_000, source=source))
    assert found is not None and found.do == "btrfs balance start -dusage=50 /srv"
    outside = {"unallocated_bytes": 9 << 30}
    whole = in_pieces(8 << 30, 200_000, source=source, free=outside)
    assert fragmentation.free_pieces(whole) is None
