#!/usr/bin/env python3
"""A fio that does no I/O: a message, then a document with plausible numbers.

FSGAUGE_FAKE_FIO_MODE: unset, "fail" (refuses its options), "twice" (twice as fast as the fake
engine).
"""

import json
import os
import sys

if "--version" in sys.argv:
    print("fio-3.33")
    sys.exit()
if os.environ.get("FSGAUGE_FAKE_FIO_MODE") == "fail":
    sys.exit("fio: engine io_uring not loadable")

options = dict(word[2:].split("=", 1) for word in sys.argv[1:] if "=" in word)
depth = int(options["iodepth"])
rate = 20_000 * depth**0.5 * (2 if os.environ.get("FSGAUGE_FAKE_FIO_MODE") == "twice" else 1)
duration_ms = int(options["runtime"].removesuffix("ms"))
share = {"randread": 1.0, "randwrite": 0.0}[options["rw"]]


def side(part):
    latency_ns = depth / rate * 1e9
    return {
        "total_ios": int(part * rate * duration_ms / 1000),
        "iops": part * rate,
        "lat_ns": {
            "mean": latency_ns,
            "percentile": dict.fromkeys(["50.000000", "99.000000", "99.900000"], latency_ns),
        },
    }


print("fio: a message before the document")
job = {
    "error": 0,
    "read": side(share),
    "write": side(1 - share),
    "usr_cpu": 10.0,
    "sys_cpu": 20.0,
    "job_runtime": duration_ms,
}
print(json.dumps({"fio version": "fio-3.33", "jobs": [job]}, indent=1))
