"""smbtorture's bench.nbench: dbench's load over SMB1, a process a client (samba-testsuite).

It works until its time is up and knows no end of its load. Its rate is its own: bytes and time from
the moment when all clients have moved something. With less than twenty seconds it would count the
set-up of sessions as well, so it is given more, and ended when enough is measured. A client reads
each file when it has written it, not when it has written all, so that there is as much of the one
as of the other wherever it is cut.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from file_work import RECORD_BYTES
from side_by_side import Failed, Skipped, expect
from smb_server import USER, SmbShare
from study_work import StudyWork

# More than any server does for all clients in the time.
MOST_CALLS = 80_000 * 10
MEASURED_SECONDS = 7
# From here on it leaves out a warm-up of a second.
TIME_LIMIT_SECONDS = 20
LIMIT_SECONDS = 60
EXECUTE = re.compile(r"^ *(\d+) +\d+ +([\d.]+) MB/sec  execute (\d+) sec")
WRONG = ("error", "warning", "fail")
GOOD = "NT_STATUS_OK"


def throughput(share: SmbShare, work: StudyWork, folder: Path) -> float:
    """Run it; give its MB/s, written and read together. `folder` is for the load file."""
    smbtorture = shutil.which("smbtorture")
    if smbtorture is None:
        raise Skipped("smbtorture is missing: apt-get install samba-testsuite")
    file = folder / "nbench.load"
    file.write_text("\n".join(load(work, MOST_CALLS // work.clients)) + "\n")
    command = [smbtorture, share.address, f"--user={USER}%{share.password}"]
    command += [f"--smb-ports={share.port}", "--max-protocol=NT1"]
    command += ["--option=client min protocol=NT1", "bench.nbench", f"--loadfile={file}"]
    command += [f"--num-progs={work.clients}", f"--timelimit={TIME_LIMIT_SECONDS}"]
    # A group of its own, as it is ended with all of its processes.
    with subprocess.Popen(
        ["timeout", "--signal=KILL", str(LIMIT_SECONDS), *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=0,
        cwd=folder,  # where it leaves folders of its own
    ) as process:
        assert process.stdout is not None  # noqa: S101 (a pipe was asked for)
        try:
            return rate(process.stdout, work.clients)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            file.unlink()


def load(work: StudyWork, calls: int) -> Iterator[str]:
    """Give the lines of the load file, at least so many; nbench makes client1 each own name."""
    here = "\\clients\\client1"
    yield f'Mkdir "{here}" {GOOD}'
    done, number = 1, 0
    while done < calls:
        size_bytes = work.sizes_bytes[number % work.sizes]
        offsets = range(0, size_bytes, RECORD_BYTES)
        # 2: a new file, 1: one that is there.
        for how, call in (("2", "WriteX"), ("1", "ReadX")):
            yield f'NTCreateX "{here}\\f{number}" 0x0 0x{how} 7 {GOOD}'
            for offset in offsets:
                yield f"{call} 7 {offset} {RECORD_BYTES} {RECORD_BYTES} {GOOD}"
            yield f"Close 7 {GOOD}"
        done += 2 * (2 + len(offsets))
        number += 1


def rate(lines: Iterable[str], clients: int) -> float:
    """Read lines until enough is measured; give the mean of MB/s until then."""
    heard: list[str] = []
    for line in lines:
        heard.append(line.strip())
        if any(word in line.lower() for word in WRONG):
            break
        found = EXECUTE.match(line)
        if found and int(found[3]) >= MEASURED_SECONDS:
            expect(int(found[1]), clients, "clients of nbench are at work")
            return float(found[2])
    raise Failed("nbench did not do its work\n" + "\n".join(heard[-5:]))
