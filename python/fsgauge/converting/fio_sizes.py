"""Block sizes of a job of fio's: one, several by weight, or a range, of reads and of writes."""

from __future__ import annotations

import math
import re

from fsgauge.converting.fio_job import DIRECTIONS, FioJob
from fsgauge.converting.groups import Group
from fsgauge.converting.job_file import Option
from fsgauge.units import exact_size

MOST_SIZES = 64


def put_sizes(job: FioJob, group: Group, kinds: tuple[str, ...]) -> list[int]:
    """Bytes of an operation, with weights where there are several; of writes their own."""
    source = job.option("bssplit") or job.option("bsrange") or job.option("bs")
    found = [sizes_of(job, DIRECTIONS[kind]) for kind in kinds]
    for what, drawn in zip(("block", "write_block"), found, strict=False):
        if what == "block" or drawn != found[0]:
            group.put_drawn(what, drawn, source)
    return sorted({size for drawn in found for size, _ in drawn})


def sizes_of(job: FioJob, direction: int) -> list[tuple[int, int]]:
    """Block sizes of reads or of writes, each with its weight."""
    split, wide = job.option("bssplit"), job.option("bsrange")
    if split is not None:
        return _split(job, split, job.of_direction("bssplit", "")[direction])
    if wide is not None:
        return _range(job, wide, job.of_direction("bsrange", "4k-4k")[direction])
    option, text = job.option("bs"), job.of_direction("bs", "4k")[direction]
    if "/" in text and not text.startswith("("):
        job.wrong(option, "one size; several with their shares are bssplit")
    size = job.size_in(option, text)
    if size < 1:
        job.wrong(option, "a size above 0")
    return [(size, 1)]


def _split(job: FioJob, option: Option, text: str) -> list[tuple[int, int]]:
    """ "4k/60:64k/40": what has no percentage, or 0, shares what is left. The largest share, of
    equals the last, has what is left of that."""
    found: list[tuple[int, int | None]] = []
    try:
        for each in filter(None, text.split(":")):
            size, _, percent = each.partition("/")
            found.append((job.size(size), int(percent or 0) or None))
            if percent and found[-1][1] is None:
                what = "a share of 0 is none in fio 3.33: that size has a part of what is left"
                job.note(option, what)
    except ValueError as error:
        job.wrong(option, f"SIZE/PERCENT:SIZE/PERCENT ({error})")
    open_ = [size for size, percent in found if percent is None]
    left = 100 - sum(percent for _, percent in found if percent is not None)
    if not found or left < 0 or (left == 100 and not open_):
        job.wrong(option, "percentages that add to 100")
    shares = [(size, left // len(open_) if percent is None else percent) for size, percent in found]
    largest = max(range(len(shares)), key=lambda place: (shares[place][1], place))
    rest = 100 - sum(share for _, share in shares)
    shares[largest] = shares[largest][0], shares[largest][1] + rest
    return _rounded(job, option, shares)


def _rounded(job: FioJob, option: Option, shares: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """fio cuts each size to a multiple of the smallest."""
    least = min(size for size, _ in shares)
    if least < 1:
        job.wrong(option, "sizes above 0")
    found: dict[int, int] = {}
    for size, share in shares:
        whole = size - size % least
        found[whole] = found.get(whole, 0) + share
        if whole != size:
            what = f"fio cuts {exact_size(size)} to {exact_size(whole)}, a multiple of the smallest"
            job.note(option, what)
    return [(size, share) for size, share in found.items() if share]


def _range(job: FioJob, option: Option, text: str) -> list[tuple[int, int]]:
    """Every multiple of the smallest, as likely as the others: fio's own draw. A largest size that
    is none has what is left."""
    match = re.fullmatch(r"(\w+)[-:](\w+)", text.strip())
    ends = match.groups() if match else ("0", "0")
    least, most = sorted(job.size_in(option, each) for each in ends)
    if least < 1:
        job.wrong(option, "SMALLEST-LARGEST")
    count, rest = divmod(most, least)
    if count > MOST_SIZES:
        job.refuse(option, f"more than {MOST_SIZES} sizes; the nearest is bssplit")
        return [(least, 1)]
    unit = math.gcd(least, rest)
    sizes = [(least * each, least // unit) for each in range(1, count + 1)]
    return [*sizes, (most, rest // unit)] if rest else sizes
