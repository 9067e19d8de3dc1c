"""Every command in the README does what it says there, on small storage where it would take long.

`make demo` and `make test` are run by CI itself, those that install by tests/packages/installed.py
(`make test-packages`); the rest is run here.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fsgauge.access.samba import SAMBA
from fsgauge.rig.host.serving import lack_of
from tests.commands import interpreted
from tests.house.small import OVERHEAD
from tests.synthetic import make_study
from tests.unit.importing.test_import import fio

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    """Lines of the README's sh blocks, without their comments."""
    blocks = re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    return [re.sub(r"\s+# .*", "", line) for line in lines if line.strip()]


def shortened(extra: list[str]) -> list[str]:
    return [word for each in [*OVERHEAD, *extra] for word in ("--set", each)]


def fsgauge(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return interpreted(*words, seconds=280, cwd=folder)


INSTALLING = 6
"""How many commands come before those that are studied."""


def test_packages_come_first_and_a_build_from_source_takes_two_commands() -> None:
    package, deb, wheel, demo, *source = commands()[:INSTALLING]
    assert package == "make packages-release ONLY=amd64"
    assert deb.startswith("sudo apt install ./target/packages/")
    assert wheel.startswith("pipx install ./target/packages/")
    assert [demo, *source] == ["sudo fsgauge demo", "make demo", "make test"]


def test_the_make_targets_exist() -> None:
    for target in ("demo", "test", "check", "bench", "test-packages"):
        subprocess.run(
            ["make", "--dry-run", target], cwd=ROOT, check=True, capture_output=True, timeout=60
        )


def test_every_other_command_is_known_here() -> None:
    words = (
        "run run run study run run run choose import"
        " plan run run run run run run run run run rig run run"
        " run run run run study scan scan resume report doctor compare query crosscheck"
    )
    assert [line.split()[1] for line in commands()[INSTALLING:]] == words.split()


def test_the_commands_that_measure_nothing(tmp_path: Path) -> None:
    (tmp_path / "db.fio").write_text("[db]\nrw=randread\nbs=8k\nsize=1g\niodepth=16\n")
    for line in commands():
        if line.split()[1] in ("plan", "study", "doctor"):
            done = fsgauge(line.split()[1:], tmp_path)
            refused = " plan " in line and "\nrefused " in done.stdout  # no root, or no room
            assert done.returncode == 0 or refused, (line, done.stderr)


@pytest.mark.long
@pytest.mark.root
def test_runs_on_a_scratch_file_and_what_can_be_done_with_them(tmp_path: Path) -> None:
    line = next(line for line in commands() if line == "fsgauge run overhead")
    scratch = ["storage.size=512MiB", f"storage.directory={tmp_path}"]
    folders = []
    for _ in range(4):  # as many sittings as a comparison decides with
        done = fsgauge([*line.split()[1:], *shortened(scratch)], tmp_path)
        assert done.returncode in (0, 1), done.stderr  # 1: not valid, on a busy machine
        page = tmp_path / done.stdout.splitlines()[-1].removeprefix("report: ")
        folders.append(str(page.parent))
    for line in commands():
        words = [folder_for(word, folders) for word in shlex.split(line)[1:]]
        if words[0] in ("resume", "report", "query", "compare"):
            done = fsgauge(words, tmp_path)
            assert done.returncode in ((0, 1) if words[0] == "compare" else (0,)), done.stderr
            assert done.stdout
        elif words[0] == "crosscheck":
            one = [*scratch, "workload.patterns=['randread']"]  # others: rigs/test_crosscheck.py
            done = fsgauge([*words, "--pairs", "2", *shortened(one)], tmp_path)
            if shutil.which("fio") is None:
                assert "apt-get install fio" in done.stderr
            else:
                assert done.returncode == 0, done.stderr


def test_the_query_counts_reads_and_writes(tmp_path: Path) -> None:
    shape: dict[str, Any] = {"block_sizes": (4096,), "queue_depths": (1,), "blocks": 2}
    folder = make_study(patterns=("randread", "randwrite", "randrw"), **shape).write(tmp_path / "a")
    (line,) = [line for line in commands() if line.startswith("fsgauge query")]
    done = fsgauge(["query", str(folder), shlex.split(line)[-1], "--json"], tmp_path)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(row) for row in done.stdout.splitlines()]
    assert len(rows) == 3 * 3
    assert all(row["iops"] > 0 for row in rows)


