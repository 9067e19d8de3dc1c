"""A job of fio's becomes groups: exactly, with a note, or not at all."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from fsgauge.converting import study_from_file
from fsgauge.errors import InputError


def converted(
    tmp_path: Path, text: str, name: str = "job.fio", **options: Any
) -> tuple[dict[str, Any], list[str]]:
    """The workload that a job becomes, and its notes."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    study = study_from_file(path, **options)
    notes = [f"{note.option}: {note.text}" for note in study.converted.findings.notes.values()]
    return tomllib.loads(study.text)["workload"], notes


def group(tmp_path: Path, text: str) -> dict[str, Any]:
    """The only group of a job's options."""
    workload, _ = converted(tmp_path, f"[a]\nsize=64m\nruntime=5\ntime_based\n{text}")
    (only,) = workload["group"]
    return dict(only)


def refused(tmp_path: Path, text: str) -> InputError:
    with pytest.raises(InputError) as raised:
        converted(tmp_path, text)
    return raised.value


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("rw=randread\nioengine=libaio\niodepth=16\ndirect=1",
         {"operations": {"read": 1}, "order": "random", "queue_depth": 16, "direct": True,
          "interface": "libaio"}),
        ("rw=randread\nioengine=posixaio\niodepth=4", {"interface": "io_uring"}),
        ("rw=randrw\nrwmixread=70", {"operations": {"read": 70, "write": 30}}),
        ("rw=randrw\nrwmixwrite=40", {"operations": {"read": 60, "write": 40}}),
        ("rw=randrw\nrwmixread=60\nrwmixwrite=40", {"operations": {"read": 60, "write": 40}}),
        ("direct=1\nbuffered=0", {"direct": True}),
        ("rw=read:124k\nbs=4k", {"order": "strided", "stride": "128 KiB"}),
        ("rw=read:-8k\nbs=4k", {"order": "backwards"}),
        ("rw=randtrim", {"operations": {"trim": 1}, "interface": "psync"}),
        ("rw=randread\nbssplit=4k/60:64k/40",
         {"block_sizes": ["4 KiB", "64 KiB"], "block_weights": [60, 40]}),
        ("rw=randread\nbssplit=4k/50:8k/:16k/",
         {"block_sizes": ["4 KiB", "8 KiB", "16 KiB"], "block_weights": [50, 25, 25]}),
        ("rw=randread\nbsrange=4k-16k",
         {"block_sizes": ["4 KiB", "8 KiB", "12 KiB", "16 KiB"]}),
        ("rw=randwrite\nbs=4k,16k", {"block_sizes": "16 KiB"}),
        ("rw=randrw\nbs=4k,16k",
         {"block_sizes": "4 KiB", "write_block_sizes": "16 KiB", "each_once": None}),
        ("rw=rw\nbssplit=4k/60:8k/40,64k\nrwmixread=0", {"block_sizes": "64 KiB"}),
        ("rw=randrw\nbssplit=4k/60:8k/40,64k/90:8k/10\nba=4k,8k",
         {"block_sizes": ["4 KiB", "8 KiB"], "block_weights": [60, 40],
          "write_block_sizes": ["64 KiB", "8 KiB"], "write_block_weights": [90, 10]}),
        ("rw=randrw\nbsrange=4k-4k,8k-16k", {"write_block_sizes": ["8 KiB", "16 KiB"]}),
        ("rw=randrw\nbs=8k\nbssplit=8k,8k", {"write_block_sizes": None}),
        ("rw=randrw\nbs=4k,8k\nrate=1m,2m", {"bandwidth": "3 MiB/s"}),
        ("rw=randread\nrandom_distribution=zipf:0.5",
         {"distribution": "zipf", "zipf_theta": 0.5}),
        ("rw=randread\nrandom_distribution=zoned:50/5:30/15:20/",
         {"distribution": "zones", "zone_sizes": ["5 %", "15 %", "80 %"],
          "zone_weights": [50, 30, 20]}),
        ("rw=randread\npercentage_random=30", {"random_percent": "30 %"}),
        ("rw=randread\nrate_iops=50\nnumjobs=4\nrate_process=poisson",
         {"rate": "200 IOPS", "arrival": "exponential"}),
        ("rw=randread\nbssplit=4k/33:8k/33:16k/33", {"block_weights": [33, 33, 34]}),
        ("rw=randread\nbssplit=4k/60:8k/30", {"block_weights": [70, 30]}),
        ("rw=randread\nbssplit=16k/70:4k/10", {"block_weights": [90, 10]}),
        ("rw=randread\nbssplit=4k/0:8k/60",
         {"block_sizes": ["4 KiB", "8 KiB"], "block_weights": [40, 60]}),
        ("rw=randread\nbssplit=4k/30:10k/30:9k/40",
         {"block_sizes": ["4 KiB", "8 KiB"], "block_weights": [30, 70]}),
        ("rw=randread\nbsrange=4k-10k",
         {"block_sizes": ["4 KiB", "8 KiB", "10 KiB"], "block_weights": [2, 2, 1]}),
        ("rw=randrw\nrwmixread=100\nfsync=1", {"operations": {"read": 100}, "sync": None}),
        ("rw=randwrite\nnorandommap\nrandom_generator=lfsr", {"each_once": True}),
        ("rw=randread\nsoftrandommap=1", {"each_once": True}),
        ("rw=randread\nbssplit=512/50:4k/50\nblockalign=4k", {"align": "4 KiB"}),
        ("rw=randrw\nbs=4k,8k\nba=4k", {"align": "4 KiB", "write_block_sizes": "8 KiB"}),
        ("rw=randwrite\nba=512", {"align": "512 B", "each_once": None}),
        ("rw=randwrite\nba=4k", {"align": None, "each_once": True}),
        ("rw=write\nba=512", {"align": None}),
        ("rw=randtrim\nrate_iops=,,100", {"rate": "100 IOPS"}),
        ("filesize=64m\noffset=25%", {"file_sizes": "48 MiB"}),
        ("filesize=64m\noffset=16m", {"file_sizes": "48 MiB"}),
        ("filename=x\nnumjobs=2\noffset_increment=0\nrw=randread",
         {"files_of_jobs": "shared"}),
        ("ioengine=filecreate\nnrfiles=100\nfilesize=4k\nrate_iops=50",
         {"rate": "100 IOPS"}),
        ("rw=randread\nbssplit=4k/50:8k/:16k/:32k/", {"block_weights": [52, 16, 16, 16]}),
        ("rw=read\nnrfiles=4\nfile_service_type=sequential", {"files": 4, "order": "sequential"}),
        ("rw=read\nnrfiles=4\nopenfiles=1\nfile_service_type=random",
         {"files": 4, "files_in_turns": None}),
        ("rw=randread\nnrfiles=4\nopenfiles=4\nfile_service_type=random:9",
         {"files": 4, "files_in_turns": None}),
        ("rw=read\nnrfiles=4", {"order": "sequential", "files_in_turns": 1}),
        ("rw=randread\nnrfiles=4\nfile_service_type=roundrobin:8",
         {"files_in_turns": 8, "each_once": True}),
        ("rw=randread\nbs=4k\nnrfiles=4\nfile_service_type=sequential",
         {"files_in_turns": 4096, "each_once": True}),
        ("rw=read:-8k\nbs=4k\nfilename=x:y", {"order": "backwards", "files_in_turns": 1}),
        ("rw=randread\nnrfiles=4\nrandom_distribution=zipf:1.2",
         {"distribution": "zipf", "files_in_turns": 1}),
        ("rw=randread\nnrfiles=4\npercentage_random=50",
         {"random_percent": "50 %", "files_in_turns": 1}),
        ("rw=randwrite\nnrfiles=4\nverify=crc32c", {"verify": True, "files_in_turns": None}),
        ("rw=write\niodepth=8\nfsync=1", {"sync": "fsync", "queue_depth": None}),
        ("ioengine=io_uring\niodepth=32\niodepth_batch=0", {"submit_batch": 32}),
        ("rw=read\nrate=1m", {"bandwidth": "1 MiB/s", "arrival": "constant"}),
        ("rw=write\nfdatasync=8", {"sync": "fdatasync", "sync_every": 8}),
        ("rw=write\nsync=dsync", {"sync": "dsync"}),
        ("rw=write\nthinktime=2000\nthinktime_blocks=4", {"think": "2 ms", "think_every": 4}),
        ("rw=write\nbuffer_compress_percentage=50", {"compressible": "50 %"}),
        (
            "rw=write\nbuffer_compress_percentage=50\nbuffer_compress_chunk=4k\nbuffer_pattern=0xab",
            {"compressible": "50 %", "data": None},
        ),
        ("rw=write\nbuffer_pattern=0x00", {"data": "zero"}),
        ("rw=write\ndedupe_percentage=30\ndedupe_mode=repeat", {"duplicates": "30 %"}),
        ("rw=write\nzero_buffers", {"data": "zero"}),
        ("rw=randwrite\nverify=crc32c", {"verify": True}),
        ("rw=write\nfill_device=1", {"continue_when_full": True}),
        ("rw=write\nfill_device=0", {"continue_when_full": None}),
        ("rw=randrw\nignore_error=EIO,ENOSPC:EIO", {"continue_when_full": True}),
        ("rw=randrw\nignore_error=ENOSPC", {"continue_when_full": None}),
        ("rw=randread\nignore_error=,ENOSPC", {"continue_when_full": None}),
        ("rw=write\ncontinue_on_error=all", {"continue_when_full": None}),
        ("rw=randread\nnumjobs=4\nnrfiles=2",
         {"jobs": 4, "files_of_jobs": "own", "files": 2, "file_sizes": "32 MiB"}),
        ("rw=randread\nnumjobs=4\nfilename=x",
         {"jobs": 4, "files_of_jobs": "shared", "file_sizes": "64 MiB"}),
        ("rw=randread\nfilename=a:b:c\\:d", {"files": 3}),
        ("rw=randread\nfilename=1\nfilename=01", {"files": 2}),
        ("rw=randread\nrw_sequencer=sequential", {"order": "random"}),
        ("rw=randread\nfilename=a\nnrfiles=4", {"files": None, "file_sizes": "64 MiB"}),
        ("rw=randread\nnumjobs=4\nnrfiles=2\nfilename_format=x.$filenum",
         {"jobs": 4, "files_of_jobs": "shared", "files": 2}),
        ("rw=randread\nnumjobs=4\nnrfiles=2\nfilename_format=$jobname.$jobnum",
         {"files_of_jobs": "own", "files": None}),
        ("rw=randread\nioengine=mmap", {"operations": {"mmap_read": 1}}),
        ("ioengine=filestat\nnrfiles=100\nfilesize=4k",
         {"operations": {"stat": 1}, "files": 100, "file_sizes": "4 KiB"}),
        ("ioengine=filecreate\nnrfiles=100\nfilesize=4k",
         {"operations": {"create": 1, "unlink": 1}, "file_sizes": "0 B"}),
    ],
)  # fmt: skip
def test_what_is_carried_over(tmp_path: Path, text: str, keys: dict[str, Any]) -> None:
    found = group(tmp_path, text)
    assert {key: found.get(key) for key in keys} == keys


