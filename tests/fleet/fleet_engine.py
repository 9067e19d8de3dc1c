#!/usr/bin/env python3
"""The engine of tests/cli/fake_engine.py with what a fleet asks for: leases, starts, clocks.

It does no I/O, but it waits for its start and compares clocks for real, over UDP and without the
key. In variables that begin with FSGAUGE_FLEET_ENGINE_, SECONDS: how long a load truly takes, 0.05
by default. SLOW: the name of a folder in whose targets a load does half the work. FULL: one in
which it fails. REFUSES: the kind of the jobs that it refuses. LATE: a file; the first engine that
finds it removes it, and is prepared after its start.
"""

import json
import os
import select
import signal
import socket
import sys
import time
from pathlib import Path

sys.path.insert(
    0, os.environ.get("FSGAUGE_FLEET_ENGINE_CLI") or str(Path(__file__).parents[1] / "cli")
)

import fake_engine as fake

ENGINE = fake.ENGINE


def suspended():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns()


def orders(until_start):
    """Lines of the control pipe; gives the start, or ends with the pipe."""
    pending = b""
    while True:
        ready, _, _ = select.select([sys.stdin.fileno()], [], [], 15.0)
        piece = os.read(sys.stdin.fileno(), 4096) if ready else b""
        if not piece:
            code = "lease.closed" if ready else "lease.silent"
            fault = {"what": "the caller is gone", "cause": code, "next": "", "errno": None}
            fake.say("failed", error={**fault, "code": code})
            sys.exit(3)
        *lines, pending = (pending + piece).split(b"\n")
        for line in lines:
            order = json.loads(line) if line.strip() else {"kind": "hold"}
            if order["kind"] == "start":
                return order["start_at_ns"]


def first_line():
    """The job alone: what follows on the control pipe stays in it."""
    found = bytearray()
    while not found.endswith(b"\n"):
        piece = os.read(sys.stdin.fileno(), 1)
        if not piece:
            break
        found += piece
    return bytes(found)


def begun_together(job):
    """Wait as an engine does; gives what a result says of it."""
    armed_at_ns = time.monotonic_ns()
    fake.say("armed", armed_at_ns=armed_at_ns)
    start_at_ns = orders(True)
    while (left := start_at_ns - time.monotonic_ns()) > 0:
        time.sleep(left / 1e9)
    started = time.monotonic_ns()
    time.sleep(float(os.environ.get("FSGAUGE_FLEET_ENGINE_SECONDS", "0.05")))
    return {
        "start_at_ns": start_at_ns,
        "armed_at_ns": armed_at_ns,
        "started_at_ns": started,
        "last_started_at_ns": started + 1000,
        "ended_at_ns": time.monotonic_ns(),
        "real_time": False,
        "spun": False,
        "suspended_ns": 0,
    }


def serve_clock(job):
    served = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    served.bind((job["address"], job.get("port", 0)))
    stopped = []
    signal.signal(signal.SIGINT, lambda *_: stopped.append(True))
    fake.say("clock_served", port=served.getsockname()[1])
    replies = 0
    while not stopped:
        ready, _, _ = select.select([served, sys.stdin], [], [], 0.5)
        if served in ready:
            asked, who = served.recvfrom(100)
            answer = {"asked": asked.decode(), "ns": time.monotonic_ns(), "suspended": suspended()}
            served.sendto(json.dumps(answer).encode(), who)
            replies += 1
        if sys.stdin in ready and not os.read(sys.stdin.fileno(), 4096):
            break
    return {"ended": "stopped", "replies": replies, "refused": 0, "repeated": 0}