def done_small(
    command: str, settings: list[str], folder: Path, *words: str
) -> subprocess.CompletedProcess[str]:
    """The README's command on small storage."""
    line = next(line for line in commands() if line == command)
    small = [word for each in settings for word in ("--set", each)]
    return fsgauge([*line.split()[1:], *words, *small], folder)


def assert_answers(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2].startswith("answer: ")


def test_two_folders_as_an_ordinary_user(tmp_path: Path) -> None:
    line = next(line for line in commands() if line.startswith("fsgauge run /mnt/a"))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    words = [word.replace("/mnt", str(tmp_path)) for word in line.split()[1:]]
    done = fsgauge([*words, *shortened(["storage.size=64MiB"])], tmp_path)
    assert done.returncode in (0, 1), done.stderr  # 1: not valid, on a busy machine
    assert done.stdout.splitlines()[-2].startswith("answer: ")


@pytest.mark.long
@pytest.mark.root
@pytest.mark.parametrize(
    ("command", "settings"),
    [
        ("fsgauge run postgresql", ["workload.fill=4 %", "workload.duration=50ms"]),
        ("fsgauge run mix-mail", ["workload.duration=200ms", "workload.group.mail.files=50"]),
        ("fsgauge run metadata", ["workload.entries=[200]", "workload.clients=[1]"]),
        ("fsgauge run capacity", ["workload.duration=100ms", "plan.latency_limit=2 s"]),
    ],
)
def test_loads_of_ones_own_on_a_scratch_file(
    command: str, settings: list[str], tmp_path: Path
) -> None:
    small = ["storage.size=512MiB", f"storage.directory={tmp_path}", "plan.blocks=2"]
    done = done_small(command, [*small, *settings], tmp_path)
    assert done.returncode in (0, 1), done.stderr  # 1: not valid, on a busy machine
    assert done.stdout.splitlines()[-2].startswith("answer: ")


