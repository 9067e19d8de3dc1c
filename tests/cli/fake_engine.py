"""An engine that does no I/O: answers each job with plausible events, for tests of commands.

FSGAUGE_FAKE_ENGINE_MODE: unset, "fail" (an I/O error in each load), "garbage", "silent" (ends at
once), "hang" (until it is told to stop), "slow" (a scan that goes on until SIGINT; it makes the
file FSGAUGE_FAKE_ENGINE_READY first), "slow age" (the same of ageing), "refuse" (a scan that cannot
be), "no space" (ageing ends early), "full" (most clients of a write find no space), "bad" (one file
is given up, one record is bad).
FSGAUGE_FAKE_ENGINE_ALIGNMENT: what direct I/O needs, in bytes; "none" where there is no direct I/O.

begin_engine.py is the program. A study starts it some seventy times, so it imports what C offers:
json, hashlib, pathlib and signal take twice as long to import as the interpreter to begin.
"""

# ruff: noqa: PTH112, PTH118, PTH123
import os
import sys
import time
from _json import encode_basestring_ascii, make_encoder, make_scanner

try:
    from _sha2 import sha256  # Python 3.12
except ImportError:
    from _sha256 import sha256


class _Reading:
    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


def read(text):
    return make_scanner(_Reading)(text.strip(), 0)[0]


def written(value):
    encoder = make_encoder(
        None, None, encode_basestring_ascii, None, ": ", ", ", False, False, True
    )
    return "".join(encoder(value, 0))


def touch(*path):
    with open(os.path.join(*path), "a"):
        pass


ENGINE = {"version": "0.1.0", "profile": "release", "target": "fake", "commit": "fake"}
_RINGS = ("registered_files", "registered_buffers", "registered_ring", "no_sqarray")
FEATURES = dict.fromkeys((*_RINGS, "single_issuer", "defer_taskrun", "coop_taskrun"), True)


def say(event, **facts):
    print(written({"event": event, **facts}), flush=True)


def until_stopped(event, **facts):
    """The same event again and again; whether SIGINT ended it."""
    import signal

    stopped = []
    signal.signal(signal.SIGINT, lambda *_: stopped.append(True))
    until = time.monotonic() + 30
    touch(os.environ["FSGAUGE_FAKE_ENGINE_READY"])
    while not stopped and time.monotonic() < until:
        say(event, **facts)
        time.sleep(0.05)
    return bool(stopped)


def measured(interval, done, threads):
    """What the results of both kinds of loads have: a series of one interval, which is said too."""
    elapsed_ns = interval["elapsed_ns"]
    say("interval", **interval)
    return {
        "started_unix_ns": time.time_ns(),
        "elapsed_ns": elapsed_ns,
        "cpu": {"user_ns": 200 * done, "system_ns": 800 * done, "threads": threads},
        "machine_cpu": {"busy_ns": elapsed_ns, "total_ns": 2 * elapsed_ns},
        "intervals": [interval],
        "self_measure": {
            "null_ns_per_operation": 60.0,
            "clock_ns_per_read": 20.0,
            "clock": "tsc",
            "stamps": "batch",
        },
    }


def not_judged(rounds, reason):
    return {"judged": False, "reached": False, "rounds": rounds, "reason": reason}


def wobble_of(place, seed):
    """From 0 to 1, by what is loaded: systems differ a little and repeatably."""
    text = written(place) + str(seed)
    return int(sha256(text.encode()).hexdigest(), 16) % 1000 / 1000


def histogram(operations, mean_ns):
    """All operations in one bucket: 6 sub-bucket bits, so 64 buckets an octave from 64 ns."""
    octave = mean_ns.bit_length() - 7
    index = (octave << 6) + (mean_ns >> octave)
    return {
        "sub_bucket_bits": 6,
        "counts": [[index, operations]],
        "operations": operations,
        "sum_ns": operations * mean_ns,
        "min_ns": mean_ns,
        "max_ns": mean_ns,
    }


def part(job, share, rate, depth):
    operations = int(rate * share * job["duration_ns"] / 1e9)
    if whole := whole_of(job):
        operations = round(share * whole)
    if not operations:
        return None
    return {
        "operations": operations,
        "size_bytes": operations * job["block_sizes"][0]["size_bytes"],
        "errors": 0,
        "service_latency": histogram(operations, int(depth / rate * 1e9)),
        "response_latency": None,
        "backlog_dropped": 0,
    }


