"""Clients of a share: the engine against dbench 5, nbench and a loop in C, on Samba or nfs-ganesha.

Each turn has a server of its own, fresh, over an empty folder in memory. The engine writes all
files, then reads all and compares every record with what was written, inside of the measured time.
"""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dbench
import engine
import nbench
import plain_smb
from file_work import RECORD_BYTES
from nfs_server import MOUNT_PORT, PORT, NfsExport, ganesha
from scratch import Scratch
from side_by_side import Comparison, Measure, Sample, expect
from smb_server import SHARE, USER, SmbShare, samba
from study_work import StudyWork

# The study's ten sizes take too long with many clients: the largest are left out.
WORK = {10: StudyWork(10, 10, 5), 100: StudyWork(100, 9, 1), 590: StudyWork(590, 6, 1)}
CPU_LIMIT_US = {100: 8.0, 590: 13.0}
SESSIONS_LIMIT_SECONDS = {590: 4.0}
MEMORY_LIMIT_MB = 32.0
OVER_DBENCH_SMB = 1.3
OVER_NBENCH = 1.0
CPU_OVER_DBENCH = 0.5
CPU_OVER_PLAIN = 1.25
OVER_DBENCH_NFS = {10: 1.1, 100: 1.1, 590: 1.0}

Bench = Callable[[Scratch], Comparison]


def smb_against_dbench(clients: int) -> Bench:
    """Compare with dbench 5's smb: libsmbclient, unsigned."""

    def comparison(scratch: Scratch) -> Comparison:
        dbench.binary()
        place = Place(scratch.folder_in_memory())
        work = WORK[clients]

        def other() -> Sample:
            with place.smb() as share:
                backend = ["--backend=smb", f"--smb-share=//127.0.0.1:{share.port}/{SHARE}"]
                backend.append(f"--smb-user={USER}%{share.password}")
                return of_dbench(dbench.SMB, backend, work, share.path, place)

        measures = [
            faster(OVER_DBENCH_SMB),
            cheaper("cpu-ratio", CPU_OVER_DBENCH),
            *limits(clients),
        ]
        return Comparison("dbench", measures, lambda: smb_of_engine(work, place), other, remark)

    return comparison


def smb_against_nbench(clients: int) -> Bench:
    """Compare with smbtorture's nbench: SMB1, unsigned."""

    def comparison(scratch: Scratch) -> Comparison:
        place = Place(scratch.folder_in_memory())
        work = WORK[clients]

        def other() -> Sample:
            with place.smb() as share:
                return Sample({"rate": nbench.throughput(share, work, place.folder)})

        measures = [faster(OVER_NBENCH), *limits(clients)]
        return Comparison("nbench", measures, lambda: smb_of_engine(work, place), other, remark)

    return comparison


def smb_against_plain(clients: int) -> Bench:
    """Compare with the same messages in a plain loop in C: processor time of an operation."""

    def comparison(scratch: Scratch) -> Comparison:
        place = Place(scratch.folder_in_memory())
        program, work = plain_smb.program(scratch.directory), WORK[clients]

        def other() -> Sample:
            with place.smb() as share:
                return Sample({"cpu": plain_smb.cpu_us_of_operation(program, share, work)})

        measures = [cheaper("cpu", CPU_OVER_PLAIN)]
        return Comparison("loop in C", measures, lambda: smb_of_engine(work, place), other, remark)

    return comparison


def nfs_against_dbench(clients: int) -> Bench:
    """Compare with dbench 5's nfs: libnfs, NFS version 3."""

    def comparison(scratch: Scratch) -> Comparison:
        dbench.binary()
        place = Place(scratch.folder_in_memory())
        work = WORK[clients]

        def other() -> Sample:
            with place.nfs() as export:
                backend = ["--backend=nfs", f"--nfs=nfs://127.0.0.1{export.path}"]
                return of_dbench(
                    dbench.NFS, backend, work, export.path, place, inside=export.inside
                )

        measures = [faster(OVER_DBENCH_NFS[clients]), cheaper("cpu-ratio", CPU_OVER_DBENCH)]
        return Comparison("dbench", measures, lambda: nfs_of_engine(work, place), other, remark)

    return comparison


@dataclass
class Place:
    """Where servers put what they need, one at a time."""

    folder: Path

    @contextmanager
    def smb(self) -> Iterator[SmbShare]:
        """Serve an empty folder by Samba."""
        with self._empty() as served, samba(self.folder / "samba", served) as share:
            yield share

    @contextmanager
    def nfs(self) -> Iterator[NfsExport]:
        """Serve an empty folder by nfs-ganesha."""
        with self._empty() as served, ganesha(self.folder / "ganesha", served) as export:
            yield export

    @contextmanager
    def _empty(self) -> Iterator[Path]:
        served = self.folder / "served"
        served.mkdir()
        try:
            yield served
        finally:
            shutil.rmtree(served)


