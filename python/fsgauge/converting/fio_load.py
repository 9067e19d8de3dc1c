"""What a job of fio's does: which operations, how many at a time, how durable."""

from __future__ import annotations

from fsgauge.converting import numbers
from fsgauge.converting.fio_job import FioJob
from fsgauge.converting.fio_requests import put_order, put_sizes
from fsgauge.converting.groups import Group
from fsgauge.converting.job_file import Option
from fsgauge.study.other_tools import tools

PATTERNS = {
    "read": ("read",),
    "write": ("write",),
    "rw": ("read", "write"),
    "readwrite": ("read", "write"),
    "trim": ("trim",),
}
_NO_PLACE = ("pattern", "pattern_hdr", "null")
"""Ways to verify that other_tools.toml does not have."""
FILE_ENGINES = {"filecreate": "create", "filestat": "stat", "filedelete": "unlink"}


def put_load(job: FioJob, group: Group) -> None:
    if job.engine in FILE_ENGINES:  # once for each file; here it goes on doing so
        source = job.option("ioengine")
        group.put_operations({FILE_ENGINES[job.engine]: 1}, job.findings, source)
        group.put("interface", "psync", source)
        if job.engine == "filestat":
            job.note(source, "files are asked for again for the whole time; in fio once each")
        return
    pattern = job.option("rw")
    name, _, step = job.text("rw", "read").partition(":")
    is_random = name.startswith("rand")
    kinds = PATTERNS.get(name.removeprefix("rand"))
    if kinds is None:
        if "trimwrite" in name:
            job.refuse(pattern, "each block trimmed, then written, is another load")
        else:
            job.wrong(pattern, ", ".join(f"{each}, rand{each}" for each in PATTERNS))
        kinds = ("write",)
    _operations(job, group, kinds, pattern)
    kinds = tuple(kind for kind in kinds if group.does(kind)) or kinds
    sizes = put_sizes(job, group, kinds)
    put_order(job, group, kinds, (is_random, step, pattern), sizes)
    _queue(job, group, kinds, sizes)
    _sync(job, group, kinds)
    _verify(job, group, kinds, sizes)


def _operations(job: FioJob, group: Group, kinds: tuple[str, ...], pattern: Option | None) -> None:
    weights = dict.fromkeys(kinds, 1)
    read_percent, write_percent = job.percent("rwmixread", -1), job.percent("rwmixwrite", -1)
    sources = [job.option("rwmixread"), job.option("rwmixwrite")]
    if len(kinds) == 2:
        last = job.last_of("rwmixread", "rwmixwrite")
        adds = read_percent + write_percent == 100
        job.require_one_of("rwmixread", "rwmixwrite", agree=adds)
        share = 50 if read_percent < 0 else read_percent
        if last is not None and last is sources[1]:
            share = 100 - write_percent
        weights = {kind: w for kind, w in (("read", share), ("write", 100 - share)) if w}
    if job.engine == "mmap":
        if "write" in weights or "trim" in weights:
            job.refuse("ioengine", "stores to mapped files are not measured; psync is nearest")
        weights = {"mmap_read": 1}
    group.put("operations", weights, pattern, *(sources if len(kinds) == 2 else ()))


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
    if batch < 0:
        job.wrong(job.option("iodepth_batch"), "0 or more")
    if min(batch, depth) > 1:
        group.put("submit_batch", min(batch, depth), job.option("iodepth_batch"))
    # buffered is the opposite: the last of them counts, as in fio.
    direct, unbuffered = job.switch("direct"), not job.switch("buffered")
    job.require_one_of("direct", "buffered", agree=direct == unbuffered)
    said = job.last_of("direct", "buffered")
    direct = unbuffered if said and said is job.option("buffered") else direct
    group.put("direct", direct, said)
    if not direct and "read" in kinds and job.option("fadvise_hint") is None:
        what = "fio tells the kernel whether it reads at random; here it finds out by itself"
        job.note("fadvise_hint is not set", what)
    if direct and any(size % 512 for size in sizes):
        job.refuse(said, "direct I/O moves whole sectors of 512 B; the nearest is direct=0")


def _sync(job: FioJob, group: Group, kinds: tuple[str, ...]) -> None:
    if "write" not in kinds:
        return
    option = job.option("sync")
    word = job.text("sync", "none") if option is None or option.value else "sync"
    if option is not None and word == "dsync":
        group.put("sync", "dsync", option)
    elif option is not None and word not in ("none", "0"):
        job.refuse(option, "O_SYNC is not measured; the nearest is sync=dsync")
    way = group.keys.get("sync", "")
    for name in ("fsync", "fdatasync"):
        every, call = job.read(name, numbers.size, 0), job.option(name)
        if not every:
            continue
        if way:
            job.refuse(call, f"{way} and {name} in one group; the nearest is one of them")
        elif group.keys.get("queue_depth", 1) != 1:
            why = "other writes are in flight while fio calls it; the nearest is iodepth=1"
            job.refuse(call, why)
        else:
            group.put("sync", name, call)
            group.put("sync_every", every, call)
        way = way or name


def _verify(job: FioJob, group: Group, kinds: tuple[str, ...], sizes: list[int]) -> None:
    option = job.option("verify")
    ways = next(word.values for word in tools()["fio"].words if word.word == "verify")
    job.choice("verify", [*ways, *_NO_PLACE])
    if option is None or option.value in ("0", "none") or "write" not in kinds:
        return  # of readers, see fio.py
    if option.value in _NO_PLACE:
        job.refuse(option, f"{option.value} checks no place: the nearest is verify=crc32c")
        return
    if not job.switch("do_verify", usual=True):
        job.note(job.option("do_verify"), "nothing is verified by this group")
        return
    plain = group.keys.get("order") in ("sequential", "random") and "distribution" not in group.keys
    if kinds != ("write",) or len(sizes) > 1 or not plain or sizes[0] % 512:
        why = "verified are writes alone, of one size in whole sectors, sequential or evenly random"
        job.refuse(option, why)
        return
    group.put("verify", True, option)
