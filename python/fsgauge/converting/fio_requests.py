"""Requests of a job of fio's. Their sizes: one, several by weight, or a range, of reads and of
writes. Their offsets: in order, with steps, or drawn, and how these spread."""

from __future__ import annotations

import math
import re

from fsgauge.converting.fio_job import DIRECTIONS, READ, WRITE, FioJob
from fsgauge.converting.groups import Group
from fsgauge.converting.job_file import Option
from fsgauge.units import exact_percent, exact_size

Distribution = dict[str, str | float | list[str] | list[int]]
"""Keys of a group, with their values."""
MOST_SIZES = 64
_GENERATORS = ("tausworthe", "lfsr", "tausworthe64")
_TAKEN = "zipf:THETA, which is not 1, pareto:H or zoned:WEIGHT/SIZE:..., which add to 100 each"
_SHAPES = {"zipf": ("zipf_theta", 1.1), "pareto": ("pareto_h", 0.2)}


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
    except ValueError:
        job.wrong(option, "SIZE/PERCENT:SIZE/PERCENT")
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


def put_order(
    job: FioJob,
    group: Group,
    kinds: tuple[str, ...],
    asked: tuple[bool, str, Option | None],
    sizes: list[int],
) -> None:
    """Where requests go. `asked`: whether at random, what stands behind the colon of rw, and rw."""
    is_random, step, pattern = asked
    group.put("order", "random" if is_random else "sequential", pattern)
    if not (is_random or group.is_plain):
        what = "a trim" if "trim" in kinds else f"a read of {job.engine}"
        why = f"{what} is at a random place; the nearest is rw=rand{kinds[0]}"
        job.refuse(pattern or "ioengine", why)
    if is_random and step not in ("", "1"):
        why = "several operations from one random offset; the nearest is random_percent"
        job.refuse(pattern, why)
    _zoned(job, is_random=is_random)
    if is_random:
        _random(job, group, kinds, sizes)
        _align(job, group, kinds)
        return
    if step and pattern:
        _strided(job, group, step, pattern, sizes)
    if group.is_mixed:
        group.put("apart", True, pattern)


def _zoned(job: FioJob, *, is_random: bool) -> None:
    """zonemode=zbd of a sequential job is the same on storage without zones. A zonesize alone is
    zonemode=strided."""
    mode, is_sized = job.text("zonemode", ""), job.text("zonesize", "0") != "0"
    if mode in ("none", "0"):
        if is_sized:
            job.wrong(job.option("zonesize"), "0 with zonemode=none")
    elif (mode or is_sized) and (is_random or mode != "zbd"):
        why = "its offsets depend on zones, which are not measured; the nearest is order strided"
        job.refuse("zonemode" if mode else "zonesize", why)


def _strided(job: FioJob, group: Group, step: str, pattern: Option, sizes: list[int]) -> None:
    """ "read:124k" leaves 124 KiB out behind each; "read:-8k" of 4 KiB goes backwards."""
    gap = job.size_in(pattern, step)
    if len(sizes) > 1:
        job.refuse(pattern, "a step between operations of several sizes")
    elif gap > 0:
        group.put("order", "strided", pattern)
        group.put("stride", exact_size(sizes[0] + gap), pattern)
    elif gap == -2 * sizes[0]:
        group.put("order", "backwards", pattern)
    elif gap:
        near = f"{exact_size(2 * sizes[0])}, which walks backwards block by block"
        job.refuse(pattern, f"a step back of {exact_size(-gap)}; the nearest is {near}")