def load(job):
    """A rate that follows from target and seed."""
    depth = job["queue_depth"] * job["jobs"]
    rate = 20_000 * depth**0.5 * (0.98 + 0.04 * wobble_of(job["target"], job["seed"]))
    read, write = (
        part(job, share, rate, depth)
        for share in (job["read_percent"] / 100, 1 - job["read_percent"] / 100)
    )
    counts = {
        name: {
            "operations": each["operations"] if each else 0,
            "size_bytes": each["size_bytes"] if each else 0,
            "latency_sum_ns": each["service_latency"]["sum_ns"] if each else 0,
        }
        for name, each in (("read", read), ("write", write))
    }
    done = sum(each["operations"] for each in counts.values())
    elapsed_ns = int(done / rate * 1e9) if whole_of(job) else job["duration_ns"]
    interval = {"start_ns": 0, "elapsed_ns": elapsed_ns, "warm_up": False, **counts}
    return {
        **measured(interval, done, job["jobs"]),
        "interface": job["interface"],
        "features": FEATURES if job["interface"] == "io_uring" else None,
        "ended": "size_limit" if whole_of(job) else "duration",
        "warm_up_ns": job["warm_up_ns"],
        "read": read,
        "write": write,
        "jobs": shares(job, done, elapsed_ns, counts["read"]["size_bytes"]),
        "in_flight_mean": float(depth),
        "steady": not_judged(5, "too short: 1 of at least 5 intervals"),
        **beside(job, counts["write"]["operations"]),
        **finish(job, elapsed_ns, done),
    }


def whole_of(job):
    """All operations of a job that ends by itself; None of one that ends by time."""
    if job.get("passes"):
        return sum(places_of(job))
    limit = job.get("size_limit_bytes")
    return limit // job["block_sizes"][0]["size_bytes"] if limit else None


def finish(job, elapsed_ns, done):
    """What a job does with its file when its work is done: fsync takes a tenth as long."""
    wanted = job.get("finish")
    if not wanted:
        return {}
    fsync_ns = elapsed_ns // 10 if wanted["fsync"] else 0
    close_ns = 5_000 if wanted["close"] else 0
    times = {"fsync_ns": fsync_ns, "close_ns": close_ns}
    cpu = {"user_ns": 200 * done, "system_ns": 900 * done, "threads": 1}
    return {"finish": {**times, "elapsed_ns": elapsed_ns + fsync_ns + close_ns, "cpu": cpu}}


def places_of(job):
    """Blocks that each job covers in all its passes."""
    block, jobs = job["block_sizes"][0]["size_bytes"], job["jobs"]
    target = job["target"]
    each = target.get("file_size_bytes", target.get("size_bytes")) // block
    if job["ranges"]["kind"] not in ("shared", "own_files"):
        each //= jobs
    return [each * job["passes"]] * jobs


def shares(job, done, elapsed_ns, read_bytes):
    """One job stands for all, as ever; where jobs end by themselves each has its own time."""
    if not job.get("ranges"):
        return [{"operations": done, "size_bytes": read_bytes}]
    block = job["block_sizes"][0]["size_bytes"]
    if job.get("passes"):
        return [
            {"operations": each, "size_bytes": each * block, "elapsed_ns": elapsed_ns - 10 * number}
            for number, each in enumerate(places_of(job))
        ]
    each = done // job["jobs"]
    return [{"operations": each, "size_bytes": each * block}] * job["jobs"]


def beside(job, writes):
    """What a job asks for beside its load: syncs, companions, verification, limits."""
    found = {}
    sync = job.get("sync") or {"kind": "none"}
    if "every" in sync:
        calls = writes // sync["every"]
        found["sync"] = {"calls": calls, "latency": histogram(calls, 900_000)}
    found["companions"] = [
        {
            "role": each["role"],
            "count": each["count"],
            "operations": 100 * each["count"],
            "size_bytes": 100 * each["count"] * each["block_size_bytes"],
            "latency": histogram(100 * each["count"], 200_000),
        }
        for each in job.get("companions", [])
    ]
    if job.get("verify"):
        kinds = ("corrupt", "torn", "foreign", "stale", "lost")
        found["integrity"] = {"checked_blocks": writes, "faulty": [], "elapsed_ns": 1_000_000}
        found["integrity"] |= {f"{kind}_blocks": 0 for kind in kinds}
    if job.get("measure_limits"):
        found["limits"] = {
            "null_operations_per_second": 8e6 * job["jobs"],
            "memory_operations_per_second": 2e6 * job["jobs"],
            "memory_touched_operations_per_second": 4e5 * job["jobs"],
        }
        if job.get("limits_stride_bytes"):
            found["limits"]["memory_stride_operations_per_second"] = 9e5 * job["jobs"]
    return found


