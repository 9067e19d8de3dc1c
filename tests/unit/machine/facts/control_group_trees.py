"""Control groups as kernels show them, recorded as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path


def process_in(
    home: Path,
    groups: str,
    mounts: Sequence[tuple[str, str, str]],
    files: Mapping[str, str],
) -> Path:
    """A folder like /proc/self. `mounts` are (root, type, options) of home/0, home/1, ...; `files`
    are below home."""
    lines = []
    for number, (root, kind, options) in enumerate(mounts):
        (home / str(number)).mkdir(parents=True, exist_ok=True)
        lines.append(
            f"{30 + number} 25 0:{number} {root} {home}/{number} rw - {kind} {kind} {options}"
        )
    for name, text in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    process = home / "process"
    process.mkdir()
    (process / "mountinfo").write_text("\n".join(lines) + "\n")
    (process / "cgroup").write_text(groups)
    return process


V2 = [("/", "cgroup2", "rw,nsdelegate")]
NESTED_V2 = {
    "0/cgroup.controllers": "cpu io memory",
    "0/outer/cpu.max": "50000 100000",
    "0/outer/cpu.stat": "usage_usec 9\nnr_periods 40\nnr_throttled 7\nthrottled_usec 1500",
    "0/outer/memory.max": "max",
    "0/outer/memory.high": "167772160",
    "0/outer/memory.current": "157286400",
    "0/outer/memory.stat": "anon 52428800\nfile 104857600\ninactive_file 94371840\nactive_file 0",
    "0/outer/io.max": "8:0 rbps=1048576 wbps=max riops=max wiops=50",
    "0/outer/inner/cpu.max": "max 100000",
    "0/outer/inner/cpu.stat": "usage_usec 9\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0",
    "0/outer/inner/memory.max": "1073741824",
    "0/outer/inner/memory.current": "1048576",
    "0/outer/inner/memory.stat": "anon 1048576\nfile 0",
    "0/outer/inner/io.max": "8:0 rbps=max wbps=4194304 riops=max wiops=20\n4095:1048575 wbps=7",
    "0/outer/inner/cpuset.cpus.effective": "0-1,4",
}

HYBRID = [
    ("/", "cgroup", "rw,cpu,cpuacct"),
    ("/", "cgroup", "rw,memory"),
    ("/", "cgroup", "rw,blkio"),
    ("/", "cgroup", "rw,cpuset"),
    ("/", "cgroup2", "rw"),
]
HYBRID_GROUPS = (
    "9:name=systemd:/a\n4:memory:/a/b\n3:cpuset:/\n2:blkio:/a\n1:cpu,cpuacct:/a\n0::/a/unified\n"
)
HYBRID_FILES = {
    "0/a/cpu.cfs_quota_us": "30000",
    "0/a/cpu.cfs_period_us": "100000",
    "0/a/cpu.stat": "nr_periods 12\nnr_throttled 5\nthrottled_time 700000",
    "1/memory.limit_in_bytes": "9223372036854771712",
    "1/a/memory.limit_in_bytes": "134217728",
    "1/a/memory.usage_in_bytes": "134217728",
    "1/a/memory.stat": "total_inactive_file 67108864\ntotal_active_file 4096",
    "1/a/b/memory.limit_in_bytes": "9223372036854771712",
    "1/a/b/memory.usage_in_bytes": "4096",
    "1/a/b/memory.stat": "hierarchical_memory_limit 134217728\ntotal_inactive_file 0",
    "2/a/blkio.throttle.write_bps_device": "8:0 1048576",
    "2/a/blkio.throttle.read_iops_device": "8:0 100",
    "3/cpuset.effective_cpus": "1",
    "4/a/unified/memory.max": "4096",
    "4/a/unified/cpu.max": "1 100000",
}
