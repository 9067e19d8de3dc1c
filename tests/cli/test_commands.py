"""The commands that measure nothing, and what every command has in common."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from fsgauge.cli import group
from fsgauge.cli.commands import COMMANDS, GROUPS, MOVED
from fsgauge.errors import InputError
from fsgauge.kinds.command.keys import CommandWorkload
from fsgauge.study.shipped import find_study
from fsgauge.units import format_duration, format_size
from tests.synthetic import make_study

from .conftest import Run, is_planned


def test_every_command_is_in_a_group_of_the_help(fsgauge: Run) -> None:
    said = fsgauge("--help").stdout
    order = [said.index(f"\n{title}:\n") for title in GROUPS]
    assert order == sorted(order)
    assert [said.count(f"\n  {name} ") for name in COMMANDS] == [1] * len(COMMANDS)
    assert list(COMMANDS)[-2:] == ["published", "crosscheck"]
    assert not set(MOVED) & set(COMMANDS)


@pytest.mark.parametrize("command", ["", *COMMANDS, "rig bisect", "rig coherence", "rig failure"])
def test_every_command_has_help(fsgauge: Run, command: str) -> None:
    done = fsgauge(*command.split(), "--help")
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: ")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["nosuch"], 'there is no command "nosuch"'),
        (["rnu", "overhead"], "next: fsgauge run overhead"),
        (["studies"], "next: fsgauge study list"),
        (["help", "run"], "next: fsgauge run --help"),
        (["postgresql", "--full"], "next: fsgauge run postgresql --full"),
        (["rig", "lst"], "next: fsgauge rig list"),
        (["run", "overhead", "--mount", "noatime"], "next: --system ext4:mount=noatime"),
        (["run", "overhead", "--device", "sdb"], "next: --storage /dev/sdb"),
        (["run", "overhead", "--filesystem", "xfs"], "next: --system xfs"),
        (["run", "overhead", "--fs", "ext4,xfs"], "next: --system ext4 --system xfs"),
        (["run", "overhead", "--fs"], "--fs is --system here\nnext: --system ext4"),
        (["run", "overhead", "--mkfs", "-d su=64k"], "next: --system 'ext4:mkfs=-d su=64k'"),
        (["run", "overhead", "--mkfs=-I 512"], "next: --system 'ext4:mkfs=-I 512'"),
        (["run", "overhead", "--mkfs", "--full"], "next: --system 'ext4:mkfs=-I 512'"),
        (["run", "overhead", "--dry-run", "--full"], "next: fsgauge plan overhead --full"),
        (["run", "overhead", "--plan"], "--plan is fsgauge plan overhead here\nnext: fsgauge plan"),
        (["run", "--quiet", "-n", "overhead", "-y"], "next: fsgauge plan overhead\n"),
        (["run", "command", "tar", "xf", "a", "-n"], "next: fsgauge run command -- tar xf a -n"),
        (["choose", "overhead", "--dry-run"], "--dry-run is --plan here\nnext: --plan"),
        (["run", "metadata", "-n", "1000"], "No such option"),
        (["run", "overhead", "--disk", "x"], "next: fsgauge explain disk"),
        (["run", "aging", "--disk", "disk-2012"], "next: --set workload.disk=disk-2012"),
        (["plan", "overhead", "--set", "plan.block=3"], 'did you mean "blocks"?'),
        (["gate", "accept", "--loss", "0.05", "x"], "next: --loss '5 %', or --loss '0.05 %'"),
        (["plan", "zfs"], "a study makes no zfs"),
        (["plan", "f2fs"], "next: fsgauge plan overhead --system f2fs"),
        (["plan", "commmits"], "next: fsgauge plan commits"),
        (["run"], "Missing argument 'STUDY|FOLDER..."),
        (["run", "nosuch"], 'there is no study "nosuch"'),
        (["plan", "overhead", "--nosuch"], "No such option"),
        (["run", "overhead", "--discard-unknown-data"], "no device is named"),
        (["run", "overhead", "--destroy", "--quiet"], "--quiet is an option"),
        (["report", "nowhere"], "there is no folder nowhere"),
        (["explain", "nosuch"], 'no word, number or key is called "nosuch"'),
        (["run", "overhead", "--kind", "ram"], "next: fsgauge explain kind"),
        (["run", "overhead", "--duration", "5s"], "next: --set workload.duration=5s"),
        (["run", "overhead", "--bs", "4k"], "--bs is an option of fio; here: workload.block_"),
        (["run", "overhead", "--bs=4k"], "next: --set bs=4k"),
        (["run", "command", "-w", "3", "--", "true"], "hyperfine; here: workload.caches"),
        (["run", "command", "-r", "3", "--", "true"], "next: --set runs=3"),
        (["run", "command", "-N", "--", "true"], "always so: no shell reads the program"),
        (["run", "command", "--show-output"], "next: the same command without it"),
        (["run", "command", "--"], "nothing is behind --"),
        (["run", "sleep", "1"], "next: fsgauge run command -- sleep 1"),
        (["run", "sleep", "-x", "1"], "next: fsgauge run command -- sleep -x 1"),
        (["run", "commad", "--", "sleep", "1"], "next: fsgauge plan command"),
        (["run", "overhead", "--qd", "32"], "--qd is fio's iodepth; here: workload.queue_depths"),
        (["run", "overhead", "--blocks", "5"], "next: --set plan.blocks=5"),
        (["run", "overhead", "--set", "bs=4k,64k"], 'several, each a cell: ["4k", "64k"]'),
        (["run", "overhead", "--set", "bssplit=4k/50"], "fio's bssplit has no key here: a cell"),
        (["bisect", "overhead", "--good", "a b"], "next: fsgauge rig bisect overhead --good 'a b'"),
        (["coherence", "/a"], "next: fsgauge rig coherence /a"),
        (["failure"], "next: fsgauge rig failure"),
        (["systems", "--json"], "next: fsgauge doctor --systems --json"),
        (["run", "overhead", "--ssh", "a,b"], "next: --hosts a,b"),
        (["run", "overhead", "--slurm=4"], "next: --hosts slurm:4"),
        (["resume", "x", "--kubernetes", "p.toml"], "next: --hosts kubernetes:p.toml"),
        (["plan", "overhead", "--scheduler", "tls://a:1"], "next: --hosts tls://a:1"),
        (["run", "overhead", "--scheduler", "bfq"], "tunables.queue/scheduler=bfq"),
        (["run", "overhead", "--system", "luks"], "next: --system plain=/mnt/a --system luks=/"),
        (["run", "overhead", "--hosts", "a,b", "--same"], "next: --hosts same:a,b"),
        (["report", "x", "--accept-changed"], "next: --despite changed-records"),
        (["compare", "x", "y", "--to-baseline"], "next: --despite machine"),
        (["report", "x", "--disk", "window=16"], "next: --set workload.disk.window=16"),
        (["report", "x", "--disk"], "--disk is --set here\nnext: --set workload.disk.window=16"),
        (["report", "x", "--despite", "kernel"], "next: --despite changed-records, or leave it"),
    ],
)
def test_wrong_words_end_in_two_with_the_next_command(
    fsgauge: Run, words: list[str], part: str
) -> None:
    done = fsgauge(*words)
    assert done.returncode == 2
    assert part in done.stderr
    assert "next: " in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [[], ["gate"]])
def test_a_command_without_words_shows_its_help(fsgauge: Run, words: list[str]) -> None:
    done = fsgauge(*words)
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: ")
    assert "\n\nMeasure:\n" in done.stderr or "\n\nCommands:\n" in done.stderr


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("create.mean", "# Mean latency"),
        ("read.p99", "# p99 latency"),
        ("mix-mail", "mix-mail, a study"),
        ("detects", "would have shown"),
        ("destroys", "destroys"),
        ("durable", "less safe"),
        ("-n", "IOzone's -n: list the sizes yourself; the file size is one for a study"),
        ("plan.blocks", "plan.blocks"),
    ],
)
def test_numbers_of_an_operation_and_keys_are_explained(
    fsgauge: Run, name: str, first: str
) -> None:
    done = fsgauge("explain", name)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == first


def test_a_wrong_number_of_an_operation_gets_the_nearest(fsgauge: Run) -> None:
    done = fsgauge("explain", "create.meen")
    assert done.returncode == 2
    assert 'did you mean "mean"?' in done.stderr
    assert "next: fsgauge explain nobarrier" in fsgauge("explain", "nobarier").stderr


def test_a_plan_is_six_lines_and_its_last_is_the_command(fsgauge: Run) -> None:
    words = ["overhead", "--seed", "1", "--set", "plan.blocks=3"]
    planned = fsgauge("plan", *words, "--noise", "2 %")
    assert is_planned(planned)
    lines = [line for line in planned.stdout.splitlines() if line[:1] not in (" ", "")]
    names = [line.split()[0] for line in lines[lines.index(next(filter(is_asked, lines))) :]]
    assert names == ["asks", "compares", "takes", "destroys", "detects", "next"]
    run = f"fsgauge run {' '.join(words)}      " if planned.returncode == 0 else ""
    assert lines[-1].startswith(f"next      {run}more: --verbose")


def is_asked(line: str) -> bool:
    return line.startswith("asks ")


def test_a_verbose_plan_prints_order_time_bytes_and_effect(fsgauge: Run) -> None:
    done = fsgauge("plan", "overhead", "--seed", "1", "--verbose")
    assert is_planned(done)
    for word in ("order ", "time ", "written ", "destroyed nothing", "shows "):
        assert word in done.stdout


@pytest.mark.parametrize(
    "refused",
    [
        ["--system", "ext4:mount=nosuch"],
        ["--storage", "loop:900000GiB"],
        ["--results", "/etc/hostname/results"],
    ],
)
def test_a_plan_says_first_what_the_run_would_refuse(fsgauge: Run, refused: list[str]) -> None:
    words = ["overhead", "--set", "plan.blocks=3", *refused]
    planned, run = fsgauge("plan", *words), fsgauge("run", *words, "--quiet")
    assert planned.returncode == 2, planned.stderr
    assert planned.stdout.startswith("fsgauge run would refuse this study, for ")
    assert "\nasks " in planned.stdout
    assert run.returncode in (2, 3)
    whats = [
        without_numbers(line.removeprefix("refused   "))
        for line in planned.stdout.splitlines()
        if line.startswith("refused   ")
    ]
    said = next(line for line in run.stderr.splitlines() if line.startswith("error: "))
    assert without_numbers(said.removeprefix("error: ")) in whats


def without_numbers(text: str) -> str:
    """The free space of a disk that other tests use changes meanwhile."""
    return re.sub(r"[0-9.]+", "N", text)


def test_the_refusals_of_a_plan_are_in_its_json(fsgauge: Run) -> None:
    done = fsgauge("plan", "overhead", "--system", "ext4:mkfs=-Q", "--json")
    assert done.returncode == 2
    whats = [each["what"] for each in json.loads(done.stdout)["refusals"]]
    assert any(what.startswith('"-Q" is not known to be safe as root') for what in whats)


def test_one_of_several_systems_is_named_and_left_out_by_the_command_shown(
    fsgauge: Run, place: Path
) -> None:
    """/dev/shm has no direct I/O, and the others have."""
    words = ["overhead", "--storage", f"path:{place}", "--set", "storage.size=16MiB"]
    words += ["--set", "workload.direct=true"]
    (place / "b").mkdir()
    systems = ["--system", f"a={place}", "--system", "shm=/dev/shm"]
    systems += ["--system", f"b={place / 'b'}"]
    done = fsgauge("plan", *words, *systems)
    assert done.returncode == 2, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "fsgauge run would refuse this study, for 1 reason:"
    assert lines[1] == 'refused   "shm" has no direct I/O'
    assert any(line.strip().startswith("next: ") and "--without shm" in line for line in lines)
    buffered = fsgauge("plan", *words[:-2], *systems)
    assert buffered.returncode == 0, "not asked for, direct I/O gives way"
    assert "/dev/shm (tmpfs) has no direct I/O" in buffered.stderr and "workload.direct=false" in (
        buffered.stderr
    )
    left = fsgauge("plan", *words, *systems, "--without", "shm")
    assert left.returncode == 0, left.stdout
    assert "refused" not in left.stdout
    run = fsgauge("run", *words, *systems, "--quiet")
    assert run.returncode == 2
    assert '"shm" has no direct I/O' in run.stderr and "--without shm" in run.stderr


def test_a_plan_takes_what_doctor_measured_there(fsgauge: Run, place: Path) -> None:
    words = ["plan", "overhead", "--storage", f"path:{place}", "--set", "storage.size=16MiB"]
    (place / "b").mkdir()
    words += ["--system", f"a={place}", "--system", f"b={place / 'b'}"]
    assert "fsgauge doctor measures it" in fsgauge(*words).stdout
    assert fsgauge("doctor", "--directory", str(place)).returncode == 0
    planned = fsgauge(*words).stdout
    assert f"as fsgauge doctor measured in {place} on 20" in planned
    assert "fsgauge doctor measures it" not in planned
    told = fsgauge(*words, "--noise", "3 %").stdout
    assert "fsgauge doctor measured" not in told


def test_a_plan_takes_what_the_last_run_showed(fsgauge: Run, small: list[str]) -> None:
    words = ["plan", *[word for word in small[1:] if word != "--quiet"]]
    done = fsgauge(*small)
    assert done.returncode == 0, done.stderr
    planned = fsgauge(*words)
    assert planned.returncode == 0, planned.stdout
    assert 'as "demo-user" showed on this storage on 20' in planned.stdout
    assert "(3 blocks, results/demo-user-" in fsgauge(*words, "--verbose").stdout
    found = json.loads(fsgauge(*words, "--json").stdout)
    assert found["description"]["sensitivity_known"]
    assert (
        found["kept_noise"]["noise_percent"]
        == (found["description"]["sensitivity"][0]["noise_percent"])
    )


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["undecided"], ["undecided\n", "It does not mean equal", "fsgauge explain verdict"]),
        (["too", "noisy"], ["too noisy\n", "A quieter machine"]),
        (["A/A"], ["noise floor\n"]),
        (["run.not_steady"], ["run.not_steady\n", "Warm up longer"]),
        (["cannot", "be", "judged"], ["fewer than ten intervals"]),
        (["iodepth"], ["fio's iodepth: workload.queue_depths", "explain workload.queue_depths, "]),
        (["4k"], ["4,096 bytes, of 1024 as in fio", '"4 KiB"', "explain workload.block_sizes"]),
        (["30", "s"], ['A duration: in a study file "30 s"', "explain workload.duration"]),
        (["70%"], ['"70 %"', "workload.read_percent (overhead), workload.fill"]),
        (["1000", "IOPS"], ["explain workload.rate"]),
        (["mdtest"], ["mdtest's words", "workload.files_per_connection"]),
        (["seed"], ["The same seed repeats both", "plan.seed"]),
        (["bw"], ["bw, as other tools print it: bandwidth comes nearest", "# Bandwidth"]),
        (["P95"], ["p99 comes nearest", "99 of 100 operations took no longer"]),
        (["10k", "iops"], ['A pace: in a study file "10000 IOPS"', "explain workload.rate"]),
        (["512", "bytes"], ['A size: 512 bytes; in a study file "512 B"']),
        (["pgbench"], ["the study postgresql", "pgbench's words", "workload.committers"]),
        (["libaio"], ["fio's ioengine=libaio: workload.interface"]),
        (["io_uring"], ["io_uring is a value of workload.interface"]),
        (["noatime"], ["A mount option of every file system", "ext4:mount=noatime", "man 8 mount"]),
        (["ext4"], ["A file system that a study makes", "--system ext4"]),
        (["ram"], ["--storage ram:1GiB"]),
        (["zfs"], ["where it is mounted", "fsgauge run overhead /mnt/a /mnt/b"]),
        (["luks"], ["fsgauge run overhead /mnt/plain /mnt/luks"]),
        (
            ["waiting"],
            ["waiting for storage\n", "Faster storage could take away that share at most"],
        ),
        (["wear-out"], ["as the one that had most", "fsgauge explain workload.stonewall"]),
        (["scheduler"], ["ext4:tunables.queue/scheduler=bfq", "explain system.tunables"]),
        (["vm.dirty_ratio"], ["ext4:tunables./proc/sys/vm/dirty_ratio=VALUE"]),
        (["QD32"], ["depth\n", "Operations in flight"]),
        (["4k", "random"], ["A size: 4,096 bytes", "random: the study overhead"]),
        (["block", "size"], ["block size (fio's bs): workload.block_sizes"]),
        (["await"], ["await, as other tools print it: mean comes nearest"]),
        (["qd"], ["depth\n", "qd (fio's iodepth): workload.queue_depths"]),
        (["doctor"], ["fsgauge doctor\n", "fsgauge doctor --help"]),
        (["fsyncPerWrite"], ["IOR's fsyncPerWrite: workload.sync"]),
    ],
)
def test_words_of_a_page_are_explained(words: list[str], parts: list[str]) -> None:
    done = CliRunner().invoke(group, ["explain", *words], standalone_mode=False)
    assert done.exception is None, done.exception
    for part in parts:
        assert part in done.output


def test_an_unknown_word_has_its_nearest() -> None:
    done = CliRunner().invoke(group, ["explain", "undesided"], standalone_mode=False)
    assert isinstance(done.exception, InputError)
    assert 'did you mean "undecided"' in done.exception.render()
    assert done.exception.next == "fsgauge explain undecided"


def test_everything_that_can_be_explained_is_listed() -> None:
    listed = CliRunner().invoke(group, ["explain"], standalone_mode=False).output
    for word in ("p99 ", "undecided ", "run.not_steady ", "fsgauge explain workload", "elbencho"):
        assert word in listed


def test_words_of_fio_are_taken_with_a_note(fsgauge: Run) -> None:
    done = fsgauge("plan", "overhead", "--set", "bs=8k", "--set", "iodepth=16", "--json")
    assert 'note: --set bs=8k: fio\'s bs is workload.block_sizes = ["8 KiB"]' in done.stderr
    cells = {cell["name"] for cell in json.loads(done.stdout)["plan"]["cells"]}
    assert all("8 KiB, depth 16" in cell for cell in cells) and cells


@pytest.mark.parametrize("name", ["overhead", "commits", "metadata", "writers-full", "churn"])
def test_the_list_of_studies_has_the_time_and_bytes_of_the_plan(fsgauge: Run, name: str) -> None:
    """The list took systems one by one where the plan has them side by side."""
    lines = fsgauge("study", "list").stdout.splitlines()
    listed = {line.split()[0]: line.split("  ") for line in lines}
    plan = json.loads(fsgauge("plan", name, "--seed", "1", "--json").stdout)["description"]
    _, time, written, *_ = [each.strip() for each in listed[name] if each.strip()]
    assert time == format_duration(int(plan["expected_seconds"] * 1e9))
    assert written == format_size(plan["written_bytes_estimate"])


def test_plan_as_json_is_the_same_plan(fsgauge: Run) -> None:
    first, second = (
        json.loads(fsgauge("plan", "overhead", "--seed", "1", "--json").stdout) for _ in range(2)
    )
    for each in (first, second):  # how many pages of a trial the kernel still has in memory varies
        cautions = each["description"]["cautions"]
        each["description"]["cautions"] = [re.sub(r"[\d,]+ of", "N of", c) for c in cautions]
    assert first == second
    assert first["plan"]["seed"] == 1


def test_plan_takes_the_noise_from_a_pilot(fsgauge: Run, tmp_path: Path) -> None:
    pilot = make_study(blocks=5, queue_depths=(1, 32), block_sizes=(4096,)).write(tmp_path / "a")
    done = fsgauge("plan", "overhead", "--pilot", str(pilot))
    assert is_planned(done) and ', as the pilot "' in done.stdout
    assert "equal runs differed by" not in done.stdout, "of six lines, one is for the noise"
    whole = fsgauge("plan", "overhead", "--pilot", str(pilot), "--verbose").stdout
    assert "cells in 5 blocks; equal runs differed by" in whole and "the noisiest," in whole
    twice = fsgauge("plan", "overhead", "--pilot", str(pilot), "--noise", "3 %")
    assert twice.returncode == 2
    assert "--noise and --pilot both say what the noise is" in twice.stderr


def test_plan_takes_the_time_from_a_pilot_of_the_same_work(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    done = fsgauge(*small)
    assert done.returncode == 0, done.stderr
    pilot = str((tmp_path / done.stdout.splitlines()[-1].removeprefix("report: ")).parent)
    words = ["plan", *[word for word in small[1:] if word != "--quiet"], "--pilot", pilot]
    planned = fsgauge(*words, "--verbose")
    assert planned.returncode == 0, planned.stderr
    assert "a block, the same work: the time is taken from it" in planned.stdout
    assert "the time is the pilot's" in planned.stdout
    found = json.loads(fsgauge(*words, "--json").stdout)
    assert found["pilot_time"]["used"]
    assert found["pilot_time"]["blocks"] == 3
    per_block = found["description"]["expected_seconds"] / 3
    around = per_block - found["pilot_time"]["block_seconds"]
    assert 0 < around < found["plan"]["expected_seconds"] / 3
    other = fsgauge(*words, "--set", "workload.queue_depths=[2]", "--verbose")
    assert "of other cells, systems or storage: the time is not taken from it" in other.stdout


def test_a_new_study_can_be_planned_at_once_and_is_never_overwritten(
    fsgauge: Run, tmp_path: Path
) -> None:
    assert fsgauge("study", "new", "mine").returncode == 0
    assert (tmp_path / "mine.toml").is_file()
    assert is_planned(fsgauge("plan", "mine.toml"))
    assert fsgauge("study", "new", "mine").returncode == 2


def test_a_report_can_be_made_again_elsewhere(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    page = tmp_path / fsgauge(*small).stdout.splitlines()[-1].removeprefix("report: ")
    moved = tmp_path / "moved"
    page.parent.rename(moved)
    before = (moved / "report.html").read_text()
    done = fsgauge("report", str(moved), FSGAUGE_ENGINE="/nowhere")
    assert done.returncode == 0, done.stderr
    assert (moved / "report.html").read_text() == before


def test_a_record_that_was_cut_short_afterwards_is_named(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    page = tmp_path / fsgauge(*small).stdout.splitlines()[-1].removeprefix("report: ")
    victim = next(page.parent.glob("records/*/0*.json"))
    victim.write_text(victim.read_text()[:100])
    done = fsgauge("report", str(page.parent))
    assert done.returncode == 3
    assert victim.name in done.stderr
    done = fsgauge("report", str(page.parent), "--despite", "changed-records")
    assert done.returncode == 2
    assert f"{victim.name} is not complete JSON" in done.stderr


def test_a_record_of_a_newer_version_says_so(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    page = tmp_path / fsgauge(*small).stdout.splitlines()[-1].removeprefix("report: ")
    victim = page.parent / "study.json"
    victim.write_text(json.dumps(json.loads(victim.read_text()) | {"format": 99}))
    done = fsgauge("report", str(page.parent))
    assert done.returncode == 2
    assert "format 99" in done.stderr


def test_a_shipped_question_is_of_its_own_program(fsgauge: Run, tmp_path: Path) -> None:
    def asked(*words: str) -> str:
        told = fsgauge("plan", *words).stdout.partition("asks      ")[2]
        return told.partition(" (starts: ")[0]

    assert asked("command-git-clone") == "How long does git clone take?"
    assert asked("command-git-clone", "--", "echo") == CommandWorkload.question_of_program
    assert asked("command-pgbench", "--", "echo") == CommandWorkload.question_of_program
    assert asked("command-pgbench", "--", "pgbench").startswith("How many transactions a second")
    own = tmp_path / "own.toml"
    own.write_text(find_study("command-git-clone")[1])
    assert asked(str(own), "--", "echo") == "How long does git clone take?", "as its author asks"


def test_an_option_of_a_program_leads_to_the_dashes(fsgauge: Run) -> None:
    done = fsgauge("plan", "command", "ls", "-l", "a b")
    assert done.stderr.endswith("next: fsgauge plan command -- ls -l 'a b'\n")
    assert "No such option" in fsgauge("plan", "overhead", "-l").stderr
    done = fsgauge("plan", "--seed", "3", "command", "git", "gc", "--auto", "--storage=ram:1GiB")
    assert done.stderr.endswith(
        "next: fsgauge plan command --seed 3 --storage=ram:1GiB -- git gc --auto\n"
    )
    for words in (
        ("tar", "--verbos"),
        ("--foo", "--", "tar"),
        ("/tmp", "--foo"),
        ("tar", "--stor"),
    ):
        assert " -- " not in fsgauge("plan", "command", *words).stderr, words