def test_a_depth_without_a_queue_is_one(tmp_path: Path) -> None:
    workload, notes = converted(tmp_path, "[a]\nsize=1m\niodepth=32\nrw=randread\n")
    assert "queue_depth" not in workload["group"][0]
    assert "iodepth: psync waits for each operation: one is in flight" in notes


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("exec_prerun=rm -rf /", "never run"),
        ("exec_postrun=sync", "never run"),
        ("ioengine=exec\nprogram=/bin/true", "never run"),
        ("latency_target=500", "the nearest is latency_percentile=99.9"),
        ("latency_target=500\nlatency_percentile=95", "a limit of 95 %"),
        (
            "latency_target=5ms\nlatency_percentile=99\n[b]\nsize=1m\nlatency_target=9ms\n"
            "latency_percentile=99",
            "a study of each",
        ),
        ("latency_run=1", "the nearest is latency_run=0"),
        ("flow=8\n[b]\nsize=1m\nflow=1", "one group with weights"),
        ("rw=randwrite\nzonemode=zbd", "depend on zones"),
        ("rw=randread\nzonesize=16k\nzoneskip=112k", "depend on zones"),
        ("filesize=1m\noffset_increment=64k\nnumjobs=2\nfilename=x", "the nearest is size"),
        ("rw=read\npre_read=1", "a ramp_time that reads"),
        ("rw=read\nioengine=pvsync2\nuncached=1", "the nearest is direct=1"),
        ("rw=randrw\nba=8k,16k", "the nearest is a smaller block"),
        ("rw=randread\nba=512\npercentage_random=50", "the nearest is a smaller block"),
        ("rw=randread\nba=8k\nrandom_distribution=zipf:1.2", "the nearest is a smaller block"),
        ("rw=randtrim\nba=8k", "the nearest is a smaller block"),
        ("rw=read\nverify=md5", "another run wrote"),
        ("rw=randrw\nbs=4k,8k\nrate=1m,1m", "a group of each"),
        ("rw=read:-4k\nbs=4k", "the nearest is 8 KiB"),
        ("rw=randread:8", "random_percent"),
        ("rw=trimwrite", "another load"),
        ("rw=randrw\nverify=md5", "writes alone"),
        ("rw=write\nsync=1", "sync=dsync"),
        ("rw=randread\nbsrange=1k-1m", "bssplit"),
        ("rw=randwrite\nioengine=mmap", "psync is nearest"),
        ("rw=randrw\nrate_iops=100,300", "a group of each"),
        ("rw=randread\niodepth=4\nioengine=libaio\nthinktime=5", "rate alone"),
        ("prio=3", "ionice"),
        ("rw=randread\nrandom_distribution=normal:20", "the nearest is zipf"),
        ("rw=write\nbuffer_pattern=0xab", "nearest is buffer_compress_percentage"),
        ("rw=write\nbuffer_compress_percentage=5\nbuffer_compress_chunk=512", "chunk=4k"),
        ("rw=write\ndedupe_percentage=5\ndedupe_mode=working_set", "dedupe_mode=repeat"),
        ("ioengine=libmine.so\nmine_key=1", "a library of another program"),
        ("ioengine=external:/x/mine\nmine_key=1", "a library of another program"),
        ("ioengine=spdk\nenable_sgl=1", "the nearest is io_uring"),
        ("bs=100\ndirect=1", "whole sectors"),
        ("filesize=4k-64k", "a group of each"),
        ("startdelay=1-5", "one delay"),
        ("rw=randrw\npercentage_random=0,100", "a group of each"),
        ("rw=read\ncreate_only=1", "leave it out"),
        ("rw=write\nunlink_each_loop=1\nloops=10", "makes its files again"),
        ("rw=randread\nnrfiles=4\nfile_service_type=zipf:1.2", "more often than others"),
        ("rw=rw\nnrfiles=4\nopenfiles=1", "restarts all files"),
        ("rw=randrw\nnrfiles=4\npercentage_random=50", "restarts all files"),
        ("rw=randread\nnrfiles=4\nopenfiles=3", "the nearest is openfiles=4"),
        ("rw=read\nnrfiles=4\nopenfiles=2", "the nearest is openfiles=4"),
        ("rw=read\nfilename=x:y\nfile_service_type=random", "a file is drawn for each operation"),
        ("rw=write\nnrfiles=4\nverify=crc32c", "the nearest is file_service_type=sequential"),
        ("rw=randwrite\niodepth=8\nioengine=libaio\nfsync=1", "the nearest is iodepth=1"),
        ("rw=rw\niodepth=4\nioengine=io_uring\nfdatasync=32", "the nearest is iodepth=1"),
        ("rw=randwrite\nnrfiles=8\nfsync=1\nnumjobs=2", "all of its files"),
        ("rw=write\nsync=dsync\nfsync=1", "dsync and fsync in one group"),
        ("rw=write\nsync=dsync\nfdatasync=1", "dsync and fdatasync in one group"),
        ("rw=write\nfsync=1\nfdatasync=1", "fsync and fdatasync in one group"),
        ("rw=read\nioengine=mmap", "the nearest is rw=randread"),
        ("rw=trim", "the nearest is rw=randtrim"),
        ("rw=randrw\nbs=4k,64k\nrandom_distribution=zipf:1.2", "would not meet"),
        ("rw=randread\nioengine=mmap\nfilename=/x\nnumjobs=4", "the nearest is no filename"),
    ],
)
def test_what_would_be_another_load_is_refused_at_its_line(
    tmp_path: Path, text: str, what: str
) -> None:
    error = refused(tmp_path, f"[a]\nsize=1m\n{text}\n")
    assert what in error.what
    assert error.location is not None and error.location.line >= 3
    assert error.location.text in text