def _random(job: FioJob, group: Group, kinds: tuple[str, ...], sizes: list[int]) -> None:
    shares = job.of_direction("percentage_random", "100")
    share, option = shares[DIRECTIONS[kinds[0]]], job.option("percentage_random")
    if group.is_mixed and shares[READ] != shares[WRITE]:
        job.refuse(option, "one share for reads and writes; the nearest is a group of each")
    if share != "100":
        if not share.isdecimal() or int(share) > 100:
            job.wrong(option, "0 to 100")
        group.put("random_percent", exact_percent(int(share)), option)
        if group.is_mixed:
            group.put("apart", True, option)
    option = job.option("random_distribution")
    if option is None or option.value in (None, "random"):
        generator = job.choice("random_generator", _GENERATORS)
        if not job.switch("norandommap") or generator == "lfsr":
            _each_once(job, group, is_part=share != "100", sizes=sizes)
        return
    found = _distribution(job, option)
    for key, value in found.items():
        group.put(key, value, option)
    if "write_block_sizes" in group.keys and "hashed" in found:
        why = "reads and writes of unlike sizes would not meet; the nearest is zoned, or one size"
        job.refuse(option, why)


def _each_once(job: FioJob, group: Group, *, is_part: bool, sizes: list[int]) -> None:
    """fio's map of blocks that were taken: each comes once before any comes again."""
    if len(sizes) > 1:
        what = "sizes keep their shares; fio cuts blocks short at those that were taken"
    elif is_part or not group.is_plain:
        what = "offsets are drawn independently; fio takes each block once before any comes again"
    else:
        group.put("each_once", True)
        return
    name = "random_generator=lfsr" if job.switch("norandommap") else "norandommap is not set"
    job.note(name, what)


def _align(job: FioJob, group: Group, kinds: tuple[str, ...]) -> None:
    """Another distance of places than the smallest block; fio then takes them more than once."""
    option = job.option("ba")
    if option is None:
        return
    least = [min(size for size, _ in sizes_of(job, DIRECTIONS[kind])) for kind in kinds]
    asked = [job.size_of("ba", DIRECTIONS[kind], "0") for kind in kinds]
    if all(each in (0, usual) for each, usual in zip(asked, least, strict=True)):
        return
    if group.keys.pop("each_once", None):
        job.note(option, "offsets are drawn independently of one another, as with it")
    is_hindered = {"random_percent", "hashed"} & group.keys.keys()
    if is_hindered or not group.is_plain or len(set(asked)) > 1:
        why = "one distance of offsets that are drawn, evenly or by zones; the nearest is a smaller"
        job.refuse(option, f"{why} block")
        return
    group.put("align", exact_size(asked[0]), option)


def _distribution(job: FioJob, option: Option) -> Distribution:
    given = job.of_direction("random_distribution", "random")
    kind, _, rest = given[READ].partition(":")
    if len(set(given)) > 1 or (not kind.startswith("zoned") and ":" in rest):
        job.refuse(option, "one distribution for all operations, its centre at the start")
        return {}
    why = f"{kind}; known here: random, zipf, pareto, zoned"
    try:
        if kind in _SHAPES:
            key, usual = _SHAPES[kind]
            if (shape := float(rest or usual)) == 1:
                raise ValueError("fio refuses it")
            return {"distribution": kind, key: shape, "hashed": True}
        if kind == "zoned":
            return _zones(rest)
        if kind == "normal":
            float(rest)
            why = "fio spreads it over the whole space by a hash, its deviation on top of one of"
            why += " 8 %; the nearest is zipf"
    except ValueError:
        job.wrong(option, _TAKEN)
    job.refuse(option, why)
    return {}


def _zones(text: str) -> Distribution:
    """ "50/5:30/15:20/": half of all in the first twentieth; the last share is what is left."""
    weights: list[int] = []
    sizes: list[float] = []
    for each in text.split(":"):
        weight, _, size = each.partition("/")
        weights.append(int(weight))
        sizes.append(float(size) if size else 100 - sum(sizes))
    if sum(sizes) != 100 or sum(weights) != 100:
        raise ValueError("shares that add to 100")
    zones = [exact_percent(each) for each in sizes]
    return {"distribution": "zones", "zone_sizes": zones, "zone_weights": weights}
