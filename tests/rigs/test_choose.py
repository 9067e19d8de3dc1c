"""A race on real file systems: what mkfs refuses leaves, a winner is confirmed, and the lines to
copy work as they are printed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from fsgauge.report.write import read_report
from fsgauge.run.resuming import study_of
from fsgauge.stats.choosing.commands import commands_of
from fsgauge.store import read_results
from tests.needs import need_mkfs, need_tool
from tests.patience import patience
from tests.rigs.conftest import MEBIBYTE, MakeLoop, run

STUDY = """\
format = 1
question = "Which inode size, and does noatime matter?"

[storage]
kind = "loop"
size = "64 MiB"
directory = "{folder}"

[[system]]
name = "ext4"
vary = {{ "mkfs.-I" = ["default", 128, 100], "mount.noatime" = [false, true] }}

[workload]
patterns = ["randwrite"]
block_sizes = ["4 KiB"]
queue_depths = [1]
duration = "100 ms"
warm_up = "0 s"
files = 1

[plan]
mode = "race"
blocks = 3
confirm = 3
seed = 7
"""


def choose(
    folder: Path, engine: Engine, *words: str, text: str = STUDY
) -> subprocess.CompletedProcess[str]:
    """`fsgauge choose mine.toml` by a relative path, in a folder of its own."""
    (folder / "mine.toml").write_text(text.format(folder=folder))
    return typed(folder, engine, "choose", "mine.toml", "--yes", *words)


def typed(
    folder: Path, engine: Engine, *words: str, ends_at: Callable[[], bool] | None = None
) -> subprocess.CompletedProcess[str]:
    """A command in the folder; Ctrl-C ends it once that is so."""
    command = [sys.executable, "-m", "fsgauge", *words]
    environment = os.environ | {
        "FSGAUGE_ENGINE": str(engine.binary),
        "FSGAUGE_STATE": str(folder / "state"),
        "FSGAUGE_KEEP_CACHES": "1",
    }
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True
    ) as process:
        while ends_at is not None and process.poll() is None:
            if ends_at():
                process.send_signal(signal.SIGINT)
                break
            time.sleep(0.05)
        out, err = process.communicate(timeout=patience(300))
    return subprocess.CompletedProcess(command, process.returncode, out, err)


@pytest.mark.root
@pytest.mark.long
def test_a_race_on_loop_files_from_the_trial_to_the_lines_to_copy(
    tmp_path: Path, engine: Engine
) -> None:
    done = choose(tmp_path, engine)
    assert done.returncode == 0, done.stderr
    assert "failed    ext4 (-I 100) and ext4 (-I 100, noatime): " in done.stderr
    assert "race      4 systems, ext4 the baseline" in done.stderr
    assert re.search(r"race: ext4.* leads \d of 4|race over: ext4.* leads", done.stderr)
    (directory,) = (tmp_path / "results").iterdir()
    stored, results = read_results(directory), read_report(directory).results
    race = results.race
    assert race is not None and race.ended != "running" and race.confirmed == 3
    assert all(run.fault is None for run in stored.runs)
    assert "Nothing else tested is " in results.answer or " known" in results.answer
    assert {run.system for run in stored.runs if run.block >= 3} == set(race.finalists)
    assert (
        done.stdout.splitlines()[-3]
        == commands_of(
            next(each for each in stored.study.study["system"] if each["name"] == race.leader)
        )[0]
    )


@pytest.mark.root
@pytest.mark.long
def test_a_race_over_hosts_replays_from_the_sums_of_their_parts(
    tmp_path: Path, engine: Engine
) -> None:
    """A block never spans other hosts than the ones before it; what one of them refuses leaves."""
    hosts = tmp_path / "hosts.toml"
    hosts.write_text(
        'launcher = "local"\nlead = "500 ms"\n[[host]]\nname = "a"\n[[host]]\nname = "b"\n'
    )
    done = choose(tmp_path, engine, "--rig", "fleet", "--hosts", "hosts.toml")
    assert done.returncode == 0, done.stderr
    assert "failed    ext4 (-I 100) and ext4 (-I 100, noatime): " in done.stderr
    (directory,) = (tmp_path / "results").iterdir()
    stored, race = read_results(directory), read_report(directory).results.race
    assert race is not None and race.ended != "running" and race.confirmed == 3
    assert len(race.systems) == 4 and race.leader in race.systems
    for run_of_all in stored.runs:
        assert [part.machine for part in run_of_all.parts] == ["a", "b"]
    assert "mkfs.ext4" in done.stdout
    assert not list(tmp_path.glob("*.img")), "nothing of either host stays"


MODELS = """\
format = 1
question = "Which numbers of mballoc?"