def test_all_refusals_are_told_at_once_and_can_be_given_up(tmp_path: Path) -> None:
    text = "[global]\nsize=1m\nprio=5\n[a]\nrw=read\nuid=2\n[b]\nrw=read\n"
    error = refused(tmp_path, text)
    assert error.details == (
        "job.fio:6: uid too: the user is that of fsgauge: sudo -u before fsgauge",
    )
    assert error.next.endswith("--without prio --without uid")
    workload, notes = converted(tmp_path, text, without=["prio", "uid"])
    assert len(workload["group"]) == 2
    assert "prio: left out, as asked" in notes


def test_what_cannot_be_given_up_is_told(tmp_path: Path) -> None:
    text = "[a]\nrw=read\nsize=1m\n"
    with pytest.raises(InputError, match="no option fsinc to leave out") as raised:
        converted(tmp_path, text, without=["fsinc"])
    assert raised.value.cause == 'did you mean "fsync"?'
    _, notes = converted(tmp_path, text, without=["fsync"])
    assert "fsync: left out, as asked, but the job does not have it" in notes


def test_what_another_fio_has_can_be_given_up(tmp_path: Path) -> None:
    text = "[a]\nrw=read\nsize=1m\ndataplacement=fdp\n"
    assert "no option dataplacement" in refused(tmp_path, text).what
    _, notes = converted(tmp_path, text, without=["dataplacement"])
    assert "dataplacement: left out, as asked" in notes


