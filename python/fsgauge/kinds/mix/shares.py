"""What of a group's files each of its jobs has, and whether that is enough for what it does."""

from __future__ import annotations

from fsgauge.kinds.mix.group import Group
from fsgauge.kinds.mix.group_keys import AT_A_PLACE
from fsgauge.study.base import conflict
from fsgauge.study.file_sizes import FileSizes, weighted
from fsgauge.study.sweep import places_to_verify
from fsgauge.units import count, exact_size

_OF_CONTENTS = frozenset({*AT_A_PLACE, "truncate"})
"""Operations that an empty file does not let a job do."""
_HARDLY_EVER = 1e-3


def require_contents(group: Group, index: int) -> None:
    """Raise a conflict where a job finds no file for what it does, as all of its own are empty.
    `index` is the group's in the mix."""
    needing = [name for name in group.operations if name in _OF_CONTENTS]
    if group.is_plain or not needing:
        return
    empty_handed = _jobs_without_contents(group)
    needs_them_always = len(needing) == len(group.operations)
    at_work = group.jobs - empty_handed
    if at_work < _HARDLY_EVER or (needs_them_always and empty_handed > _HARDLY_EVER):
        files = "its files are" if group.jobs == 1 else "all files of a job may be"
        raise conflict(
            f"{needing[0]} needs contents, and {files} empty",
            [("group", index, "operations", needing[0]), ("group", index, "file_sizes")],
            next='file_sizes without "0 B"',
        )


def _jobs_without_contents(group: Group) -> float:
    """How many jobs have empty files alone: job n has every jobs-th file from number n on. Of sizes
    that are drawn it is the mean."""
    if FileSizes.of(group).is_log_normal:
        return 0.0
    if not group.size_weights:
        sizes, jobs = group.file_sizes, group.jobs
        parts = (range(job, min(group.files, job + jobs * len(sizes)), jobs) for job in range(jobs))
        return sum(all(sizes[file % len(sizes)] == 0 for file in part) for part in parts)
    drawn = weighted(group.file_sizes, group.size_weights)
    empty = sum(weight for size, weight in drawn if size == 0)
    share = empty / sum(weight for _, weight in drawn)
    return float(group.jobs * share ** (group.files // group.jobs))


def require_places(group: Group, owner: Group, index: int) -> None:
    """Raise a conflict where jobs of a group of reads and writes have no block each, or too few to
    be verified. `owner` has the files, and `index` is the group's in the mix."""
    if not group.is_plain:
        return
    whose = "files_of" if group.files_of else "file_sizes"
    block_bytes = group.largest_block_bytes
    of_a_file = min(owner.file_sizes) // block_bytes
    is_own = group is owner and group.jobs > 1 and group.files_of_jobs == "own"
    if group.verify:
        shared_by = 1 if is_own else group.jobs
        places = of_a_file * group.files // shared_by
        needed = places_to_verify(group.queue_depth)
        if places < needed:
            shallower = f"queue_depth = {places // 2}, or " if places > 1 else ""
            raise conflict(
                f"a job has {count(places, 'block')} of {exact_size(block_bytes)}, and to verify at"
                f" a queue depth of {group.queue_depth} takes {needed} or more",
                [("group", index, key) for key in ("verify", "queue_depth", whose)],
                next=f"{shallower}larger files, or verify = false",
            )
        return
    places = of_a_file * (1 if group.files_in_turns else owner.file_count)
    if group.order != "random" and not is_own and places < group.jobs:
        raise conflict(
            f"{group.jobs} jobs each go over a part of their own, and there are"
            f" {count(places, 'block')} of {exact_size(block_bytes)}",
            [("group", index, key) for key in ("jobs", "order", whose)],
            next=f"jobs = {places}, larger files, or smaller blocks",
        )
