"""What a job of fio's does: which operations, of which sizes, at which offsets, how deep."""

from __future__ import annotations

import re

from fsgauge.converting import numbers
from fsgauge.converting.fio_job import READ, TRIM, WRITE, FioJob
from fsgauge.converting.groups import Group
from fsgauge.converting.job_file import Option
from fsgauge.units import exact_percent, exact_size

PATTERNS = {
    "read": ("read",),
    "write": ("write",),
    "rw": ("read", "write"),
    "readwrite": ("read", "write"),
    "trim": ("trim",),
}
MOST_SIZES = 64
FILE_ENGINES = {"filecreate": "create", "filestat": "stat", "filedelete": "unlink"}


def put_load(job: FioJob, group: Group) -> None:
    if job.engine in FILE_ENGINES:  # once for each file; here it goes on doing so
        source = job.option("ioengine")
        group.put_operations({FILE_ENGINES[job.engine]: 1}, job.findings, source)
        group.put("interface", "psync", source)
        return
    pattern = job.option("rw")
    name, _, step = job.text("rw", "read").partition(":")
    is_random = name.startswith("rand")
    kinds = PATTERNS.get(name.removeprefix("rand"))
    if kinds is None:
        if pattern and "trimwrite" in name:
            job.refuse(pattern, "each block trimmed, then written, is another load")
        elif pattern:
            job.wrong(pattern, ", ".join(f"{each}, rand{each}" for each in PATTERNS))
        kinds = ("write",)
    _operations(job, group, kinds, pattern)
    sizes = _sizes(job, group, kinds)
    _order(job, group, kinds, (is_random, step, pattern), sizes)
    _queue(job, group, kinds, sizes)
    _sync(job, group, kinds)
    _verify(job, group, kinds, sizes)


def _operations(job: FioJob, group: Group, kinds: tuple[str, ...], pattern: Option | None) -> None:
    weights = dict.fromkeys(kinds, 1)
    read_percent = job.read("rwmixread", numbers.size, -1)
    write_percent = job.read("rwmixwrite", numbers.size, -1)
    sources = [job.option("rwmixread"), job.option("rwmixwrite")]
    if len(kinds) == 2:
        given = list(job.section.options)
        by_write = write_percent >= 0 and (
            read_percent < 0 or given.index("rwmixwrite") > given.index("rwmixread")
        )
        adds = read_percent + write_percent == 100
        job.require_one_of("rwmixread", "rwmixwrite", agree=adds)
        share = 100 - write_percent if by_write else 50 if read_percent < 0 else read_percent
        if not 0 <= share <= 100:
            job.wrong(next(each for each in sources if each), "0 to 100")
        weights = {kind: w for kind, w in (("read", share), ("write", 100 - share)) if w}
    if job.engine == "mmap":
        if "write" in weights or "trim" in weights:
            source = job.option("ioengine") or job.section.head
            job.refuse(source, "stores to mapped files are not measured; psync is nearest")
        weights = {"mmap_read": 1}
    group.put("operations", weights, pattern, *(sources if len(kinds) == 2 else ()))


def _sizes(job: FioJob, group: Group, kinds: tuple[str, ...]) -> list[int]:
    """Bytes of an operation, with weights where there are several; of writes their own."""
    align = job.option("ba")
    source = job.option("bssplit") or job.option("bsrange") or job.option("bs")
    found: list[list[tuple[int, int]]] = []
    for kind in [each for each in kinds if group.does(each)] or kinds:
        direction = {"read": READ, "write": WRITE, "trim": TRIM}[kind]
        found.append(sizes_of(job, direction))
        asked = job.size(job.of_direction("ba", "0")[direction]) if align is not None else 0
        if align is not None and asked not in (0, min(size for size, _ in found[-1])):
            job.refuse(align, "offsets are multiples of the smallest block alone")
    for key, drawn in zip(("block", "write_block"), found, strict=False):
        if key != "block" and drawn == found[0]:
            continue
        sizes, weights = [exact_size(size) for size, _ in drawn], [weight for _, weight in drawn]
        group.put(f"{key}_sizes", sizes if len(sizes) > 1 else sizes[0], source)
        if len(set(weights)) > 1:
            group.put(f"{key}_weights", weights, source)
    return sorted({size for drawn in found for size, _ in drawn})


def sizes_of(job: FioJob, direction: int) -> list[tuple[int, int]]:
    """Block sizes of reads or of writes, each with its weight."""
    split, wide = job.option("bssplit"), job.option("bsrange")
    if split is not None:
        text = job.of_direction("bssplit", "")[direction]
        return _split(job, split, text)
    if wide is not None:
        text = job.of_direction("bsrange", "4k-4k")[direction]
        return _range(job, wide, text)
    option = job.option("bs")
    text = job.of_direction("bs", "4k")[direction]
    try:
        size = job.size(text)
    except ValueError as error:
        assert option is not None  # noqa: S101 - 4k is a size
        job.wrong(
            option, "one size; several with their shares are bssplit" if "/" in text else str(error)
        )
    if size < 1 and option is not None:
        job.wrong(option, "a size above 0")
    return [(size, 1)]


