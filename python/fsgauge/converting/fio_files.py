"""Which files a job of fio's works on, how fast, and for how long."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fsgauge.converting import numbers
from fsgauge.converting.fio_job import READ, TRIM, WRITE, FioJob
from fsgauge.converting.fio_load import FILE_ENGINES
from fsgauge.converting.fio_requests import sizes_of
from fsgauge.converting.groups import Group
from fsgauge.converting.job_file import Option
from fsgauge.study.sweep import mean_bytes
from fsgauge.units import exact_bandwidth, exact_duration, exact_rate, exact_size

WHOLE_BYTES = 4 << 30
"""In the place of a whole device, whose size no job file says."""
_SERVICES = ("roundrobin", "random", "sequential", "zipf", "pareto", "normal", "gauss")
_SEPARATOR = re.compile(r"(?<!\\):")


def put_files(job: FioJob, group: Group, size_bytes: int | None) -> None:
    """Files, pace and times of a group. `size_bytes` stands for a whole device."""
    _files(job, group, size_bytes)
    _pace(job, group)
    _rests(job, group)
    _times(job, group)
    _note_fresh_files(job, group)


def _files(job: FioJob, group: Group, size_bytes: int | None) -> None:
    names = _names(job)
    jobs = job.positive("numjobs")
    group.put_jobs(jobs, job.option("numjobs"))
    count = len(names) or (job.positive("nrfiles") if _has_own(job, "filenum") else 1)
    is_own = not names and _has_own(job, "jobnum")
    own = jobs > 1 and (is_own or _has_value(job, "offset_increment"))
    if jobs > 1 and not own and group.keys.get("order", "random") != "random":
        what = "each job goes over its share of the files; in fio each goes over all of them"
        job.note(job.option("numjobs"), what)
    if not (group.is_plain or own) and jobs > count:
        shared = "filename" if names else "filename_format"
        job.refuse(shared, "each of its jobs has a file of its own; the nearest is no filename")
    each_bytes, source = _file_bytes(job, count, size_bytes)
    if job.engine == "filecreate":
        each_bytes = 0
    group.put_files(count, each_bytes, own=own, sources=[source])
    if count > 1 and job.engine not in FILE_ENGINES:
        _choose_files(job, group, count, each_bytes, named=bool(names))
    named = job.option("filename" if names or is_own else "filename_format")
    if _has_value(job, "offset_increment"):
        named = job.option("offset_increment")
    counted = job.option("filename" if len(names) > 1 else "nrfiles")
    for key, option in (("files_of_jobs", named or job.option("numjobs")), ("files", counted)):
        if key in group.keys:
            group.put(key, group.keys[key], option)
    call = group.keys.get("sync")
    if call in ("fsync", "fdatasync") and count > 1:
        job.refuse(str(call), "a job would sync all of its files; the nearest is nrfiles=1")


def _choose_files(job: FioJob, group: Group, count: int, each_bytes: int, *, named: bool) -> None:
    """Which of several files an operation falls on; fio has a place, or draws, in each of them. One
    file after the other is, in an order that is no walk, a turn of as many operations as a file has
    blocks."""
    service = job.option("file_service_type")
    given = service or job.option("filename" if named else "nrfiles")
    way = job.choice("file_service_type", _SERVICES)
    each = job.text("file_service_type", "").partition(":")[2]
    at_once = job.read("openfiles", numbers.size, 0) or count  # fio is done with these first
    if at_once == 1:
        way = "sequential"
    is_walk = group.keys.get("order") == "sequential" and not group.is_mixed
    if way == "sequential" and is_walk:  # in each file to its end
        return
    unlike = {"distribution", "random_percent"} & group.keys.keys()
    is_drawn_evenly = group.keys.get("order") == "random" and not unlike
    if way not in ("random", "roundrobin", "sequential"):
        why = "some files more often than others; the nearest is file_service_type=roundrobin"
    elif at_once < count and way != "sequential":
        given = job.option("openfiles")
        why = f"all files are used at a time; the nearest is openfiles={count}"
    elif way == "random" and is_drawn_evenly:
        return
    elif way == "random":
        why = "a file is drawn for each operation, with offsets of its own in each; the nearest is"
        why += " file_service_type=roundrobin"
    elif "apart" in group.keys:
        why = "fio restarts all files when reads or writes are at the end of theirs; the nearest"
        why += " is one file, or a group of each"
    elif group.is_plain and "verify" not in group.keys:
        if each and not each.isdecimal():
            job.wrong(service, f"{way}:OPERATIONS")
        block = mean_bytes(sizes_of(job, READ if group.does("read") else WRITE))
        turn = int(each or 1) if way == "roundrobin" else round(each_bytes / block)
        group.put("files_in_turns", max(turn, 1), given)
        return
    elif is_drawn_evenly:
        text = "blocks are drawn over all files together; fio takes its files in turns"
        job.note(service or "file_service_type is not set", text)
        return
    else:
        why = "what is verified is written file after file; the nearest is"
        why += " file_service_type=sequential"
    job.refuse(given, why)


def _names(job: FioJob) -> list[str]:
    """The names in filename: a colon separates them. None where fio makes one of its own up."""
    return [each for each in _SEPARATOR.split(job.text("filename", "")) if each]


def _has_value(job: FioJob, name: str) -> bool:
    return job.text(name, "0") != "0"


def _file_name(job: FioJob) -> str:
    """What tells whether two sections work on the same files. Those of one name do, too."""
    directory = job.text("directory", "")
    if _names(job):
        return f"{directory}/{job.text('filename', '')}"
    name = f"{job.section.name}/" if _has_own(job, "jobname") else ""
    return f"{directory}/{name}{job.text('filename_format', '')}"


def _has_own(job: FioJob, variable: str) -> bool:
    """Whether names differ by it: "jobname" of sections, "jobnum" of jobs, "filenum" of files."""
    return f"${variable}" in (job.text("filename_format", "") or "$jobname.$jobnum.$filenum")


def _file_bytes(job: FioJob, count: int, size_bytes: int | None) -> tuple[int, Option | None]:
    """Of one file, and the option that says so."""
    filesize, size = _sizes(job)
    block = max(512, -(-_least_block(job) // 512) * 512)  # files are whole sectors, too
    share = (size.value or "") if size else ""
    if filesize is not None and filesize.value:
        if re.search("[-:]", filesize.value):
            job.refuse(filesize, "files of several sizes; the nearest is a group of each")
            return block, filesize
        whole = _size(job, filesize)
        found = whole - _offset_bytes(job, whole)
        if share.endswith("%"):
            found = min(found, whole * job.percent("size", 100, "%") // 100)
        elif size and size.value != filesize.value:
            job.note(size, "a run lasts its time, not a number of bytes")
        return max(found, block), filesize
    if size and share and "%" not in share:
        return max(_size(job, size) // count // block * block, block), size
    if share.rstrip("%") not in ("", "100"):
        job.refuse(size, "a share of files that are not known here; the nearest is a size")
        return block, size
    said = size_bytes or WHOLE_BYTES
    about = size or job.option("filename") or job.option("ioengine") or "size is not set"
    what = f"fio goes over all of it; here files of {exact_size(said)} stand for it: --size SIZE"
    job.note(about, what)
    return max(said // count // block * block, block), size


def _sizes(job: FioJob) -> list[Option | None]:
    """filesize and size; 0 is all that there is, as without them."""
    return [job.option(name) if _has_value(job, name) else None for name in ("filesize", "size")]


def _offset_bytes(job: FioJob, whole: int) -> int:
    """Bytes at the start of each file that a job leaves out: fio's `offset`."""
    if _has_value(job, "offset_increment") and job.positive("numjobs") > 1:
        why = "regions of several sizes, each up to the end of the file; the nearest is size"
        job.refuse("filesize", why)
    option, text = job.option("offset"), job.text("offset", "0") or "0"
    try:
        found = whole * numbers.size(text[:-1]) // 100 if text.endswith("%") else job.size(text)
    except ValueError as error:
        job.wrong(option, str(error))
    if found >= whole:
        job.wrong(option, f"less than filesize, {exact_size(whole)}")
    return found


