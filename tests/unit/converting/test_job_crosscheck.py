"""A job file beside its study: fio is told the job's draws, and the study's files and times."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from fsgauge.converting.job_crosscheck import is_job, job_command, read_job, study_of_job
from fsgauge.converting.job_file import read_job_file
from fsgauge.engine.wire import FilesTarget, LoadJob, RandomAccess
from fsgauge.errors import InputError
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study

JOB = """\
[global]
size=16m
write_bw_log=log
fadvise_hint=0
unlink=1
[reader]
rw=randread
bs=${BLOCK}
runtime=5
[log]
stonewall
rw=write
fdatasync=1
startdelay=2
runtime=3
"""


def load(directory: str, **changes: object) -> LoadJob:
    made = LoadJob(
        target=FilesTarget(directory=directory, prefix="f", count=4, file_size_bytes=1 << 20),
        interface="psync",
        direct=False,
        access=RandomAccess(),
        read_percent=100,
        block_sizes=[],
        queue_depth=1,
        jobs=2,
        warm_up_ns=500_000_000,
        duration_ns=2_000_000_000,
        seed=7,
    )
    return made.model_copy(update=changes)


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BLOCK", "8k")
    path = tmp_path / "two.fio"
    path.write_text(JOB, encoding="utf-8")
    return path


def of_groups(command: list[str]) -> list[list[str]]:
    """The words of each section."""
    begins = [place for place, word in enumerate(command) if word.startswith("--name=")]
    return [command[a:b] for a, b in zip(begins, [*begins[1:], None], strict=True)]


def test_what_a_job_draws_is_kept_and_where_and_when_are_the_studys(job: Path) -> None:
    command = job_command(read_job_file(job), [load("/x/reader"), load("/x/l:og", warm_up_ns=0)])
    assert command[:2] == ["fio", "--output-format=json"]
    reader, log = of_groups(command)
    assert {"--rw=randread", "--bs=8k", "--fadvise_hint=0", "--numjobs=2"} <= set(reader)
    assert {"--runtime=2000000us", "--ramp_time=500000us", "--time_based"} <= set(reader)
    assert {"--directory=/x/reader/", "--filename=f0000:f0001:f0002:f0003"} <= set(reader)
    assert {"--filesize=1048576", "--size=4194304", "--randseed=7"} <= set(reader)
    assert {"--allow_file_create=0", "--do_verify=0", "--new_group"} <= set(reader)
    assert {"--stonewall", "--startdelay=2", "--fdatasync=1", "--directory=/x/l\\:og/"} <= set(log)
    assert "--stonewall" not in reader and not any("ramp_time" in word for word in log)


def test_nothing_of_a_job_that_writes_elsewhere_or_removes_is_told(job: Path) -> None:
    command = " ".join(job_command(read_job_file(job), [load("/x/a"), load("/x/b")]))
    assert all(word not in command for word in ("write_bw_log", "unlink", "size=16m"))


def test_a_command_is_not_told_to_fio(tmp_path: Path) -> None:
    path = tmp_path / "bad.fio"
    path.write_text("[a]\nrw=read\nsize=1m\nexec_prerun=touch RAN\n", encoding="utf-8")
    assert "exec_prerun" not in " ".join(job_command(read_job_file(path), [load("/x/a")]))
    with pytest.raises(InputError, match="exec_prerun") as raised:
        read_job(path)
    assert "both have to do the same" in raised.value.next


def test_jobs_with_files_of_their_own_are_sections_of_one_group(tmp_path: Path) -> None:
    path = tmp_path / "own.fio"
    path.write_text("[a]\nrw=read\nnumjobs=2\n[b]\nwait_for=a\nrw=read\n", encoding="utf-8")
    loads = [load("/x/a", files_per_job=2), load("/x/b")]
    first, second, b = of_groups(job_command(read_job_file(path), loads))
    assert "--filename=f0000:f0001" in first and "--filename=f0002:f0003" in second
    assert "--new_group" in first and "--new_group" not in second
    assert first[0] == second[0] == "--name=group0"
    assert "--wait_for=group0" in b and "--numjobs=2" in b


def test_more_names_than_fio_takes_are_refused(job: Path) -> None:
    many = FilesTarget(directory="/x", prefix="f", count=5000, file_size_bytes=4096)
    with pytest.raises(InputError, match="cannot take the names of 5000 files"):
        job_command(read_job_file(job), [load("/x", target=many), load("/x")])


def test_work_that_fio_does_once_is_refused_with_its_section(tmp_path: Path) -> None:
    path = tmp_path / "make.fio"
    path.write_text("[make]\nioengine=filecreate\nsize=4k\n", encoding="utf-8")
    with pytest.raises(InputError, match="the section make does more than") as raised:
        read_job(path)
    assert raised.value.location is not None and raised.value.location.line == 1


def study(job: Path, *overrides: str) -> Study:
    def load(name: str, text: str) -> Study:
        return load_study(name, list(overrides), text=text)

    return study_of_job(read_job(job), load)


def test_times_hold_for_both_and_the_load_does_not_change(tmp_path: Path) -> None:
    path = tmp_path / "one.fio"
    path.write_text("[a]\nrw=read\nsize=16m\n", encoding="utf-8")
    changed = study(path, "workload.duration=3s", "plan.blocks=4")
    assert changed.name == "one"
    assert changed.workload.model_dump()["duration"] == 3 * 10**9
    with pytest.raises(InputError, match="not that of the job file any more") as raised:
        study(path, "workload.group.a.block_sizes=8 KiB")
    assert "change the job file" in raised.value.next


def test_sections_after_one_another_are_shortened_by_what_the_refusal_says(job: Path) -> None:
    """workload.duration=2s was refused with "begin earlier", and a group's own duration as well."""
    with pytest.raises(InputError, match="the mix ends after 2 s") as raised:
        study(job, "workload.duration=2s")
    assert raised.value.location is not None and raised.value.location.path == str(job)
    assert "--set | workload.duration=2s" in raised.value.details
    longer, shorter = raised.value.next.split("; or ")
    assert longer == "--set workload.duration=8s"
    overrides = shlex.split(shorter)[1::2]
    changed = study(job, "workload.duration=2s", *overrides)
    (reader, log) = changed.workload.model_dump()["group"]
    assert (reader["duration"], log["duration"]) == (1_250_000_000, 750_000_000)
    assert study(job, longer.removeprefix("--set ")).workload.model_dump()["duration"] == 8 * 10**9


def test_a_job_is_a_file_that_is_not_toml(job: Path, tmp_path: Path) -> None:
    (tmp_path / "own.toml").touch()
    assert is_job(str(job))
    assert not is_job(str(tmp_path / "own.toml"))
    assert not is_job("demo")
    assert not is_job(str(tmp_path))