OPERATIONS = {  # of each phase: what is done once a file, and what once a record
    "write": (("create", "open", "close"), "write"),
    "read": (("open", "close"), "read"),
    "stat": (("stat",), None),
    "rename": (("rename",), None),
    "list": (("list",), None),
    "delete": (("unlink",), None),
    "mix": (("open", "close", "stat", "list"), "read"),
    "backup": (("open", "close"), "read"),
}


def mean_file_bytes(files):
    sizes = files["sizes"]
    if sizes["kind"] == "cycle":
        return sum(sizes["sizes_bytes"]) // len(sizes["sizes_bytes"])
    return sizes.get("median_bytes") or sizes["sizes"][0]["size_bytes"]


def clients(job):
    """Every client does all of its files at a rate that follows from target, phase and seed."""
    mode = os.environ.get("FSGAUGE_FAKE_ENGINE_MODE", "")
    phase, files_of = job["phase"]["kind"], job["files"]
    full = mode == "full" and phase == "write"
    once, record = OPERATIONS[phase]
    each = files_of["files_per_client"]
    files = 0 if full else each * files_of["clients"]
    size_bytes = files * mean_file_bytes(files_of) if record else 0
    block = job["phase"].get("block_size_bytes") or files_of["record_size_bytes"]
    counts = dict.fromkeys(once, files) | ({record: -(-size_bytes // block)} if record else {})
    wobble = wobble_of([job["target"], job["phase"]], job["seed"])
    mean_ns = int(20_000 * (0.98 + 0.04 * wobble))
    many = job["clients"] * job["outstanding"]
    done = sum(counts.values())
    elapsed_ns = max(done * mean_ns // many, 1_000_000)
    operations = [
        {
            "operation": name,
            "operations": count,
            "size_bytes": size_bytes if name == record else 0,
            "errors": job["clients"] if full and name == "create" else 0,
            "response_latency": histogram(count, mean_ns),
            "service_latency": histogram(count, mean_ns // 2),
        }
        for name, count in counts.items()
        if count or full
    ]
    errors, bad = [], []
    if full:
        errors = [error("create", "no_space", job["clients"], "No space left on device")]
    elif mode == "bad" and phase == "read":
        errors = [error("open", "missing", 1, "No such file or directory")]
        bad = [{"path": "c00000/c00000-f000001", "offset_bytes": 4096, "first_byte": 4100}]
    moved = {"operations": counts.get(record, 0), "size_bytes": size_bytes}
    nothing = {"operations": 0, "size_bytes": 0, "latency_sum_ns": 0}
    way = {"read": dict(nothing), "write": dict(nothing)}
    parts = {"read": None, "write": None}
    if record and files:
        parts[record] = {
            **moved,
            "errors": 0,
            "service_latency": histogram(moved["operations"], mean_ns // 2),
            "response_latency": histogram(moved["operations"], mean_ns),
            "backlog_dropped": 0,
        }
        way[record] = {**moved, "latency_sum_ns": moved["operations"] * mean_ns}
    interval = {"start_ns": 0, "elapsed_ns": elapsed_ns, "warm_up": False, **way}
    backup = None
    if phase == "backup":
        backup = {
            "order": job["phase"]["order"],
            "files": files,
            "directories": files_of["clients"],
            "listing_ns": 1000,
            "extents": files if job["phase"]["order"] == "physical" else None,
        }
    share = {"operations": moved["operations"] // job["clients"]}
    share["size_bytes"] = size_bytes // job["clients"]
    return {
        **measured(interval, done, 2),
        "kind": "load",
        "interface": "psync",
        "features": None,
        "ended": "duration" if phase == "mix" else "size_limit",
        "warm_up_ns": 0,
        **parts,
        "jobs": [{**share, "elapsed_ns": elapsed_ns - number} for number in range(job["clients"])],
        "in_flight_mean": float(many),
        "steady": not_judged(0, "clients end by themselves"),
        "clients": {
            "dispatch": job["dispatch"],
            "threads": job["threads"] or 2,
            "calls": [
                {"operation": name, "call": f"a call for {name}", "reason": None} for name in counts
            ],
            "connect_ns": 1_000_000,
            "operations": operations,
            "errors": errors,
            "files": files,
            "files_given_up": sum(each["count"] for each in errors),
            "clients_gave_up": job["clients"] if full else 0,
            "first_done_ns": None if full else elapsed_ns - job["clients"],
            "last_done_ns": None if full else elapsed_ns,
            "active_ns": elapsed_ns * job["clients"],
            "think_ns": 0,
            "checked_records": counts.get("read", 0) if job["verify"] else 0,
            "bad_records": len(bad),
            "bad": bad,
            "backup": backup,
            "peak_memory_bytes": 20 << 20,
        },
    }


def error(operation, kind, count, message):
    return {
        "operation": operation,
        "kind": kind,
        "count": count,
        "first_path": "c00000/c00000-f000000",
        "message": f"{message} (os error)",
    }


def layout(job):
    target = job["target"]
    files = target.get("count", 1)
    if os.path.isdir(target.get("directory", "/nowhere")):  # empty files, but there
        for number in range(files):
            name = f"{target['prefix']}{number:04d}"
            touch(target["directory"], name)
    size_bytes = files * target.get("file_size_bytes", target.get("size_bytes"))
    return {
        "files": files,
        "size_bytes": size_bytes,
        "elapsed_ns": 1000,
        "fsync_ns": 10,
        "ended": "size_limit",
    }


def probe(job):
    alignment = os.environ.get("FSGAUGE_FAKE_ENGINE_ALIGNMENT", "512")
    return {
        "io_uring": True,
        "io_uring_reason": None,
        "features": FEATURES,
        "direct": alignment != "none",
        "direct_alignment_bytes": None if alignment == "none" else int(alignment),
        "clock": "tsc",
        "clock_ns_per_read": 20.0,
        "null_ns_per_operation": {"depth_1": 90.0, "depth_32": 60.0},
    }


_EXTENTS = ("delayed", "inline", "compressed", "encrypted", "shared")
_NO_SUCH_EXTENTS = [f"{kind}_extents" for kind in _EXTENTS]


def scan(job):
    """A device of 64 MiB in 4 groups: two files, one of them in three pieces."""
    mebi = 1 << 20
    slow = os.environ.get("FSGAUGE_FAKE_ENGINE_MODE") == "slow"
    stopped = slow and until_stopped("scan_progress", files=1, of_files=2, extents=1)
    pieces = [(0, 4 * mebi, mebi), (mebi, 20 * mebi, 2 * mebi), (3 * mebi, 40 * mebi, mebi)]
    free = [(16 * mebi, 4 * mebi), (32 * mebi, 8 * mebi), (48 * mebi, 16 * mebi)]
    space = {
        "size_bytes": 28 * mebi,
        "device_bytes": 28 * mebi,
        "unallocated_bytes": 0,
        "unread_bytes": 0,
        "extents": 3,
        "largest_bytes": 16 * mebi,
        "lengths": [{"at_least_bytes": n, "extents": 1, "size_bytes": n} for _, n in free],
        "at_least": [
            {"at_least_bytes": 64 << 10, "size_bytes": 28 * mebi},
            {"at_least_bytes": mebi, "size_bytes": 28 * mebi},
            {"at_least_bytes": 8 * mebi, "size_bytes": 24 * mebi},
            {"at_least_bytes": 128 * mebi, "size_bytes": 0},
        ],
    }
    return {
        "source": {
            "path": job["path"],
            "device": "/dev/fake",
            "file_system": "ext4",
            "mount_point": "/fake",
            "writable": True,
            "files_by": "fiemap",
            "space_by": "getfsmap" if job["space"] else "none",
            "space_reason": None,
            "block_size_bytes": 4096,
            "size_bytes": 64 * mebi,
            "address_bytes": None,
        },
        "ended": "interrupted" if stopped else "size_limit",
        "counts": {
            **dict.fromkeys(_NO_SUCH_EXTENTS, 0),
            "files": 3,
            "folders": 1,
            "files_without_extents": 1,
            "fragmented_files": 1,
            "sparse_files": 0,
            "extents": 4,
            "extent_bytes": 5 * mebi,
            "raw_extents": 5,
            "unwritten_extents": 1,
            "block_pairs": 1000,
            "contiguous_block_pairs": 998,
        },
        "extent_lengths": [
            {"at_least_bytes": mebi, "extents": 3, "size_bytes": 3 * mebi},
            {"at_least_bytes": 2 * mebi, "extents": 1, "size_bytes": 2 * mebi},
        ],
        "free": space if job["space"] else None,
        "groups": [
            {
                "offset_bytes": 16 * mebi * k,
                "size_bytes": 16 * mebi,
                "free_bytes": sum(n for at, n in free if at // (16 * mebi) == k),
                "free_extents": sum(at // (16 * mebi) == k for at, n in free),
                "largest_free_bytes": max(
                    (n for at, n in free if at // (16 * mebi) == k), default=0
                ),
            }
            for k in range(4)
        ]
        if job["space"]
        else [],
        "map": scan_map(job["map_order"], 64 * mebi, pieces, free) if job["map_order"] else None,
        "top": [
            {
                "name": job["path"] + "/bad\x1b[2J",
                "size_bytes": 4 * mebi,
                "extents": 3,
                "list": [
                    {"logical_bytes": at, "physical_bytes": where, "length_bytes": length}
                    for at, where, length in pieces
                ],
            }
        ][: job["top"]],
        "problems": [
            {
                "code": "not_permitted",
                "text": "A file may not be opened",
                "count": 2,
                "examples": ["/fake/secret"],
            }
        ],
        "started_unix_ns": time.time_ns(),
        "elapsed_ns": 1_000_000,
    }


def scan_map(order, size_bytes, pieces, free):
    """Cells that are all data, all free, or the file system's own in the first one."""
    cells = 4**order
    cell = size_bytes // cells

    def within(places):
        return [
            255 if any(at <= k * cell < at + length for at, length in places) else 0
            for k in range(cells)
        ]

    data = within([(where, length) for _, where, length in pieces])
    return {
        "order": order,
        "cell_bytes": cell,
        "data": data,
        "metadata": [255, *[0] * (cells - 1)],
        "free": within(free),
        "unallocated": [0] * cells,
        "owner": [0 if each else -1 for each in data],
        "names": ["/fake/bad"],
    }


def age(job):
    """One file of 4 MiB that was written once, whatever the profile."""
    mode = os.environ.get("FSGAUGE_FAKE_ENGINE_MODE", "")
    counts = {"operations": 5, "failed": 0, "written_bytes": 4 << 20}
    lives = {"live_files": 1, "live_bytes": 4 << 20}
    touch(job["directory"], "aged")
    progress = {"share": 0.5, "elapsed_ns": 1, **counts, **lives}
    stopped = mode == "slow age" and until_stopped("age_progress", **progress)
    full = mode == "no space"
    names = {"create": (1, 0), "append": (4, 4 << 20), "delete": (0, 0)}
    error = {"operation": "append", "errno": 28, "text": "No space left on device"}
    return {
        "ended": "interrupted" if stopped else "out_of_space" if full else "complete",
        "operations": [
            {
                "operation": name,
                "done": done,
                "failed": 7 if full and name == "append" else 0,
                "skipped": 2 if full and name == "append" else 0,
                "size_bytes": size_bytes,
            }
            for name, (done, size_bytes) in names.items()
        ],
        "errors": [{**error, "count": 7, "first_operation": 6}] if full else [],
        "log_checksum": "0123456789abcdef",
        "written_bytes": 4 << 20,
        **lives,
        "storage_age": 1.0,
        "virtual_time_ns": 5000,
        "directories": 1,
        "reopened": 0,
        "syncs": 1,
        "sync_ns": 1000,
        "user_ns": 1000,
        "system_ns": 1000,
        "started_unix_ns": time.time_ns(),
        "elapsed_ns": 1_000_000,
        "sync_every_bytes": job["sync_every_bytes"] or 0,
        **{key: job[key] for key in ("mode", "profile", "end", "seed", "fill_percent")},
        "space_bytes": job["space_bytes"] or 64 << 20,
    }


def main():
    job = read(sys.stdin.read())
    mode = os.environ.get("FSGAUGE_FAKE_ENGINE_MODE", "")
    if mode == "silent":
        sys.exit(9)
    if mode == "garbage":
        print("this is no event", flush=True)
        return
    say("started", engine=ENGINE, unix_ns=time.time_ns())
    if mode == "hang" and job["kind"] in ("load", "clients"):
        time.sleep(60)
    if mode == "fail" and job["kind"] in ("load", "clients"):
        fault = {
            "what": "read of 4096 bytes at 8192 failed: Input/output error",
            "cause": "the device returned an error",
            "next": "dmesg | tail",
            "errno": 5,
            "code": "io.read",
        }
        say("failed", error=fault)
        sys.exit(3)
    if mode == "refuse" and job["kind"] not in ("clients", "probe"):
        fault = {"what": "no", "cause": "it is so", "next": "ls", "errno": None, "code": "job.path"}
        say("failed", error=fault)
        sys.exit(2)
    answers = {"load": load, "clients": clients, "layout": layout, "probe": probe, "scan": scan}
    answer = {**answers, "age": age}[job["kind"]](job)
    if job["kind"] != "probe":
        answer["notes"] = []
    say("finished", result={"format": 1, "kind": job["kind"], "engine": ENGINE, **answer})