@pytest.mark.long
@pytest.mark.root
def test_a_program_of_ones_own_on_a_scratch_file(tmp_path: Path) -> None:
    linux = tmp_path / "linux"
    author = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    linux.mkdir()
    for words in (["init", "-q"], [*author, "commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run(["git", *words], cwd=linux, check=True)
    line = next(line for line in commands() if line.startswith("fsgauge run command"))
    before, _, program = line.partition(" -- ")
    small = ["--set", "storage.size=512MiB", "--set", f"storage.directory={tmp_path}"]
    words = [*before.split()[1:], *small, "--set", "plan.blocks=2", "--", *program.split()]
    done = fsgauge([word.replace("/srv/linux", str(linux)) for word in words], tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout.splitlines()[-2].startswith("answer: git")


@pytest.mark.root
def test_what_would_be_raced_for_a_load_of_ones_own(tmp_path: Path) -> None:
    line = next(line for line in commands() if line.startswith("fsgauge choose"))
    done = fsgauge([*line.split()[1:], "--plan"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "race " in done.stdout


def test_results_of_another_tool(tmp_path: Path) -> None:
    line = next(line for line in commands() if line.startswith("fsgauge import"))
    for number, name in enumerate(line.split()[2:]):
        fio(tmp_path / name, 1000 + number)
    done = fsgauge(line.split()[1:], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].endswith(": 2 runs of fio 3.33, 1 test")


@pytest.mark.long
@pytest.mark.root
def test_writers_on_a_scratch_file(tmp_path: Path) -> None:
    small = ["storage.size=512MiB", f"storage.directory={tmp_path}", "workload.fill=4 %"]
    short = [*small, "workload.writers=[1, 2]", "plan.blocks=2"]
    done = done_small("fsgauge run writers", short, tmp_path)
    assert_answers(done)


@pytest.mark.long
@pytest.mark.root
def test_connections_on_a_scratch_file(tmp_path: Path) -> None:
    small = ["storage.size=256MiB", f"storage.directory={tmp_path}", "workload.clients=20"]
    short = [*small, "workload.fill=4 %", "workload.backup_fill=10 %", "plan.blocks=2"]
    done = done_small("fsgauge run connections", short, tmp_path)
    assert_answers(done)


@pytest.mark.long
@pytest.mark.root
def test_connections_through_a_server(tmp_path: Path) -> None:
    small = ["storage.size=256MiB", f"storage.directory={tmp_path}", "workload.clients=5"]
    short = [*small, "workload.fill=4 %", "workload.backup_fill=10 %", "plan.blocks=2"]
    done = done_small("fsgauge run connections --serve samba", short, tmp_path)
    if lack_of(SAMBA):
        assert done.returncode == 3
        assert SAMBA.install in done.stderr
        return
    assert_answers(done)


@pytest.mark.long
def test_years_in_the_simulator(tmp_path: Path) -> None:
    small = ["storage.size=256MiB", "sweep.years=[0, 1]", "plan.blocks=2"]
    small.append('sweep.profiles=["median_size=64 KiB"]')
    assert_answers(done_small("fsgauge run years --rig simulator", small, tmp_path))


@pytest.mark.long
@pytest.mark.parametrize(
    ("study", "small"),
    [
        ("aging", ["storage.size=4GiB", "workload.levels=['5 %', '100 %']"]),
        ("connections", ["storage.size=1GiB", "workload.clients=8"]),
        ("churn", ["storage.size=1GiB"]),
        (
            "ost-years",
            [
                *("storage.size=4GiB", "sweep.years=[0, 1]", "workload.median_size=4MiB"),
                *("workload.largest_size=64MiB", "workload.new_file_size=16MiB"),
            ],
        ),
    ],
)
def test_studies_in_the_simulator(study: str, small: list[str], tmp_path: Path) -> None:
    command = f"fsgauge run {study} --rig simulator"
    assert_answers(done_small(command, [*small, "plan.blocks=2"], tmp_path))


@pytest.mark.long
@pytest.mark.root
def test_churn_on_a_scratch_file(tmp_path: Path) -> None:
    small = [f"storage.directory={tmp_path}", "workload.storage_age=1.2", "plan.blocks=2"]
    small.append('workload.fills=["50 %"]')
    done = done_small("fsgauge run churn", small, tmp_path, "--system", "xfs")
    assert_answers(done)


@pytest.mark.long
@pytest.mark.root
def test_aging_on_a_scratch_file(tmp_path: Path) -> None:
    small = ["storage.size=1GiB", f"storage.directory={tmp_path}", "workload.streams=1"]
    short = [*small, 'workload.levels=["5 %"]', "plan.blocks=2"]
    done = done_small("fsgauge run aging", short, tmp_path)
    assert_answers(done)


def test_a_scan(tmp_path: Path) -> None:
    (tmp_path / "a file").write_bytes(b"something" * 1000)
    line = next(line for line in commands() if line.startswith("fsgauge scan"))
    words = [str(tmp_path) if word == "/srv" else word for word in shlex.split(line)[1:]]
    done = fsgauge(words, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "scan.html").is_file()


def test_a_scan_each_day(tmp_path: Path) -> None:
    (tmp_path / "a file").write_bytes(b"something" * 1000)
    scans = [line for line in commands() if line.startswith("fsgauge scan")]
    line = next(line for line in scans if "--watch" in line)
    words = [str(tmp_path) if word == "/srv" else word for word in shlex.split(line)[1:]]
    for _ in range(2):
        done = fsgauge(words, tmp_path)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "srv.watch").is_file()


def folder_for(word: str, folders: list[str]) -> str:
    """A real results folder for the README's examples of one."""
    named = ("results/A", "results/B", "results/A2", "results/B2")
    return {"results/DIR": folders[0], **dict(zip(named, folders, strict=True))}.get(word, word)


@pytest.mark.long
@pytest.mark.root
@pytest.mark.usefixtures("dropped_caches")
def test_a_run_on_a_device(tmp_path: Path, device: tuple[str, str]) -> None:
    node, name = device
    line = next(line for line in commands() if "--destroy" in line)
    words = shlex.split(line)[1:]
    words = [node if word.startswith("/dev/") else word for word in words]
    words = [name if word == "SERIAL" else word for word in words]
    done = fsgauge([*words, *shortened([])], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2].startswith("answer: ")