[storage]
kind = "simulated"
size = "64 MiB"

[[system]]
name = "ext4"
kind = "ext4-6.18"
vary = {{ "settings.mb_group_prealloc" = {numbers}, "settings.mb_stream_req" = {numbers}, \
"settings.mb_max_to_scan" = {numbers} }}

[[system]]
name = "usual ext4"
kind = "ext4"

[workload]
kind = "churn"
fills = ["80 %"]
tests = ["read"]

[plan]
mode = "race"
blocks = 3
confirm = 3
seed = 5
"""


@pytest.mark.long
def test_of_many_models_a_sample_is_raced_then_what_is_around_its_winner(
    tmp_path: Path, engine: Engine
) -> None:
    """Cut short in the first race, then in the second: `resume` of the first goes on with both."""
    text = MODELS.replace("{numbers}", '["512", "8", "16", "32", "64", "128"]')
    (tmp_path / "mine.toml").write_text(text.format())

    def runs(place: str) -> int:
        return len(list(tmp_path.glob(f"results/{place}records/*/[0-9]*-*.json")))

    words = ("choose", "mine.toml", "--yes", "--rig", "simulator")
    cut = typed(tmp_path, engine, *words, ends_at=lambda: runs("*/") > 70)
    assert cut.returncode == 130, cut.stderr
    assert "of 217 combinations are raced" in cut.stderr
    (first,) = (tmp_path / "results").iterdir()
    assert f"next: fsgauge resume results/{first.name}" in cut.stderr
    assert not (first / "second").exists()
    again = ("resume", f"results/{first.name}")
    cut = typed(tmp_path, engine, *again, ends_at=lambda: runs("*/second/*/") > 10)
    assert cut.returncode == 130, cut.stderr
    (second,) = (first / "second").iterdir()
    done = typed(tmp_path, engine, *again)
    assert done.returncode == 0, done.stderr
    assert list((first / "second").iterdir()) == [second], "it went on, and did not begin again"
    winner = read_report(first).results.race
    around = read_report(second).results.race
    assert winner is not None and around is not None and "second" in second.name
    assert around.ended != "running" and around.confirmed == 3
    assert f"systems around {winner.chosen}" in cut.stderr
    assert winner.chosen in around.systems and len(around.systems) > 30
    assert done.stdout.count("answer: ") == 2


YEARS = """\
format = 1
question = "Which is best after two years?"

[storage]
kind = "simulated"
size = "64 MiB"

[[system]]
name = "ext4"
vary = {{ "mount.nodelalloc" = [false, true], "mount.noatime" = [false, true], \
"mkfs.-O" = ["default", "fast_commit"] }}

[workload]
kind = "churn"
fills = ["80 %"]
tests = ["read"]

[sweep]
years = [0, 2]