@pytest.mark.parametrize("name", ["bs", "blocksize"])
def test_what_is_given_up_goes_by_each_of_its_names(tmp_path: Path, name: str) -> None:
    text = "[a]\nrw=read\nsize=1m\nblocksize=8k\n[b]\nrw=read\nsize=1m\nbs=8k\n"
    workload, notes = converted(tmp_path, text, without=[name])
    assert [each["block_sizes"] for each in workload["group"]] == ["4 KiB", "4 KiB"]
    assert not any("does not have it" in note for note in notes)


@pytest.mark.parametrize(
    "text",
    ["hipri=0", "zonemode=none", "write_barrier=0", "max_latency=0", "pre_read=0", "verifysort=1"],
)
def test_a_value_that_changes_nothing_is_taken(tmp_path: Path, text: str) -> None:
    assert group(tmp_path, text)["operations"] == {"read": 1}


@pytest.mark.parametrize(
    ("line", "what", "hint"),
    [
        ("dataplacement=fdp", "fio 3.33 has no option dataplacement", ""),
        ("iodpth=4", "fio 3.33 has no option iodpth", '"iodepth"'),
        ("ioengine=libaoi", "fio 3.33 has no ioengine libaoi", '"libaio"'),
        ("bs=4q", "bs takes a whole number", ""),
        ("rw=randmix", "rw takes", ""),
        ("runtime=10sec", "10 us", ""),
        ("bssplit=4k/60:8k/60", "add to 100", ""),
        ("random_distribution=zoned:50/5:30/15\nrw=randread", "add to 100", ""),
        ("rwmixread=170\nrw=rw", "0 to 100", ""),
        ("wait_for=nobody", "the name of a section above it (none, for this is the first)", ""),
        ("direct=maybe", "0 or 1", ""),
        ("zonesize=16k\nzonemode=none\nrw=randread", "0 with zonemode=none", ""),
        ("rwmixread=-5\nrw=rw", "0 to 100", ""),
        ("rate_process=possion\nrate_iops=5", "linear, poisson", ""),
        ("verify=crc32x\nrw=write", "crc32c", ""),
        ("file_service_type=rr:4\nnrfiles=4", "roundrobin", ""),
        ("percentage_random=x\nrw=randread", "0 to 100", ""),
        ("percentage_random=100,100,130\nrw=randtrim", "0 to 100", ""),
        ("ba=foo\nrw=randread", "a whole number", ""),
        ("rate=1q\nrw=read", "a whole number", ""),
        ("thinktime_blocks=0\nthinktime=5", "1 or more", ""),
        ("iodepth_batch=-4\nioengine=libaio\niodepth=8", "0 or more", ""),
        ("offset=1m\nfilesize=1m", "less than filesize, 1 MiB", ""),
        ("bssplit=0/50:4k/50\nrw=randread", "sizes above 0", ""),
    ],
)
def test_a_mistake_has_its_place(tmp_path: Path, line: str, what: str, hint: str) -> None:
    error = refused(tmp_path, f"[a]\nsize=1m\n{line}\n")
    assert what in error.what
    assert error.location is not None and hint in error.location.hint
    assert bool(hint) == bool(error.location.hint)
    assert (error.location.line, error.location.column) == (3, 1)


