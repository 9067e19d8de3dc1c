"""A dask cluster that runs already: its workers are hosts, and go on afterwards.

Slow because it is real: a worker is started, which loads dask, and a study is measured on it.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Scheduler, Security

from fsgauge.errors import InputError
from fsgauge.rig.fleet.certificates import Authority, Credentials
from fsgauge.rig.fleet.existing import existing_cluster
from fsgauge.store import read_results
from tests.fleet.conftest import Run, environment_of
from tests.fleet.test_run import left_behind, results_of

SECONDS = 60.0


class OwnCluster:
    """A scheduler in a thread, and workers that are processes."""

    def __init__(self, tmp_path: Path) -> None:
        authority = Authority.made()
        own = authority.issue("scheduler", "scheduler")
        self.files = {"CA_FILE": own.authority, "CERT": own.certificate, "KEY": own.key}
        for name, text in self.files.items():
            (tmp_path / name).write_text(text)
        self.tmp_path = tmp_path
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.scheduler = self._do(self._begun(own))
        self.workers: list[subprocess.Popen[bytes]] = []

    async def _begun(self, own: Credentials) -> Scheduler:
        security = Security(
            require_encryption=True,
            tls_ca_file=own.authority,
            tls_scheduler_cert=own.certificate,
            tls_scheduler_key=own.key,
        )
        found = Scheduler(
            security=security, protocol="tls", host="127.0.0.1", port=0, dashboard=False
        )
        await found
        return found

    def _do(self, work: object) -> Scheduler:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(SECONDS)

    @property
    def environment(self) -> dict[str, str]:
        """Where a client finds its certificates."""
        tls = "DASK_DISTRIBUTED__COMM__TLS"
        return {
            f"{tls}__CA_FILE": str(self.tmp_path / "CA_FILE"),
            f"{tls}__CLIENT__CERT": str(self.tmp_path / "CERT"),
            f"{tls}__CLIENT__KEY": str(self.tmp_path / "KEY"),
        }

    def start_worker(self, name: str) -> None:
        known = len(self.scheduler.workers)
        folder = self.tmp_path / "worker"
        folder.mkdir(exist_ok=True)
        words = [
            *(sys.executable, "-m", "distributed.cli.dask_worker", str(self.scheduler.address)),
            *("--no-nanny", "--no-dashboard", "--name", name, "--host", "127.0.0.1"),
            *("--protocol", "tls", "--local-directory", str(folder)),
            *("--tls-ca-file", str(self.tmp_path / "CA_FILE")),
            *("--tls-cert", str(self.tmp_path / "CERT"), "--tls-key", str(self.tmp_path / "KEY")),
        ]
        environment = environment_of(self.tmp_path)
        self.workers.append(
            subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL, cwd=folder)
        )
        ends = time.monotonic() + SECONDS
        while len(self.scheduler.workers) == known:
            assert time.monotonic() < ends and self.workers[-1].poll() is None
            time.sleep(0.05)

    def end(self) -> None:
        for worker in self.workers:
            worker.terminate()
            worker.wait(SECONDS)
        self._do(self.scheduler.close())
        self.loop.call_soon_threadsafe(self.loop.stop)


@pytest.fixture
def own_cluster(tmp_path: Path) -> Iterator[OwnCluster]:
    found = OwnCluster(tmp_path)
    yield found
    found.end()


def test_workers_of_a_cluster_are_hosts(
    fsgauge: Run, small: list[str], tmp_path: Path, own_cluster: OwnCluster
) -> None:
    """Of two workers on one machine one is used; both are there afterwards, and nothing is left."""
    own_cluster.start_worker("near")
    own_cluster.start_worker("near-too")
    (tmp_path / "disks").mkdir(exist_ok=True)
    address = str(own_cluster.scheduler.address)
    words = [*small, "--hosts", address, "--set", "plan.blocks=2"]
    done = fsgauge("run", *words, **own_cluster.environment)
    assert done.returncode == 0, done.stderr
    machines = read_results(results_of(tmp_path)).before.machines
    assert [machine.name for machine in machines] == ["near"]
    assert all(worker.poll() is None for worker in own_cluster.workers)
    assert left_behind(tmp_path) == []


def test_nothing_but_tls_is_used(fsgauge: Run, small: list[str]) -> None:
    with (
        pytest.raises(InputError, match="is not an address with TLS"),
        existing_cluster("tcp://127.0.0.1:8786"),
    ):
        pass
    done = fsgauge("run", *small, "--hosts", "tcp://127.0.0.1:8786")
    assert done.returncode == 2 and "is not an address with TLS" in done.stderr


def test_a_scheduler_without_a_certificate_or_that_is_not_there(
    fsgauge: Run, small: list[str], own_cluster: OwnCluster
) -> None:
    address = str(own_cluster.scheduler.address)
    done = fsgauge("run", *small, "--hosts", address)
    assert done.returncode == 2 and f"no certificate for {address}" in done.stderr
    done = fsgauge("run", *small, "--hosts", address, **own_cluster.environment)
    assert done.returncode == 2 and f"the scheduler {address} has no worker" in done.stderr
