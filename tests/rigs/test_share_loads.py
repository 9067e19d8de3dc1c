"""Loads of blocks through real servers: what is written arrives, and what is counted was asked for.

The engine's jobs run in the server's own network. The files behind the share are read by their
path: no word of the client's is taken for it.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fsgauge.access import SERVERS, Server, served
from fsgauge.engine.client import Engine, EngineFaultError
from fsgauge.engine.wire import LayoutJob, LayoutResult, LoadJob, LoadResult
from fsgauge.machine.ledger.ledger import opened_ledger
from fsgauge.machine.process.servers import server_processes
from tests.needs import need_tool
from tests.patience import patience
from tests.rigs.conftest import Scene
from tests.rigs.serving import clients, needs

pytestmark = pytest.mark.root
NAMES = sorted(SERVERS)
BLOCK_BYTES = 8192
BLOCKS = 512
SECOND_NS = 1_000_000_000


class Shared:
    """A server over a folder, and the engine's jobs on it."""

    def __init__(self, server: Server, folder: Path, engine: Engine, token: str) -> None:
        self.server, self.folder, self._engine, self.token = server, folder, engine, token

    def target(self, **keys: Any) -> dict[str, Any]:
        share = self.server.target.model_copy(update={"directory": "runs/one"})
        file = {"kind": "share_file", "name": "data", "size_bytes": BLOCKS * BLOCK_BYTES}
        return {"share": share.model_dump(mode="json")} | (keys or file)

    def load(self, **keys: Any) -> LoadResult:
        plain: dict[str, Any] = {
            "target": self.target(),
            "interface": "sockets",
            "direct": False,
            "access": {"kind": "random"},
            "read_percent": 100,
            "block_sizes": [{"size_bytes": BLOCK_BYTES}],
            "queue_depth": 1,
            "jobs": 1,
            "duration_ns": SECOND_NS,
            "seed": 7,
        }
        job = LoadJob.model_validate(plain | keys)
        with self.server.reached():
            return self._engine.load(job)

    def layout(self, **keys: Any) -> LayoutResult:
        job = LayoutJob.model_validate(
            {"target": self.target(), "direct": False, "seed": 1, "block_size_bytes": 65536} | keys
        )
        with self.server.reached():
            return self._engine.layout(job)

    def file(self, name: str = "data") -> Path:
        return self.folder / "runs" / "one" / name


@pytest.fixture(params=NAMES)
def shared(
    request: pytest.FixtureRequest, scene: Scene, tmp_path: Path, engine: Engine
) -> Iterator[Shared]:
    needs(request.param)
    kind, folder = SERVERS[request.param], tmp_path / "shared"
    folder.mkdir()
    tmp_path.chmod(0o755)
    account = kind.account()
    folder.chmod(0o777)
    keys = clients(kind.name)
    with opened_ledger() as ledger, served(kind, folder, keys, {}, ledger, account) as server:
        yield Shared(server, folder, engine, ledger.token)


def written(result: LoadResult) -> int:
    assert result.write is not None
    return result.write.operations