def exchange_clock(job):
    asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    asking.settimeout(1.0)
    best = None
    for number in range(5):
        before = time.monotonic_ns()
        asking.sendto(str(number).encode(), (job["address"], job["port"]))
        answer = json.loads(asking.recv(200))
        after = time.monotonic_ns()
        if best is None or after - before < best[0]:
            best = (after - before, answer["ns"] - (before + after) // 2, after, answer)
    trip, offset, at, answer = best
    reading = {
        "at_ns": at,
        "offset_ns": offset,
        "bound_ns": trip // 2 + 1,
        "round_trip_ns": trip,
        "median_round_trip_ns": trip,
        "suspended_ns": suspended(),
        "peer_suspended_ns": answer["suspended"],
    }
    moments = [
        {"own_ns": own, "peer_ns": own + offset, "bound_ns": trip // 2 + 1}
        for own in job["moments_ns"]
    ]
    found = {"reading": reading, "requests": 5, "answers": 5, "ignored": 0, "moments": moments}
    return {**found, "drift_ppm": 0.0 if job.get("earlier") else None}


def laid_out(job):
    """Files as large as they are to be, with nothing in them: other hosts look at their sizes."""
    answer, target = fake.layout(job), job["target"]
    for number in range(target.get("count", 0)):
        name = f"{target['prefix']}{number:04d}"
        os.truncate(Path(target["directory"]) / name, target["file_size_bytes"])
    return answer


def is_late():
    """For one engine only."""
    try:
        Path(os.environ.get("FSGAUGE_FLEET_ENGINE_LATE", "none")).unlink()
    except FileNotFoundError:
        return False
    return True


def changed(job, result):
    """What this host's folder does to a load."""
    place = json.dumps(job["target"])
    if os.environ.get("FSGAUGE_FLEET_ENGINE_SLOW", "\0") in place:
        for side in (result["read"], result["write"]):
            if side:
                mean_ns = side["service_latency"]["sum_ns"] // side["operations"]
                side["operations"] //= 2
                side["size_bytes"] //= 2
                side["service_latency"] = fake.histogram(side["operations"], 2 * mean_ns)
        for share in result["jobs"]:
            share["operations"] //= 2
            share["size_bytes"] //= 2
    return result


def main():
    job = json.loads(first_line())
    fake.say("started", engine=ENGINE, unix_ns=time.time_ns())
    kinds = {"serve_clock": serve_clock, "exchange_clock": exchange_clock}
    if job["kind"] in kinds:
        answer = kinds[job["kind"]](job)
        fake.say("finished", result={"format": 1, "kind": job["kind"], "engine": ENGINE, **answer})
        return
    if job["kind"] == os.environ.get("FSGAUGE_FLEET_ENGINE_REFUSES"):
        fault = {"what": "4097 jobs: 4096 is the limit", "cause": "", "next": "fewer jobs"}
        fake.say("failed", error={**fault, "errno": None, "code": "job.jobs"})
        sys.exit(2)
    if os.environ.get("FSGAUGE_FLEET_ENGINE_FULL", "\0") in json.dumps(
        job.get("target")
    ) and job.get("start_on_order"):
        begun_together(job)
        fault = {
            "what": "write of 4096 bytes at 0 failed: No space left on device",
            "cause": "the disk is full",
            "next": "df -h",
            "errno": 28,
            "code": "io.write",
        }
        fake.say("failed", error=fault)
        sys.exit(3)
    common = begun_together(job) if job.get("start_on_order") else None
    if common is not None and is_late():
        what = "the start was missed: it was 204.0 ms ago when everything was prepared"
        fault = {"what": what, "cause": "", "next": "", "errno": None, "code": "start.missed"}
        fake.say("failed", error=fault)
        sys.exit(3)
    answers = {
        "load": fake.load,
        "clients": fake.clients,
        "layout": laid_out,
        "age": fake.age,
        "probe": fake.probe,
        "scan": fake.scan,
    }
    answer = answers[job["kind"]](job)
    if common is not None:
        answer = {**changed(job, answer), "common_start": common}
    if job["kind"] != "probe":
        answer["notes"] = []
    fake.say("finished", result={"format": 1, "kind": job["kind"], "engine": ENGINE, **answer})


if __name__ == "__main__":
    main()