def test_all_that_fio_does_not_know_is_told_at_once(tmp_path: Path) -> None:
    """Each try named one of them."""
    text = "[global]\nsize=1m\niodpth=4\n[a]\n blocksz=4k\nioengine=libaoi\n[b]\nrw=read\nnice_=1\n"
    error = refused(tmp_path, text)
    assert error.what == "fio 3.33 has no option iodpth, nor 3 others of this job"
    said = error.render()
    for place, hint in (("3:1", "iodepth"), ("5:2", "blocksize"), ("6:1", "libaio")):
        assert f"job.fio:{place} | " in said and f'did you mean "{hint}' in said
    assert "job.fio:9:1 | nice_=1" in said
    many = "".join(f"nosuch{number}=1\n" for number in range(30))
    error = refused(tmp_path, f"[a]\nsize=1m\n{many}")
    assert error.details[-1] == "and 17 more" and len(error.details) == 25


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ("direct=1\nbuffered=1", "buffered=1 contradicts job.fio:2 direct=1"),
        ("buffered=0\ndirect=0", "direct=0 contradicts job.fio:2 buffered=0"),
        ("rwmixread=70\nrwmixwrite=70", "rwmixwrite=70 contradicts job.fio:2 rwmixread=70"),
        ("bs=4k\nbs=8k", "bs=8k contradicts job.fio:2 bs=4k"),
        ("bs=4k\nblocksize=8k", "blocksize=8k contradicts job.fio:2 bs=4k"),
        ("runtime=10\ntimeout=5", "timeout=5 contradicts job.fio:2 runtime=10"),
        ("thinktime=1\nthinktime=1s", "thinktime=1s contradicts job.fio:2 thinktime=1"),
        ("kb_base=1000\nbs=4k\nbs=4096", "bs=4096 contradicts job.fio:3 bs=4k"),
    ],
)
def test_lines_that_contradict_one_another_are_refused(
    tmp_path: Path, lines: str, what: str
) -> None:
    error = refused(tmp_path, f"[a]\n{lines}\nrw=randrw\nsize=64m\n")
    assert error.what == what
    assert error.location is not None
    last = lines.count("\n") + 2
    assert (error.location.line, error.location.column) == (last, 1)
    assert error.next == f"leave one out: line {last - 1} or {last}"


@pytest.mark.parametrize(
    "lines",
    [
        "bs=4k\nbs=4k",
        "clocksource=cpu\nclocksource=clock_gettime",
        "bs=4k\nbs=4096",
        "bs=4k,4k\nblocksize=4096",
        "filesize=1g\nfilesize=1024m",
        "ramp_time=60\nramp_time=1m",
        "numjobs=1\nnumjobs=01",
    ],
)
def test_a_line_may_come_again(tmp_path: Path, lines: str) -> None:
    assert group(tmp_path, lines)["block_sizes"] == "4 KiB"


def test_two_names_may_say_the_same(tmp_path: Path) -> None:
    lines = "bs=1m\nblocksize=1024k\nsize=1g\nsize=1024m\nruntime=60\ntimeout=60s"
    workload, _ = converted(tmp_path, f"[a]\n{lines}\n")
    assert (workload["group"][0]["file_sizes"], workload["duration"]) == ("1 GiB", "1 min")