def _size(job: FioJob, option: Option) -> int:
    found = job.size_in(option, option.value or "")
    least = 1 if job.option("bssplit") or job.option("bsrange") else _least_block(job)
    if found < least:
        job.wrong(option, f"a block at least, {exact_size(least)}")
    return found


def _least_block(job: FioJob) -> int:
    """Of reads; what is no size is refused where the load is read."""
    try:
        return job.size(job.of_direction("bs", "4k")[READ])
    except ValueError:
        return 4096


def _pace(job: FioJob, group: Group) -> None:
    jobs = group.jobs
    paces = {"rate_iops": ("rate", exact_rate), "rate": ("bandwidth", exact_bandwidth)}
    for name, (key, words) in paces.items():
        option = job.option(name)
        if option is not None and (total := _total(job, option, group.operations)):
            group.put(key, words(total * jobs), option, job.option("numjobs") if jobs > 1 else None)
            process = job.choice("rate_process", ("linear", "poisson"))
            arrival = "exponential" if process == "poisson" else "constant"
            group.put("arrival", arrival, job.option("rate_process"))


def _total(job: FioJob, option: Option, operations: Mapping[str, int]) -> int:
    """Of one job. Reads and writes have paces of their own in fio: here one, by their weights. What
    is removed to be made again has a pace as well."""
    read, write, trim = (job.size_of(option.name, each, "0") for each in (READ, WRITE, TRIM))
    if "read" in operations and "write" in operations:
        in_bytes = option.name == "rate"
        sizes = [mean_bytes(sizes_of(job, each)) if in_bytes else 1 for each in (READ, WRITE)]
        if read * operations["write"] * sizes[1] != write * operations["read"] * sizes[0]:
            why = "reads and writes at paces that their shares do not have; the nearest is a group"
            job.refuse(option, f"{why} of each")
        return read + write
    if job.engine in FILE_ENGINES:
        return read * len(operations)
    reading = {"read", "mmap_read"} & operations.keys()
    return trim if "trim" in operations else read if reading else write