[plan]
mode = "race"
blocks = 3
confirm = 3
"""


@pytest.mark.root
@pytest.mark.long
def test_years_are_raced_in_models_and_the_finalists_measured_here(
    tmp_path: Path, engine: Engine
) -> None:
    done = choose(tmp_path, engine, "--rig", "simulator", text=YEARS)
    assert done.returncode == 0, done.stderr
    assert "failed    ext4 (noatime): what differs from ext4 has no effect" in done.stderr
    assert "knows nothing of mkfs" in done.stderr
    (directory,) = (tmp_path / "results").iterdir()
    study = read_results(directory).study.study
    assert study["workload"]["storage_age"] == 3.0
    (finalists,) = (directory / "finalists").iterdir()
    found = study_of(read_results(finalists))
    assert found.storage.kind == "loop" and found.plan.mode == "all"
    assert [each.kind for each in found.systems] == ["ext4", "ext4"]
    assert getattr(found.workload, "storage_age", None) == 3.0
    assert done.stdout.count("answer: ") == 2
    again = typed(tmp_path, engine, "resume", str(directory))
    assert again.returncode == 0 and again.stderr.count("the study is complete") == 2


@pytest.mark.root
@pytest.mark.parametrize(
    "system",
    [
        {
            "kind": "ext4",
            "mkfs": "-I 128 -O fast_commit",
            "mount": "noatime,nodelalloc",
            "tunables": {
                "/proc/sys/fs/aio-max-nr": "{more}",
                "queue/scheduler": "none",
                "queue/read_ahead_kb": "4096",
                "/sys/fs/ext4/{device}/mb_group_prealloc": "256",
            },
        },
        {"kind": "xfs", "mkfs": "-m reflink=0", "mount": "noatime", "extent_size_hint": 1 << 20},
        {"kind": "btrfs", "mkfs": "--nodesize 4096 --csum xxhash", "mount": "max_inline=0"},
    ],
    ids=lambda system: str(system["kind"]),
)
def test_the_lines_to_copy_do_what_they_say(
    system: dict[str, object], make_loop: MakeLoop, tmp_path: Path
) -> None:
    """Each in its file, with the device, its UUID and the folder for what they stand for. They had
    the file's name behind them, which sysctl and tmpfiles take for a part of the value."""
    need_mkfs(str(system["kind"]))
    need_tool("systemd-tmpfiles", "systemd")
    most = Path("/proc/sys/fs/aio-max-nr")
    before = most.read_text()
    device, folder = make_loop(320 * MEBIBYTE), tmp_path / "mounted"
    folder.mkdir()
    lines = [
        line.replace("DEVICE", Path(device).name)
        .replace("/FOLDER", str(folder))
        .replace("{more}", str(int(before) + 1024))
        for line in commands_of(system)
    ]
    files, commands, at = dict[str, list[str]](), list[str](), "mkfs"
    for line in lines:
        if line.startswith("# "):
            at = line.removeprefix("# ")
        elif at.startswith("/etc/"):
            files.setdefault(at, []).append(line)
        else:
            commands.append(line)
    bash(commands[0])
    uuid = subprocess.check_output(["blkid", "-s", "UUID", "-o", "value", device], text=True)
    fstab = tmp_path / "fstab"
    fstab.write_text(files["/etc/fstab"][0].replace("...", uuid.strip()) + "\n")
    bash(f"mount -T {fstab} {folder}")
    try:
        bash("\n".join(commands[1:]))
        for file, own in files.items():
            (tmp_path / Path(file).name).write_text("".join(f"{line}\n" for line in own))
        if "tunables" in system:
            bash(f"sysctl -e -p {tmp_path}/60-fsgauge.conf")
            bash(f"systemd-tmpfiles --create {tmp_path}/fsgauge.conf")
            assert int(most.read_text()) == int(before) + 1024
            name = Path(device).name
            assert "[none]" in Path(f"/sys/block/{name}/queue/scheduler").read_text()
            assert Path(f"/sys/block/{name}/queue/read_ahead_kb").read_text() == "4096\n"
            assert Path(f"/sys/fs/ext4/{name}/mb_group_prealloc").read_text() == "256\n"
        options = subprocess.check_output(["findmnt", "-no", "OPTIONS", str(folder)], text=True)
        assert set(str(system["mount"]).split(",")) <= set(options.strip().split(","))
        if "extent_size_hint" in system:
            (folder / "new").touch()
            hint = subprocess.check_output(["xfs_io", "-c", "extsize", f"{folder}/new"], text=True)
            assert hint.startswith("[1048576]")
    finally:
        most.write_text(before)
        run("umount", str(folder))


def bash(text: str) -> None:
    done = subprocess.run(["bash", "-ec", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{text}: {done.stderr}"