@pytest.mark.parametrize(
    ("text", "of_groups", "of_all"),
    [
        pytest.param(
            "[global]\nbs=4k\nsize=1m\n[a]\n[global]\nbs=8k\n[b]\n",
            {"block_sizes": ["4 KiB", "8 KiB"]}, {}, id="each global is a section of its own"),
        pytest.param(
            "[global]\nfilename=x\nruntime=5\n[a]\nsize=1m\nrw=write\n[b]\nsize=4m\nrw=randread\n",
            {"file_sizes": ["4 MiB", None], "files_of": [None, "a"]}, {},
            id="one filename is one set of files"),
        pytest.param(
            "[global]\nsize=1m\nfilename_format=x.$filenum\n[a]\nrw=write\n[b]\nrw=randread\n",
            {"files_of": [None, "a"]}, {}, id="so is a format without the section's name"),
        pytest.param(
            "[global]\nfilename=x\nsize=1m\nverify=meta\n[w]\nrw=write\ndo_verify=0\n"
            "[r]\nstonewall\nrw=read\n",
            {"verify": [True, None], "files_of": [None, "w"]}, {},
            id="a section that verifies what another wrote has that verified"),
        pytest.param(
            "[global]\nsize=1m\n[a]\nruntime=5\n[b]\nruntime=9\n[c]\nstonewall\nruntime=3\n"
            "[d]\nruntime=2\n",
            {"after": [None, None, "b", "b"], "duration": ["5 s", "9 s", "3 s", "2 s"]},
            {"duration": "12 s", "warm_up": "0 s"},
            id="stonewall waits for the group that ends last"),
        pytest.param(
            "[global]\nsize=1m\nruntime=4\n[a]\n[b]\nwait_for=a\n[c]\nwait_for=b\n",
            {"after": [None, "a", "b"]}, {"duration": "12 s"}, id="wait_for names a section"),
        pytest.param(
            "[global]\nsize=1m\nramp_time=3\nruntime=1m\ntime_based\n[a]\n[b]\n",
            {"duration": [None, None]}, {"warm_up": "3 s", "duration": "1 min"},
            id="one ramp for all is the warm-up"),
        pytest.param(
            "[global]\nsize=1m\n[a]\nstartdelay=0\n[b]\nstartdelay=4\n[c]\nstartdelay=8\n",
            {"start_after": [None, "4 s", "8 s"]}, {"duration": "18 s"},
            id="clients come one after another"),
        pytest.param(
            "[global]\nsize=1m\nruntime=10\n[a]\n[b]\nstonewall\nstartdelay=30\n[c]\nstonewall\n"
            "[d]\nstonewall\nstartdelay=20\n",
            {"start_after": [None, "20 s", None, None]}, {"duration": "1 min"},
            id="a delay counts from the start of fio, not from the group before"),
        pytest.param(
            "[a/b]\nsize=1m\n[a:b]\nsize=1m\n", {"name": ["a-b", "a-b 2"]}, {},
            id="sections called alike get names of their own"),
    ],
)  # fmt: skip
def test_sections_of_one_job(
    tmp_path: Path, text: str, of_groups: dict[str, list[Any]], of_all: dict[str, str]
) -> None:
    workload, _ = converted(tmp_path, text)
    found = {key: [each.get(key) for each in workload["group"]] for key in of_groups}
    assert found == of_groups
    assert {key: workload[key] for key in of_all} == of_all


@pytest.mark.parametrize(("of_section", "direct"), [("buffered=1", False), ("buffered=0", True)])
def test_what_global_says_of_both_is_overruled_by_one_line(
    tmp_path: Path, of_section: str, direct: bool
) -> None:
    said = f"buffered={int(direct)}\ndirect={int(not direct)}\nbs=4k\nblocksize=4k\nrw=randread\n"
    text = f"[global]\n{said}[a]\nbs=16k\nsize=64m\n{of_section}\n"
    workload, _ = converted(tmp_path, text)
    only = workload["group"][0]
    assert (only["direct"], only["block_sizes"]) == (direct, "16 KiB")


@pytest.mark.parametrize(("of_section", "direct"), [("buffered=1", False), ("buffered=0", True)])
def test_a_section_may_say_otherwise_than_global(
    tmp_path: Path, of_section: str, direct: bool
) -> None:
    text = f"[global]\ndirect={int(not direct)}\n[a]\nrw=read\nsize=64m\n{of_section}\n"
    workload, _ = converted(tmp_path, text)
    assert workload["group"][0]["direct"] is direct


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("bs", "bs takes a value"),
        ("size=", "size takes a value"),
        ("random_generator=mine", "random_generator takes tausworthe, lfsr, tausworthe64"),
        ("random_distribution=zipf:1.0", "random_distribution takes zipf:THETA, which is not 1"),
        ("random_distribution=zoned:9/9/9:91/", "random_distribution takes zipf:THETA, which"),
        ("bssplit=4k/x", 'bssplit takes SIZE/PERCENT:SIZE/PERCENT, and it is "4k/x"'),
        ("latency_target=1\nlatency_percentile=x", "latency_percentile takes a number, and"),
        ("filesize=1m\noffset=x%", "offset takes a whole number"),
        ("size=-1m", "size takes a block at least, 4 KiB"),
        ("bs=4m\nsize=1m", "size takes a block at least, 4 MiB"),
        ("numjobs=0", "numjobs takes 1 or more"),
        ("nrfiles=0", "nrfiles takes 1 or more"),
        ("iodepth=-1", "iodepth takes 1 or more"),
        ("bssplit=4k/50:8k/60", "bssplit takes percentages that add to 100"),
        ("bssplit=4k/:8k/120", "bssplit takes percentages that add to 100"),
        ("wait_for=a", "wait_for takes the name of a section above it"),
    ],
)
def test_what_cannot_be_drawn_or_never_runs_is_refused(
    tmp_path: Path, line: str, what: str
) -> None:
    error = refused(tmp_path, f"[global]\nrw=randread\nsize=64m\n[a]\n{line}\n")
    assert error.what.startswith(what)
    assert error.location is not None and error.location.text in line
    assert error.next.startswith("fio --cmdhelp=")


@pytest.mark.parametrize(
    ("lines", "what", "also"),
    [
        ("rate_iops=100\nrate=1m", "the pace is given twice", ["job.fio:5:1: rate_iops=100"]),
        ("size=100000t", "file_sizes must be at most 16 TiB", []),
        ("random_distribution=zipf:0", "zipf_theta must be more than 0", []),
    ],
)
def test_what_no_group_can_have_is_told_at_the_jobs_own_lines(
    tmp_path: Path, lines: str, what: str, also: list[str]
) -> None:
    error = refused(tmp_path, f"[global]\nrw=randread\nsize=64m\n[a]\n{lines}\n")
    assert error.what == what
    assert error.location is not None
    assert error.location.path.endswith("job.fio")
    assert error.location.text == lines.splitlines()[-1]
    assert list(error.details) == also