def _split(job: FioJob, option: Option, text: str) -> list[tuple[int, int]]:
    """ "4k/60:64k/40": what has no percentage shares what is left. The largest share, of equals the
    last, has what is left of that."""
    found: list[tuple[int, int | None]] = []
    try:
        for each in filter(None, text.split(":")):
            size, _, percent = each.partition("/")
            found.append((job.size(size), int(percent) if percent else None))
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
    return [(size, share) for size, share in shares if share]


def _range(job: FioJob, option: Option, text: str) -> list[tuple[int, int]]:
    """Every multiple of the smallest up to the largest, as likely as the others: fio's own draw."""
    match = re.fullmatch(r"(\w+)[-:](\w+)", text.strip())
    try:
        least, most = sorted(job.size(each) for each in match.groups()) if match else (0, 0)
    except ValueError as error:
        job.wrong(option, str(error))
    if least < 1 or most % least or most // least > MOST_SIZES:
        if match is None or least < 1:
            job.wrong(option, "SMALLEST-LARGEST")
        job.refuse(option, f"more than {MOST_SIZES} sizes; the nearest is bssplit")
        return [(least, 1)]
    return [(least * each, 1) for each in range(1, most // least + 1)]


def _order(
    job: FioJob,
    group: Group,
    kinds: tuple[str, ...],
    asked: tuple[bool, str, Option | None],
    sizes: list[int],
) -> None:
    is_random, step, pattern = asked
    source = pattern or job.option("ioengine")
    if not is_random and not group.is_plain and source:
        job.refuse(source, f"its places are random; the nearest is rw=rand{kinds[0]}")
    if is_random:
        if step and pattern and step != "1":
            job.refuse(
                pattern, "several operations from one random offset; the nearest is random_percent"
            )
        group.put("order", "random", pattern)
        _zoned(job, is_sequential=False)
        _random(job, group, kinds, sizes)
        return
    group.put("order", "sequential", pattern)
    _zoned(job, is_sequential=True)
    if step and pattern:
        _strided(job, group, step, pattern, sizes)
    if len(kinds) == 2 and group.is_mixed:
        group.put("apart", True, pattern)


def _zoned(job: FioJob, *, is_sequential: bool) -> None:
    """zonemode=zbd of a sequential job is the same on storage without zones."""
    option, zone = job.option("zonemode"), job.option("zonesize")
    is_none = option is None or option.value in ("none", "0")
    if is_none and zone is not None and zone.value not in (None, "0"):
        job.wrong(zone, "0 without a zonemode")
    if option is None or is_none or (is_sequential and option.value == "zbd"):
        return
    why = "its offsets depend on zones, which are not measured; the nearest is order strided"
    job.refuse(option, why)


def _strided(job: FioJob, group: Group, step: str, pattern: Option, sizes: list[int]) -> None:
    """ "read:124k" leaves 124 KiB out behind each; "read:-8k" of 4 KiB goes backwards."""
    try:
        gap = job.size(step)
    except ValueError as error:
        job.wrong(pattern, str(error))
    if len(sizes) > 1:
        job.refuse(pattern, "a step between operations of several sizes")
    elif gap > 0:
        group.put("order", "strided", pattern)
        group.put("stride", exact_size(sizes[0] + gap), pattern)
    elif gap == -2 * sizes[0]:
        group.put("order", "backwards", pattern)
    elif gap:
        job.refuse(
            pattern,
            f"a step back of {exact_size(-gap)}; the nearest is {exact_size(2 * sizes[0])}, which"
            " walks backwards block by block",
        )


def _random(job: FioJob, group: Group, kinds: tuple[str, ...], sizes: list[int]) -> None:
    shares = job.of_direction("percentage_random", "100")
    share, option = shares[WRITE if kinds == ("write",) else READ], job.option("percentage_random")
    if option is not None and group.is_mixed and shares[READ] != shares[WRITE]:
        job.refuse(option, "one share for reads and writes; the nearest is a group of each")
    if share != "100":
        group.put("random_percent", exact_percent(float(share)), option)
        if group.is_mixed:
            group.put("apart", True, option)
    option = job.option("random_distribution")
    if option is None or option.value in (None, "random"):
        if not job.switch("norandommap") and not job.switch("softrandommap"):
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
    job.note("norandommap is not set", what)


def _distribution(job: FioJob, option: Option) -> dict[str, str | float | list[str] | list[int]]:
    given = job.of_direction("random_distribution", "random")
    kind, _, rest = given[READ].partition(":")
    if len(set(given)) > 1 or (kind != "zoned" and ":" in rest):
        job.refuse(option, "one distribution for all operations, its centre at the start")
        return {}
    try:
        if kind == "zipf":
            return {"distribution": "zipf", "zipf_theta": float(rest or 1.1), "hashed": True}
        if kind == "pareto":
            return {"distribution": "pareto", "pareto_h": float(rest or 0.2), "hashed": True}
        if kind == "normal":
            float(rest)
            why = (
                "fio spreads it over the whole space by a hash, its deviation on top of one of 8 %;"
                " the nearest is zipf"
            )
            job.refuse(option, why)
            return {}
        if kind == "zoned":
            return _zones(rest)
    except ValueError as error:
        job.wrong(option, f"zipf:THETA, pareto:H, normal:DEVIATION or zoned:... ({error})")
    job.refuse(option, f"{kind}; known here: random, zipf, pareto, normal, zoned")
    return {}


def _zones(text: str) -> dict[str, str | float | list[str] | list[int]]:
    """ "50/5:30/15:20/": half of all in the first twentieth; the last share is what is left."""
    weights: list[int] = []
    sizes: list[float] = []
    for each in text.split(":"):
        weight, _, size = each.partition("/")
        weights.append(int(weight))
        sizes.append(float(size) if size else 100 - sum(sizes))
    if sum(sizes) != 100 or sum(weights) != 100:
        raise ValueError("shares that add to 100")
    return {
        "distribution": "zones",
        "zone_sizes": [exact_percent(each) for each in sizes],
        "zone_weights": weights,
    }


def _queue(job: FioJob, group: Group, kinds: tuple[str, ...], sizes: list[int]) -> None:
    source = job.option("ioengine")
    if kinds == ("trim",) or job.engine == "mmap":
        group.put("interface", "psync", source)
        if job.depth > 1:
            job.note(job.option("iodepth"), "one trim is in flight, as fio's own are")
        return
    depth = job.depth
    if depth > 1:
        group.put("queue_depth", depth, job.option("iodepth"))
    calls = "io_uring" if job.is_asynchronous else "psync"
    group.put("interface", "libaio" if job.engine == "libaio" else calls, source)
    batch = job.read("iodepth_batch", numbers.size, 1) or depth
    if batch > 1 and depth > 1:
        group.put("submit_batch", min(batch, depth), job.option("iodepth_batch"))
    direct, said = _bypasses_cache(job)
    group.put("direct", direct, said)
    if not direct and "read" in kinds and job.option("fadvise_hint") is None:
        job.note(
            "fadvise_hint is not set",
            "fio tells the kernel whether it reads at random; here it finds out by itself",
        )
    if direct and said is not None and any(size % 512 for size in sizes):
        job.refuse(said, "direct I/O moves whole sectors of 512 B; the nearest is direct=0")


def _bypasses_cache(job: FioJob) -> tuple[bool, Option | None]:
    """By direct or by buffered, which is its opposite: the last of them counts, as in fio."""
    direct, buffered = job.option("direct"), job.option("buffered")
    answers = job.switch("direct"), not job.switch("buffered")
    job.require_one_of("direct", "buffered", agree=answers[0] == answers[1])
    given = list(job.section.options.values())
    if buffered is None or (direct is not None and given.index(direct) > given.index(buffered)):
        return answers[0], direct
    return answers[1], buffered


def _sync(job: FioJob, group: Group, kinds: tuple[str, ...]) -> None:
    if "write" not in kinds:
        return
    option = job.option("sync")
    word = job.text("sync", "none") if option is None or option.value else "sync"
    if option is not None and word == "dsync":
        group.put("sync", "dsync", option)
    elif option is not None and word not in ("none", "0"):
        job.refuse(option, "O_SYNC is not measured; the nearest is sync=dsync")
    ways = [str(each) for each in (group.keys.get("sync"),) if each]
    for name in ("fsync", "fdatasync"):
        every, call = job.read(name, numbers.size, 0), job.option(name)
        if not every or call is None:
            continue
        if ways:
            job.refuse(call, f"{ways[0]} and {name} in one group; the nearest is one of them")
        elif group.keys.get("queue_depth", 1) != 1:
            job.refuse(call, "no write is in flight while it is called; the nearest is iodepth=1")
        else:
            group.put("sync", name, call)
            group.put("sync_every", every, call)
        ways.append(name)


def _verify(job: FioJob, group: Group, kinds: tuple[str, ...], sizes: list[int]) -> None:
    option = job.option("verify")
    if option is None or option.value in ("0", "none") or "write" not in kinds:
        return  # of readers, see fio.py
    if option.value in ("pattern", "pattern_hdr", "null"):
        job.refuse(option, f"{option.value} checks no place: the nearest is verify=crc32c")
        return
    if not job.switch("do_verify", usual=True):
        job.note(job.option("do_verify"), "nothing is verified by this group")
        return
    plain = group.keys.get("order") in ("sequential", "random") and "distribution" not in group.keys
    if kinds != ("write",) or len(sizes) > 1 or not plain or sizes[0] % 512:
        job.refuse(
            option,
            "verified are writes alone, of one size in whole sectors, sequential or evenly random",
        )
        return
    group.put("verify", True, option)