def _rests(job: FioJob, group: Group) -> None:
    rest_ns = job.time_ns("thinktime")
    if not rest_ns:
        return
    if group.keys.get("queue_depth", 1) != 1 or {"rate", "bandwidth"} & group.keys.keys():
        why = "a group rests with iodepth=1 and without a rate; the nearest is rate alone"
        job.refuse("thinktime", why)
    group.put("think", exact_duration(rest_ns), job.option("thinktime"))
    if (every := job.positive("thinktime_blocks")) > 1:
        group.put("think_every", every, job.option("thinktime_blocks"))


def _times(job: FioJob, group: Group) -> None:
    option = job.option("runtime")
    runtime_ns = job.time_ns("runtime")
    if runtime_ns:
        group.last(runtime_ns, option)
    elif job.engine not in FILE_ENGINES:
        job.note(
            job.option("time_based") or job.option("size") or "runtime is not set",
            "fio ends when all bytes are done; here a run lasts its time, and goes on at the start",
        )
    if runtime_ns and not job.switch("time_based") and job.option("size") is not None:
        job.note(option, "fio may be done with its bytes sooner; here a run lasts its time")
    group.warm_up_ns = job.time_ns("ramp_time")
    if re.search("[-:]", job.text("startdelay", "")):
        job.refuse("startdelay", "a start at a random time; the nearest is one delay")
        return
    group.start_after_ns = job.time_ns("startdelay")


def _note_fresh_files(job: FioJob, group: Group) -> None:
    """Writes go over what is there; fio's first pass, and each loop that removes, allocates. What
    it reads as well, or what has no size of its own, is there for fio, too."""
    goes_on = job.switch("time_based") or job.read("loops", numbers.size, 1) > 1
    if job.switch("unlink_each_loop") and goes_on and group.does("write"):
        why = "each loop makes its files again; the nearest is create, write_file and unlink"
        job.refuse("unlink_each_loop", why)
    is_there = group.does("read") or not any(_sizes(job)) or "/dev/" in job.text("filename", "")
    if group.does("write") and not is_there and not job.switch("overwrite"):
        what = "files are written whole before the first run, as with overwrite=1; fio writes into"
        job.note("overwrite is not set", f"{what} new ones")


def share_files(jobs: list[FioJob], groups: list[Group]) -> None:
    """Sections with one filename, or of one name, work on the files of the first of them."""
    owners: dict[str, Group] = {}
    lists: dict[str, str] = {}
    for job, group in zip(jobs, groups, strict=True):
        name, option = _file_name(job), job.option("filename")
        if _has_value(job, "offset") or _has_value(job, "offset_increment"):
            continue
        paths = (f"{job.text('directory', '')}/{each}" for each in _names(job))
        if any(lists.setdefault(each, name) != name for each in paths):
            what = "another section has some of these files, and others: here each has its own"
            job.note(option, what)
        owner = owners.setdefault(name, group)
        if owner is group:
            continue
        if not (group.is_plain and owner.is_plain):
            why = "only sections that read and write share files; the nearest is one for each"
            job.refuse(option, why)
        if group.bytes_of_files > owner.bytes_of_files:
            for key in ("file_sizes", "files"):
                if key in group.keys:
                    owner.put(key, group.keys[key], *group.sources[key])
            owner.bytes_of_files = group.bytes_of_files
        if "verify" in group.keys:
            job.refuse("verify", "what is verified has files of its own")
        group.share_files(owner, job.findings, option or job.option("filename_format"))