@pytest.mark.parametrize(
    ("lines", "option"),
    [
        ("exec_prerun=touch RAN", "exec_prerun"),
        ("exec_postrun=touch RAN", "exec_postrun"),
        ("ioengine=exec\nprogram=/bin/touch\narguments=RAN", "program"),
        ("ioengine=external:/tmp/it.so", "ioengine"),
    ],
)
def test_a_command_is_named_and_never_run(tmp_path: Path, lines: str, option: str) -> None:
    error = refused(tmp_path, f"[a]\nrw=read\nsize=64m\n{lines}\n")
    assert error.what.startswith(f"{option} would make another load here")
    assert "1 options" not in error.cause
    assert not list(tmp_path.glob("**/RAN"))


@pytest.mark.parametrize("offset", ["offset=0", "offset_increment=0", "bs=4k"])
def test_sections_of_one_name_are_on_the_same_files(tmp_path: Path, offset: str) -> None:
    """fio names a file by its section, and the second one reads what the first has written."""
    text = f"[global]\nsize=1m\n{offset}\n[a]\nrw=write\n[a]\nrw=randread\n[b]\n"
    workload, _ = converted(tmp_path, text)
    assert [each.get("files_of") for each in workload["group"]] == [None, "a", None]
    workload, notes = converted(tmp_path, text.replace("[a]", "[a]\nnumjobs=2"))
    assert [each.get("files_of") for each in workload["group"]] == [None, None, None]
    assert any("has files of its own, like those of a" in note for note in notes)


def test_lists_of_files_that_overlap_are_told(tmp_path: Path) -> None:
    text = "[global]\nsize=1m\n[a]\nrw=write\nfilename=x:y\n[b]\nrw=randread\nfilename=x\n"
    workload, notes = converted(tmp_path, text)
    assert "files_of" not in workload["group"][1]
    assert any(note.startswith("filename: another section has some of these") for note in notes)


def test_a_trim_of_a_file_that_others_write_is_refused(tmp_path: Path) -> None:
    text = "[global]\nfilename=x\nsize=1m\n[a]\nrw=write\n[b]\nrw=randtrim\n"
    assert "read and write share files" in refused(tmp_path, text).what


@pytest.mark.parametrize("verify", ["verify=md5", "[b]\nstonewall\nfilename=x\nverify=md5"])
def test_what_is_verified_does_not_go_on_when_full(tmp_path: Path, verify: str) -> None:
    text = f"[a]\nsize=1m\nfilename=x\nrw=write\nfill_device=1\n{verify}\nsize=1m\n"
    workload, notes = converted(tmp_path, text)
    assert workload["group"][0]["verify"] is True
    assert "continue_when_full" not in workload["group"][0]
    assert any(note.startswith("fill_device: what is verified has") for note in notes)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("size=25%", "32 MiB"),
        ("size=100%\noffset=64m", "64 MiB"),
        ("size=75%\noffset=50%", "64 MiB"),
    ],
)
def test_a_share_of_files_whose_size_is_said(tmp_path: Path, text: str, size: str) -> None:
    workload, _ = converted(tmp_path, f"[a]\nfilesize=128m\n{text}\n")
    assert workload["group"][0]["file_sizes"] == size


def test_ramps_that_differ_are_told(tmp_path: Path) -> None:
    text = "[global]\nsize=1m\nruntime=1m\ntime_based\n[a]\nramp_time=3\n[b]\n"
    workload, notes = converted(tmp_path, text)
    assert workload["warm_up"] == "3 s"
    assert any(note.startswith("ramp_time: all groups warm up") for note in notes)


def plan_of(tmp_path: Path, text: str) -> dict[str, Any]:
    path = tmp_path / "job.fio"
    path.write_text(text, encoding="utf-8")
    return tomllib.loads(study_from_file(path).text)


def test_a_latency_target_is_a_load_curve(tmp_path: Path) -> None:
    target = "latency_target=5ms\nlatency_window=4s\nlatency_percentile=99.9\n"
    study = plan_of(tmp_path, f"[a]\nsize=1m\nrw=randread\nruntime=1m\n{target}")
    curve = {"mode": "curve", "latency_limit": "5 ms", "quantile": "p999"}
    assert study["plan"] == {"blocks": 6, **curve}
    assert study["workload"]["duration"] == "4 s"
    assert "primary" not in study["workload"]
    second = "[a]\nsize=1m\n[b]\nsize=1m\nlatency_target=700\nlatency_percentile=50\n"
    study = plan_of(tmp_path, second)
    assert study["workload"]["primary"] == ["operations of b"]
    assert (study["plan"]["latency_limit"], study["plan"]["quantile"]) == ("700 us", "p50")
    assert "a curve sets the pace" in refused(tmp_path, f"{second}rate_iops=5\n").what