@contextlib.contextmanager
def traced(shared: Shared, calls: str, output: Path) -> Iterator[Path]:
    """What the server's processes call meanwhile, those to come among them.

    A process of the connection before may end just now: strace cannot attach to it. It may end as
    well while strace detaches: strace 6.1 then waits for ever for a process whose threads it has to
    collect first. So strace is killed, at which the kernel lets all of them go; it has written each
    line once the call was done.
    """
    need_tool("strace", "strace")
    child = shared.server.child
    processes = server_processes(str(child.serving.folder), shared.token)
    words = [word for each in processes for word in ("-p", str(each))]
    strace = subprocess.Popen(
        ["strace", "-f", "-e", f"trace={calls}", "-o", str(output), *words],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert strace.stderr is not None
        said = [strace.stderr.readline() for _ in processes]
        assert any("attached" in line for line in said), said
        left = set(server_processes(str(child.serving.folder), shared.token))
        for line in said:
            tried = re.search(r"SEIZE, (\d+)\)|Process (\d+) attached", line)
            assert tried, said
            assert tried[2] or int(tried[1]) not in left, said
        yield output
    finally:
        strace.kill()
        strace.communicate(timeout=patience(20))


def blocks_of(file: Path) -> list[bytes]:
    data = file.read_bytes()
    return [data[at : at + BLOCK_BYTES] for at in range(0, len(data), BLOCK_BYTES)]


@pytest.mark.parametrize("sync", [{"kind": "dsync"}, {"kind": "fsync", "every": 32}], ids=str)
def test_what_is_written_through_a_share_is_in_the_file_behind_it(
    shared: Shared, sync: dict[str, Any]
) -> None:
    """Every block of it, by writers at offsets of one file, read back through the share as well.

    Over Samba by one: smbd 4.17.12 ends itself ("lock order violation" in locking.tdb) where
    several of its processes write one file.
    """
    jobs = 1 if shared.server.kind.name == "samba" else 4
    result = shared.load(
        read_percent=0,
        jobs=jobs,
        queue_depth=4,
        ranges={"kind": "interleaved"},
        passes=1,
        verify=True,
        sync=sync,
    )
    assert written(result) == BLOCKS
    assert result.integrity is not None and result.integrity.checked_blocks == BLOCKS
    assert result.integrity.faulty == []
    found = blocks_of(shared.file())
    assert len(found) == BLOCKS == len(set(found)) and all(any(block) for block in found)
    calls = 0 if result.sync is None else result.sync.calls
    assert calls == (BLOCKS // 32 if sync["kind"] == "fsync" else 0)


def test_as_much_is_counted_as_the_server_did(shared: Shared, tmp_path: Path) -> None:
    """Calls of its processes on the file, as the kernel saw them; nothing is done at one's own."""
    with traced(shared, "pread64,preadv,pwrite64,pwritev", tmp_path / "calls") as calls:
        shared.layout(block_size_bytes=BLOCK_BYTES)
        mixed = shared.load(read_percent=50, queue_depth=8, size_limit_bytes=1 << 21)
    assert mixed.read is not None and mixed.write is not None
    assert mixed.read.operations + mixed.write.operations == 256
    text = calls.read_text()
    moved = [line for line in text.splitlines() if line.endswith(f"= {BLOCK_BYTES}")]
    of_reads = [line for line in moved if "pread" in line]
    assert len(of_reads) == mixed.read.operations
    assert len(moved) - len(of_reads) == mixed.write.operations + BLOCKS


def test_a_durable_write_is_answered_when_it_is(shared: Shared, tmp_path: Path) -> None:
    """By O_SYNC or an fsync of the server's at each; where the load asks for nothing, at none."""
    syncs: dict[str, tuple[int, bool]] = {}
    for sync in ({"kind": "none"}, {"kind": "dsync"}, {"kind": "fsync", "every": 1}):
        kind = str(sync["kind"])
        with traced(shared, "openat,fsync,fdatasync", tmp_path / kind) as calls:
            shared.load(
                read_percent=0,
                ranges={"kind": "shared"},
                size_limit_bytes=16 * BLOCK_BYTES,
                sync=sync,
            )
        text = calls.read_text()
        syncs[kind] = (text.count("sync("), "O_SYNC" in text)
    by_each = {"samba": (0, True), "ganesha": (16, False)}[shared.server.kind.name]
    assert syncs == {"none": (0, False), "dsync": by_each, "fsync": (16, False)}


def test_writers_with_files_of_their_own_find_what_they_wrote(shared: Shared) -> None:
    target = shared.target(kind="share_files", prefix="f-", count=3, file_size_bytes=1 << 20)
    result = shared.load(
        target=target,
        read_percent=0,
        jobs=3,
        ranges={"kind": "own_files"},
        passes=2,
        extend=True,
        verify=True,
        access={"kind": "sequential"},
        workers="processes",
    )
    assert written(result) == 2 * 3 * 128
    assert result.integrity is not None and result.integrity.faulty == []
    for number in range(3):
        assert len(set(blocks_of(shared.file(f"f-{number:04d}")))) == 128


def test_a_layout_through_a_share_can_be_read(shared: Shared) -> None:
    """A block that is not there is no block of zeros: files that are too short are refused."""
    laid_out = shared.layout()
    assert laid_out.size_bytes == BLOCKS * BLOCK_BYTES == shared.file().stat().st_size
    assert len(set(blocks_of(shared.file()))) == BLOCKS
    jobs = 1 if shared.server.kind.name == "samba" else 2  # as where they write
    result = shared.load(jobs=jobs, queue_depth=8, duration_ns=SECOND_NS // 2)
    assert result.read is not None and result.read.operations > 100
    # Each job keeps eight requests on their way; an answer's way back into the loop is in it.
    assert 7.5 * jobs < result.in_flight_mean <= 8 * jobs
    size_bytes = BLOCKS * BLOCK_BYTES
    larger = shared.target(kind="share_file", name="data", size_bytes=2 * size_bytes)
    with pytest.raises(EngineFaultError, match=f"has {size_bytes} bytes, the job says"):
        shared.load(target=larger)