def of_dbench(
    calls: dbench.Calls,
    backend: list[str],
    work: StudyWork,
    served: Path,
    place: Place,
    inside: list[str] | None = None,
) -> Sample:
    """Let dbench do the work; give what it came to when every file is there, whole."""
    parent = served / "clients"
    parent.mkdir()
    parent.chmod(0o777)
    done = dbench.run(calls, backend, work, place.folder, inside or [])
    work.expect_files(served)
    return Sample({"rate": done.megabytes_per_second, "cpu": done.cpu_us_of_line})


def smb_of_engine(work: StudyWork, place: Place) -> Sample:
    """Let the engine do the work over SMB 3.0.2, unsigned."""
    with place.smb() as share:
        target = {
            "kind": "smb",
            "host": "127.0.0.1",
            "port": share.port,
            "share": SHARE,
            "directory": "clients",
            "user": USER,
            "password": {"kind": "file", "path": str(share.password_file)},
        }
        return of_engine(target, work, share.path, [])


def nfs_of_engine(work: StudyWork, place: Place) -> Sample:
    """Let the engine do the work over NFS version 3."""
    with place.nfs() as export:
        target = {
            "kind": "nfs",
            "host": "127.0.0.1",
            "port": PORT,
            "mount_port": MOUNT_PORT,
            "export": str(export.path),
            "directory": "clients",
            "user_id": 0,
            "group_id": 0,
        }
        return of_engine(target, work, export.path, export.inside)


def of_engine(target: dict[str, Any], work: StudyWork, served: Path, inside: list[str]) -> Sample:
    """Write all, then read and compare all; every time is of the measured part, without set-up."""
    files = {
        "clients": work.clients,
        "files_per_client": len(work.files_of_client),
        "sizes": {"kind": "cycle", "sizes_bytes": work.sizes_bytes},
        "record_size_bytes": RECORD_BYTES,
        "tree": {"kind": "own"},
    }
    passes = []
    for phase in ("write", "read"):
        done = engine.clients(
            target,
            phase,
            work.clients,
            len(work.files_of_client),
            files=files,
            verify=phase == "read",
            inside=inside,
        )
        passes.append(done.result)
        expect(passes[-1][phase]["operations"], work.records, f"records that the engine {phase}s")
        expect(passes[-1]["clients"]["network"]["reconnections"], 0, "connections were lost")
    work.expect_files(served)
    read = passes[-1]["clients"]
    expect(read["checked_records"], work.records, "records compared")
    expect(read["bad_records"], 0, "records are not what was written")
    return Sample(values_of(passes, work))


def values_of(passes: list[dict[str, Any]], work: StudyWork) -> dict[str, float]:
    """Give what both passes come to."""
    seconds = sum(each["elapsed_ns"] for each in passes) / 1e9
    cpu_us = sum(each["cpu"]["user_ns"] + each["cpu"]["system_ns"] for each in passes) / 1e3
    operations = sum(
        one["operations"]
        for each in passes
        for one in each["clients"]["operations"]
        if one["operation"] != "connect"
    )
    return {
        "rate": work.moved_bytes / seconds / 1e6,
        "cpu": cpu_us / operations,
        "sessions": max(each["clients"]["connect_ns"] for each in passes) / 1e9,
        "memory": max(each["clients"]["peak_memory_bytes"] for each in passes) / 1e6,
        "null": max(each["clients"]["network"]["null_operation_ns"] for each in passes) / 1e3,
        "records": work.records,
    }


def faster(goal: float) -> Measure:
    """MB/s, written and read together."""
    return Measure("rate", "rate", "MB/s", f">= {goal}", lambda ratio, _: ratio >= goal)


def cheaper(short: str, goal: float) -> Measure:
    """Processor time of an operation, engine over peer."""
    unit = "us CPU/operation"
    return Measure("cpu", short, unit, f"<= {goal}", lambda ratio, _: ratio <= goal)


def limits(clients: int) -> list[Measure]:
    """What the engine is held to by itself."""
    held = [at_most("memory", MEMORY_LIMIT_MB, "MB")]
    if clients in CPU_LIMIT_US:
        held.append(at_most("cpu", CPU_LIMIT_US[clients], "us CPU/operation"))
    if clients in SESSIONS_LIMIT_SECONDS:
        held.append(at_most("sessions", SESSIONS_LIMIT_SECONDS[clients], "s"))
    return held


def at_most(key: str, limit: float, unit: str) -> Measure:
    """Hold the mean to a limit."""
    goal = f"<= {limit:g} {unit}"
    return Measure(key, key, unit, goal, lambda ratio, _: ratio <= 1, limit=limit)


def remark(samples: list[Sample]) -> str:
    """Say what has no goal, too; the middle of all turns."""

    def middle(key: str) -> float:
        return statistics.median(sample.values[key] for sample in samples)

    records = sum(sample.values["records"] for sample in samples)
    return (
        f"engine: {middle('cpu'):.1f} us CPU/operation, sessions in {middle('sessions'):.2f} s, "
        f"an operation of nothing {middle('null'):.0f} us; "
        f"{records:,.0f} records read back, all as written, no errors"
    )