def test_sections_that_end_when_they_are_steady_warm_up_until_then(tmp_path: Path) -> None:
    steady = "size=1m\nruntime=10m\ntime_based\nss=iops:2%\nss_dur=30\n"
    study = plan_of(tmp_path, f"[global]\nramp_time=5\n{steady}[a]\n[b]\n")["workload"]
    times = [study[key] for key in ("steady_window", "warm_up", "duration")]
    assert times == ["30 s", "605 s", "30 s"]
    for unlike in ("ss_dur=20", "runtime=5m", "stonewall"):
        study = plan_of(tmp_path, f"[global]\n{steady}[a]\n[b]\n{unlike}\n")["workload"]
        assert "steady_window" not in study
    study = plan_of(tmp_path, f"[global]\n{steady}[a]\nruntime=20\n")["workload"]
    assert "steady_window" not in study and study["duration"] == "20 s"


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("invalidate=0", "invalidate"),
        ("scramble_buffers=0", "scramble_buffers"),
        ("rw=randread", "fadvise_hint is not set"),
        ("rw=write\nbuffer_compress_percentage=50", "buffer_compress_chunk is not set"),
        ("rw=randread\nbssplit=4k/0:8k/60", "bssplit"),
        ("rw=randread\nbssplit=4k/50:9k/50", "bssplit"),
        ("rw=randread\nbssplit=4k/50:8k/50\nnorandommap\nrandom_generator=lfsr",
         "random_generator=lfsr"),
        ("rate_iops=5\nratecycle=100", "ratecycle"),
        ("write_iolog=x", "write_iolog"),
        ("ioengine=filestat\nnrfiles=9\nfilesize=4k", "ioengine"),
    ],
)  # fmt: skip
def test_what_fio_does_unless_told_otherwise_is_noted(
    tmp_path: Path, line: str, option: str
) -> None:
    _, notes = converted(tmp_path, f"[a]\nsize=1m\n{line}\n")
    assert option in [note.partition(":")[0] for note in notes]


@pytest.mark.parametrize(
    ("text", "is_new"),
    [
        ("rw=write\nsize=1m", True),
        ("rw=randrw\nsize=1m", False),
        ("rw=randwrite\nfilename=/dev/sdx\nsize=1m", False),
        ("rw=randwrite\nioengine=rbd", False),
    ],
)
def test_only_what_is_written_alone_is_new_for_fio(tmp_path: Path, text: str, is_new: bool) -> None:
    """Files that a job reads as well are made before it, and a device is there."""
    _, notes = converted(tmp_path, f"[a]\n{text}\n")
    assert any(note.startswith("overwrite is not set") for note in notes) is is_new


@pytest.mark.parametrize("size", ["size=0", "filesize=0", ""])
def test_a_size_of_0_is_all_that_there_is(tmp_path: Path, size: str) -> None:
    workload, notes = converted(tmp_path, f"[a]\nfilename=/dev/sdx\n{size}\n")
    assert workload["group"][0]["file_sizes"] == "4 GiB"
    assert any("--size SIZE" in note for note in notes)


def test_files_of_global_and_of_a_section_add_up(tmp_path: Path) -> None:
    """fio 3.33 reads both; a study of the last one alone was another load."""
    text = "[global]\nsize=64m\nfilename=x\n[a]\nfilename=y:z\n[b]\n"
    workload, _ = converted(tmp_path, text)
    assert [each.get("files") for each in workload["group"]] == [3, None]


def test_all_that_would_be_another_load_is_said_at_once(tmp_path: Path) -> None:
    text = "[global]\nsize=1m\n[a]\natomic=1\nrw=write\n[b]\nioengine=mmap\nrw=randwrite\n"
    error = refused(tmp_path, text)
    assert error.what.startswith("atomic would make another load here")
    assert any("job.fio:7: ioengine too" in line for line in error.details)
    assert "--without atomic" not in error.next
    error = refused(tmp_path, f"{text}[c]\niodepth=-1\n")
    assert error.what.startswith("atomic would make another load here")


def test_a_key_longer_than_its_column_is_parted_from_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "job.fio"
    path.write_text(f"[global]\nfilename=x\nsize=1m\n[{'a' * 40}]\n[b]\n", "utf-8")
    assert f'files_of = "{"a" * 40}" # job.fio:2 filename=x' in study_from_file(path).text


def test_every_key_names_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "job.fio"
    path.write_text("[global]\nsize=8m\n[a]\nrw=randread\niodepth=8\nioengine=io_uring\n", "utf-8")
    text = study_from_file(path).text
    (line,) = [each for each in text.splitlines() if each.startswith("queue_depth")]
    assert line.split("#")[1].strip() == "job.fio:5 iodepth=8"
    (line,) = [each for each in text.splitlines() if each.startswith("file_sizes")]
    assert line.endswith("# job.fio:2 size=8m")


def test_a_whole_device_is_stood_for_and_said(tmp_path: Path) -> None:
    workload, notes = converted(tmp_path, "[a]\nfilename=/dev/sdx\nrw=randread\n")
    assert workload["group"][0]["file_sizes"] == "4 GiB"
    assert any("--size SIZE" in note for note in notes)
    workload, _ = converted(tmp_path, "[a]\nfilename=/dev/sdx\n", size_bytes=1 << 30)
    assert workload["group"][0]["file_sizes"] == "1 GiB"


def test_systems_are_those_that_were_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "job.fio"
    path.write_text("[a]\nsize=8m\n", encoding="utf-8")
    found = tomllib.loads(study_from_file(path, systems=["btrfs"]).text)
    assert found["system"] == [{"name": "btrfs"}]
