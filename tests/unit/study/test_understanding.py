"""A study in fio's words: read where they mean the same, else led to the key, with the place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fsgauge import kinds
from fsgauge.errors import InputError
from fsgauge.pages import metric_pages
from fsgauge.study.keys import all_dotted
from fsgauge.study.model import Study
from fsgauge.study.other_tools import (
    SPOKEN,
    Word,
    numbers_called,
    studies_called,
    studies_near,
    table_of_words,
    tools,
    words_called,
)
from fsgauge.study.parse import load_study, parse_study
from fsgauge.study.reference import words_page

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "words.md"
EVERY = [word for tool in tools().values() for word in tool.words]
STUDY = """\
format = 1
question = "How fast is it?"

[storage]
kind = "loop"
size = "1 GiB"

[[system]]
name = "ext4"

[workload]
kind = "{kind}"
{keys}
"""


def read(keys: str, kind: str = kinds.DEFAULT) -> Study:
    return parse_study(STUDY.format(kind=kind, keys=keys), "mine.toml", "mine")


def loaded(*overrides: str, name: str = kinds.DEFAULT, **more: str) -> tuple[Study, list[str]]:
    notes: list[str] = []
    return load_study(name, list(overrides), say=notes.append, **more), notes


def keys_of(keys: str, kind: str = kinds.DEFAULT) -> dict[str, Any]:
    return read(keys, kind).workload.model_dump()


def keys_set(*overrides: str, name: str = kinds.DEFAULT) -> dict[str, Any]:
    return loaded(*overrides, name=name)[0].workload.model_dump()


def refused(keys: str, kind: str = kinds.DEFAULT) -> InputError:
    with pytest.raises(InputError) as refusal:
        read(keys, kind)
    return refusal.value


def not_set(override: str, name: str = kinds.DEFAULT) -> InputError:
    """What --set is refused with."""
    with pytest.raises(InputError) as refusal:
        load_study(name, [override])
    return refusal.value


def hint_of(error: InputError) -> str:
    assert error.location is not None
    return error.location.hint


def test_a_job_of_fio_is_read() -> None:
    study = read(
        'rw = "randrw"\nbs = "4k"\niodepth = 32\nnumjobs = 4\nruntime = 30\nramp_time = "5s"\n'
        'rwmixread = 70\nnrfiles = 8\ndirect = 1\nrandseed = 7\nioengine = "io_uring"\n'
        "zero_buffers = 1\n"
    )
    lists = {"patterns": ["randrw"], "block_sizes": [4096], "queue_depths": [32], "jobs": [4]}
    times = {"duration": 30 * 10**9, "warm_up": 5 * 10**9}
    others = {"read_percent": 70, "files": 8, "direct": True, "interface": "io_uring"}
    load = study.workload.model_dump()
    for key, value in {**lists, **times, **others, "data": "zero"}.items():
        assert load[key] == value
    assert study.plan.seed == 7


@pytest.mark.parametrize(
    ("given", "nanoseconds"),
    [("90", 90e9), ('"90"', 90e9), ('"2m"', 120e9), ('"1h"', 3600e9), ('"500 ms"', 5e8)],
)
def test_times_are_as_fio_has_them(given: str, nanoseconds: float) -> None:
    assert keys_of(f"runtime = {given}")["duration"] == nanoseconds


@pytest.mark.parametrize(
    ("given", "sizes"),
    [
        ('"4k"', [4096]),
        ('"4K"', [4096]),
        ("4096", [4096]),
        ('"1m"', [1 << 20]),
        ('["4k", "64k"]', [4096, 65536]),
        ('"4 KiB"', [4096]),
        ('"4kb"', [4096]),
        ('"64KB"', [65536]),
        ('"512 kB"', [512_000]),
    ],
)
def test_sizes_are_as_fio_has_them(given: str, sizes: list[int]) -> None:
    assert keys_of(f"bs = {given}")["block_sizes"] == sizes


def test_each_word_has_a_note_with_its_place() -> None:
    study, notes = loaded("bs=4k", "workload.iodepth=32", "workload.duration=5s")
    assert study.workload.model_dump()["block_sizes"] == [4096]
    assert notes == [
        '--set bs=4k: fio\'s bs is workload.block_sizes = ["4 KiB"]',
        "--set workload.iodepth=32: fio's iodepth is workload.queue_depths = [32]",
    ]
    assert loaded("workload.duration=5s")[1] == []


def test_sizes_with_a_letter_are_read_wherever_a_size_stands(tmp_path: Path) -> None:
    study, notes = loaded('workload.block_sizes=["4k", "16K"]', storage="loop:8G")
    assert study.workload.model_dump()["block_sizes"] == [4096, 16384]
    assert study.storage.model_dump()["size"] == 8 << 30
    assert '--storage loop:8G: "8G" is read as "8 GiB", in powers of 1024 as in fio and dd' in (
        notes
    )
    own = tmp_path / "own.toml"
    own.write_text(STUDY.format(kind=kinds.DEFAULT, keys='bs = "8k"').replace("1 GiB", "1g"))
    said: list[str] = []
    load_study(str(own), say=said.append)
    assert said == [
        f'{own}:13:1: fio\'s bs is workload.block_sizes = ["8 KiB"]',
        f'{own}:6:1: "1g" is read as "1 GiB", in powers of 1024 as in fio and dd',
    ]


def test_an_option_overrules_the_file_in_either_words() -> None:
    study, _ = loaded("bs=8k")
    assert study.workload.model_dump()["block_sizes"] == [8192]
    error = refused('bs = "4k"\nblock_sizes = ["8 KiB"]')
    assert error.what == "bs and workload.block_sizes are the same key"
    assert error.location is not None and error.location.line == 13
    assert "mine.toml:14:1" in error.render()


@pytest.mark.parametrize(
    ("keys", "key", "hint"),
    [
        ('filename = "/dev/sdb"', "storage.device", 'write device = "/dev/sdb" in [storage]'),
        ('directory = "/srv/a"', "storage.path", 'write path = "/srv/a" in [storage]'),
        ('limitread = "10m"', "workload.rate", 'such as rate = "1000 IOPS"'),
        ('"-r" = 4', "workload.block_sizes", 'write block_sizes = ["4 KiB"]'),
    ],
)
def test_what_means_something_else_leads_to_the_key(keys: str, key: str, hint: str) -> None:
    error = refused(keys)
    assert key in error.what and error.exit_code == 2
    assert error.location is not None
    assert (error.location.line, error.location.column) == (13, 1)
    assert hint in error.location.hint
    assert error.next == f"fsgauge explain {key}"


@pytest.mark.parametrize(
    ("keys", "hint"),
    [
        ('ioengine = "mmap"', ""),
        ('ioengine = "libaoi"', 'did you mean "libaio"?'),
        ('rw = "randtrim"', ""),
        ('bs = "4k,64k"', ""),
        ('numjobs = "many"', ""),
        ("direct = 2", ""),
        ("rwmixwrite = 140", ""),
        ("buffer_compress_percentage = 50", ""),
        ('rate = "10m"', ""),
        ('rate = "100 Mb/s"', ""),
    ],
)
def test_a_value_that_means_nothing_is_refused_without_another_load(keys: str, hint: str) -> None:
    error = refused(keys)
    assert "is not a value of it" in error.what
    assert hint_of(error) == hint
    assert error.location.line == 13


def test_the_key_is_that_of_the_kind_of_study() -> None:
    assert keys_of("numjobs = 2\nbs = 8192\ndirect = 1", "writers")["writers"] == [2]
    error = refused("iodepth = 4", "churn")
    assert "which only a study of kind overhead has" in error.what


def test_a_word_of_fio_leads_to_the_study_that_has_its_key() -> None:
    """`fsync` is a key of connections as well, and that one means something else."""
    error = refused("fsync = 1")
    assert error.what == "fio's fsync is workload.sync, which only a study of kind writers has"
    error = refused("verify = true")
    assert error.what == 'unknown key "verify"'
    assert error.location is not None and "only workload of kind" in error.location.hint


@pytest.mark.parametrize(
    ("keys", "name", "value"),
    [
        ("rwmixwrite = 40", "read_percent", 60),
        ('ioengine = "libaio"', "interface", "io_uring"),
        ('ioengine = "sync"\niodepth = 1', "interface", "psync"),
        ('random_distribution = "zipf:1.2"', "zipf_theta", 1.2),
        ('random_distribution = "zipf:1.2"', "distribution", "zipf"),
        ('random_distribution = "random"', "distribution", "uniform"),
        ("rate_iops = 50", "rate", 50),
        ("rate_iops = 50\nnumjobs = 4", "rate", 200),
        ('rw = "randread,randwrite"', "patterns", ["randread", "randwrite"]),
        ('iodepth = "1,32"', "queue_depths", [1, 32]),
        ("buffer_compress_percentage = 100", "data", "zero"),
        ('block = "1m"', "block_sizes", [1 << 20]),
        ("threads = 4", "jobs", [4]),
        ("rwmixpct = 80", "read_percent", 80),
        ('direct = "off"', "direct", False),
        ('buffered = "yes"', "direct", False),
        ('zero_buffers = "on"', "data", "zero"),
        ("runtime = 0.5", "duration", 5 * 10**8),
        ('runtime = "1.5m"', "duration", 90 * 10**9),
        ('"if" = "/dev/zero"', "data", "zero"),
        ("bs = 65536.0", "block_sizes", [65536]),
    ],
)
def test_the_value_that_was_typed_is_translated(keys: str, name: str, value: object) -> None:
    assert keys_of(keys)[name] == value


@pytest.mark.parametrize(
    ("keys", "name", "value"),
    [
        ("total_files = 20000", "entries", 20_000),
        ("num_files = 20000", "entries", 20_000),
        ("nrfiles = 1000\nnumjobs = 4", "entries", 4000),
        ("items = 1000\nclients = 2", "entries", 2000),
        ('items = "100,1000"\nnp = 2', "entries", [200, 2000]),
        ("threads = 8\nentries = 8000", "clients", 8),
        ('file_size = "4k"', "file_sizes", 4096),
    ],
)
def test_words_for_many_files_are_translated(keys: str, name: str, value: object) -> None:
    """`total_files` was led to `folders`, and `nrfiles` to the key of another kind."""
    assert keys_of(keys, "metadata")[name] == value


@pytest.mark.parametrize(
    ("keys", "hint"),
    [
        ('clients = 4\n"-n" = 1000', "write entries = 4000"),
        ("clients = 4\nfiles = 1000", "write entries = 4000"),
        ('"-t" = 4', "write clients = 4"),
        ("clients = 4\ndirs = 1", 'such as folders = ["own", "shared"]'),
    ],
)
def test_words_for_many_files_are_proposed_with_the_value(keys: str, hint: str) -> None:
    assert hint_of(refused(keys, "metadata")) == hint


def test_files_of_each_of_several_numbers_of_clients_are_refused_with_all() -> None:
    said = refused("nrfiles = 1000", "metadata").render()
    assert "fio's nrfiles is workload.entries here, and 1000 is not a value of it" in said
    assert "one number of clients, of which there are several here: 1000 of 1, 4000 of 4" in said
    assert keys_of("num_files = 8")["files"] == 8
    error = refused("num_files = 8", "connections")
    assert "num_files (filebench's entries) is workload.files, which only a" in error.what


def test_two_keys_are_set_by_one_word() -> None:
    load = keys_of("fsync = 32", "writers")
    assert (load["sync"], load["sync_every"]) == ("fsync", 32)
    assert keys_of("fdatasync = 0", "writers")["sync"] == "none"
    assert keys_of('sync = "fsync"', "writers")["sync"] == "fsync"
    assert keys_of('verify = "crc32c"', "writers")["verify"] is True
    assert "O_SYNC is not measured" in refused("sync = 1", "writers").render()


def test_a_key_that_a_word_sets_too_is_not_overruled_in_silence() -> None:
    error = refused('fsync = 32\nsync = "dsync"', "writers")
    assert error.what == "fsync and workload.sync are the same key"
    error = refused('random_distribution = "zipf:1.2"\ndistribution = "uniform"')
    assert error.what == "random_distribution and workload.distribution are the same key"


def test_a_pace_of_a_job_is_not_one_for_several_numbers_of_them() -> None:
    assert "another one for each" in refused("rate_iops = 50\njobs = [1, 2]").render()


@pytest.mark.parametrize(
    ("keys", "pace"),
    [
        ('bs = "4k"\nrate = "100MB/s"', 24414),
        ('rate = "100MB/s"\nbs = "4k"', 24414),
        ('block_sizes = ["4 KiB"]\nrate = "1 MiB/s"', 256),
        ('bs = "1m"\nnumjobs = 4\nrate = "10 MiB/s"', 40),
        ('bs = "1m"\nrate = "10000 IOPS"', 10_000),
    ],
)
def test_a_pace_in_bytes_is_one_in_operations(keys: str, pace: float) -> None:
    assert keys_of(keys)["rate"] == pace


def test_a_pace_in_bytes_of_several_sizes_is_refused_with_that_of_each() -> None:
    said = refused('bs = ["4k", "64k"]\nrate = "100MB/s"').render()
    assert "24414 IOPS at 4 KiB, 1526 IOPS at 64 KiB" in said
    said = refused('rate = "10k"').render()
    assert 'for bytes, as fio has it, "10 KiB/s"; for operations "10 k IOPS"' in said
    assert (
        'for all jobs together workload.rate = "1 k IOPS"' in refused('rate_iops = "1k"').render()
    )
    assert "operations per second" in refused('bs = "many"\nrate = "1 MB/s"').render()


@pytest.mark.parametrize(
    ("override", "key", "value"),
    [
        ("workload.rate=10k iops", "rate", 10_000),
        ("workload.rate=5000 ops/s", "rate", 5000),
        ("workload.duration=5 seconds", "duration", 5 * 10**9),
        ("workload.warm_up=500 msec", "warm_up", 5 * 10**8),
        ("workload.read_percent=40 percent", "read_percent", 40),
        ("workload.block_sizes=512 bytes,1Mi", "block_sizes", [512, 1 << 20]),
    ],
)
def test_a_unit_that_can_only_mean_one_is_read_with_a_note(
    override: str, key: str, value: object
) -> None:
    study, notes = loaded(override)
    assert study.workload.model_dump()[key] == value
    assert notes and all(" is read as " in note and "1024" not in note for note in notes)


@pytest.mark.parametrize(
    "override", ["workload.duration=5 m", "workload.block_sizes=1Mb", "storage.bandwidth=10 Mb/s"]
)
def test_a_unit_that_may_mean_two_is_refused(override: str) -> None:
    with pytest.raises(InputError, match="not a unit"):
        load_study("overhead", [override])


def test_what_other_tools_print_is_measured_and_not_set() -> None:
    error = not_set("bw=100")
    assert hint_of(error) == "it is measured, not set"
    assert error.next == "fsgauge explain bw"
    pages = metric_pages()
    assert set(numbers_called().values()) <= set(pages)
    assert not set(numbers_called()) & set(pages)


def test_the_words_of_other_tools_reach_plan_and_storage() -> None:
    study, notes = loaded("size=10g", "runs=5")
    assert study.storage.model_dump()["size"] == 10 << 30
    assert study.plan.blocks == 5
    assert "fio's size is storage.size" in notes[0]
    assert "hyperfine's runs is plan.blocks" in notes[1]


@pytest.mark.parametrize(
    "word",
    [
        "time_based",
        "time_based=1",
        "norandommap",
        "thread=1",
        "fallocate=none",
        "scramble_buffers=1",
        "status=progress",
    ],
)
def test_what_is_always_so_is_read_with_a_note(word: str) -> None:
    study, notes = loaded(word)
    assert study.workload == loaded()[0].workload
    assert len(notes) == 1 and "is always so: " in notes[0]


@pytest.mark.parametrize(
    ("study", "typed", "key", "value"),
    [
        ("overhead", "qd=32", "queue_depths", [32]),
        ("overhead", "QD=32", "queue_depths", [32]),
        ("overhead", "queue_depth=1,4", "queue_depths", [1, 4]),
        ("overhead", "block_size=4k", "block_sizes", [4096]),
        ("overhead", "pattern=randread", "patterns", ["randread"]),
        ("overhead", "threads=4", "jobs", [4]),
        ("writers", "threads=4", "writers", [4]),
        ("commits", "clients=4", "committers", [4]),
        ("overhead", "seconds=30", "duration", 30 * 10**9),
        ("writers", "TransferSize=4k", "block_sizes", [4096]),
    ],
)
def test_what_people_say_is_read(study: str, typed: str, key: str, value: object) -> None:
    found, notes = loaded(typed, name=study)
    assert found.workload.model_dump()[key] == value
    assert notes[0].startswith(f"--set {typed}: ") and f" is workload.{key} = " in notes[0]


def test_what_is_said_names_the_word_that_it_is() -> None:
    assert loaded("qd=32")[1] == ["--set qd=32: qd (fio's iodepth) is workload.queue_depths = [32]"]
    study, _ = loaded("limit=5ms", name="capacity")
    assert study.plan.latency_limit == 5 * 10**6


def test_every_word_that_is_said_is_that_of_a_tool() -> None:
    spoken = table_of_words()[SPOKEN]
    known = {spelling for word in EVERY for spelling in word.spellings}
    assert set(spoken) - known == {"ioscheduler"}, "an option of jobs alone"
    said = [each for words in spoken.values() for each in words]
    assert len(said) == len(set(said)) and all(words_called(each) for each in said)


def test_a_scheduler_is_of_a_system() -> None:
    error = not_set("scheduler=bfq")
    assert "--system ext4:tunables.queue/scheduler=none" in error.what
    study = load_study("overhead", [], ["ext4", "ext4:tunables.queue/scheduler=none"])
    assert [system.tunables for system in study.systems][-1] == {"queue/scheduler": "none"}


def test_what_is_never_so_is_refused_with_the_reason() -> None:
    error = refused("norandommap = 0")
    assert error.what == (
        "fio's norandommap cannot be 0: offsets are drawn independently of one another"
    )
    assert hint_of(error) == ""


@pytest.mark.parametrize("keys", ['bssplit = "4k/50:8k/50"', "percentage_random = 50"])
def test_another_load_is_never_proposed_by_leaving_a_word_out(keys: str) -> None:
    error = refused(keys)
    assert "has no key here: " in error.what and "another load" in error.what
    assert "leave it out" not in error.render()


def test_a_switch_stands_alone_and_a_number_does_not() -> None:
    for override in ("direct", "direct=True"):
        assert keys_set(override)["direct"] is True
    with pytest.raises(InputError, match="hipri cannot be 1: the kernel does not poll"):
        load_study("overhead", ["hipri"])
    with pytest.raises(InputError, match="sets nothing"):
        load_study("overhead", ["iodepth"])


@pytest.mark.parametrize("word", ["bssplit", "rand", "select-only", "ignore-failure"])
def test_a_word_that_takes_no_value_leads_alone_too(word: str) -> None:
    """It was said to set nothing."""
    error = not_set(word)
    assert "sets nothing" not in error.what and word in error.what


@pytest.mark.parametrize(
    ("study", "typed", "proposed"),
    [
        ("overhead", "directory=/srv/data", "write storage.path = "),
        ("overhead", "testFile=/srv/data", "write storage.path = "),
        ("command", "setup=make -j4", 'write workload.prepare = ["make -j4"]'),
        ("command", "conclude=sync", 'write workload.finish = ["sync"]'),
        ("command", "command-name=git gc", 'write workload.name = "git gc"'),
    ],
)
def test_where_a_word_only_leads_the_value_that_was_typed_is_in_it(
    study: str, typed: str, proposed: str
) -> None:
    error = not_set(typed, study)
    assert hint_of(error).startswith(proposed)
    if "/srv" in typed:
        assert hint_of(error).endswith('"/srv/data"')
        assert "--storage path:/srv/data" in error.what


def test_a_pace_of_a_thread_in_bytes_is_proposed_in_operations() -> None:
    error = refused('bs = "4k"\nthreads = 2\nlimitread = "10m"')
    assert hint_of(error) == 'write rate = "5120 IOPS"'


def test_a_limit_of_pgbench_is_in_milliseconds() -> None:
    assert loaded("latency-limit=2.5", name="capacity")[0].plan.latency_limit == 2_500_000


def test_what_is_refused_is_in_no_note() -> None:
    """Each note of `rw` said that trims are not measured."""
    assert loaded("rw=randread")[1] == [
        '--set rw=randread: fio\'s rw is workload.patterns = ["randread"]'
    ]
    for word, reason in (("rw=trim", "of a mix"), ("random_distribution=pareto:1", "pareto")):
        with pytest.raises(InputError) as refusal:
            load_study("overhead", [word])
        assert any(reason in each for each in refusal.value.details)


def test_a_list_of_the_command_line_needs_no_brackets() -> None:
    load = keys_set("workload.block_sizes=4k,64k", "workload.jobs=1,2")
    assert (load["block_sizes"], load["jobs"]) == ([4096, 65536], [1, 2])
    with pytest.raises(InputError, match='patterns: "reed" is not known'):
        load_study("overhead", ["workload.patterns=reed,write"])


@pytest.mark.parametrize(
    ("override", "key", "value"),
    [
        ("workload.patterns=randread", "patterns", ["randread"]),
        ("workload.patterns='randread'", "patterns", ["randread"]),
        ("workload.block_sizes=64KiB", "block_sizes", [65536]),
        ("workload.queue_depths=4", "queue_depths", [4]),
        ("workload.patterns=[randread]", "patterns", ["randread"]),
        ("workload.patterns=[randread, randwrite]", "patterns", ["randread", "randwrite"]),
        ("workload.block_sizes=[4k,64KiB]", "block_sizes", [4096, 65536]),
    ],
)
def test_one_entry_needs_no_brackets_and_a_shell_may_take_the_quotes(
    override: str, key: str, value: list[object]
) -> None:
    """The refusal said: write ["randread"], of which a shell leaves [randread]."""
    assert keys_set(override)[key] == value


@pytest.mark.parametrize("text", ["[1", "1]", "1.5", "true", ""])
def test_what_is_no_list_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="queue_depths must be a"):
        load_study("overhead", [f"workload.queue_depths={text}"])


@pytest.mark.parametrize(
    "override",
    [
        f"workload.jobs=1,{'9' * 5000}",
        f"numjobs={'9' * 5000}",
        f"bs={'9' * 5000}",
        f"rate_iops={'9' * 5000}",
        f"runtime={'9' * 5000}",
        f"rwmixwrite={'9' * 5000}",
        f"random_distribution=zipf:{'9' * 5000}",
    ],
)
def test_numbers_of_any_length_are_refused(override: str) -> None:
    with pytest.raises(InputError):
        load_study("overhead", [override])


def test_a_word_of_another_tool_is_told_from_a_wrong_key() -> None:
    assert refused("numTasks = 2").what.startswith("IOR's numTasks is workload.writers")
    assert refused("bloksize = 1").what == 'unknown key "bloksize"'


@pytest.mark.parametrize("word", EVERY, ids=lambda word: f"{word.title} {word.word}")
def test_every_row_has_a_key_and_an_example_that_it_takes(word: Word) -> None:
    if not word.key:
        assert word.but and not word.is_translated and not word.example
        return
    owners = all_dotted()[word.key]
    assert word.is_translated or word.example
    assert word.is_read != bool(word.example)
    assert all(key in all_dotted() for key in word.sets)
    section, _, name = word.key.rpartition(".")
    if not word.example or section == "storage":
        return
    assert word.example.startswith(f"{name} = ")
    value = word.example.partition(" = ")[2]
    kinds_of = [each.variant for each in owners] if section == "workload" else [kinds.DEFAULT]
    said = [refusal(kind, f"{word.key}={value}") for kind in kinds_of]
    wrong = ("must be", "is not known", "unknown key", "is not a", "unit")
    assert any(not any(each in text for each in wrong) for text in said), said


def refusal(kind: str, override: str) -> str:
    """What the shipped study of a kind says to it; another of its keys may rule it out."""
    try:
        load_study(kind, [override])
    except InputError as error:
        return error.render()
    return ""


def test_every_option_of_fio_that_people_use_is_in_the_table() -> None:
    fio = {spelling for word in tools()["fio"].words for spelling in word.spellings}
    used = (
        "rw bs iodepth numjobs nrfiles direct buffered runtime time_based ramp_time rwmixread"
        " rate_iops rate_process randseed zero_buffers norandommap invalidate group_reporting"
        " lat_percentiles output-format write_bw_log ioengine size filesize filename directory"
        " io_size loops random_distribution fsync fdatasync sync end_fsync fallocate verify"
        " thinktime startdelay offset stonewall steadystate percentile_list"
        " buffer_compress_percentage bssplit bsrange blockalign percentage_random rate rate_min"
        " latency_target max_latency flow dedupe_percentage zonemode read_iolog cpus_allowed"
        " numa_cpu_nodes prio sqthread_poll client server"
    )
    assert set(used.split()) <= fio


def test_the_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == words_page(), (
        "run: python -m fsgauge.study words > docs/reference/words.md"
    )


def test_a_system_is_left_out_by_name() -> None:
    whole = load_study(kinds.DEFAULT)
    first, *others = [system.name for system in whole.systems]
    left = load_study(kinds.DEFAULT, without=[others[0]])
    assert [system.name for system in left.systems] == [first, *others[1:]]
    assert load_study(kinds.DEFAULT, without=[first]).systems[0].name == others[0]
    with pytest.raises(InputError) as refusal:
        load_study(kinds.DEFAULT, without=["ext5"])
    assert 'did you mean "ext4"?' in refusal.value.render()
    with pytest.raises(InputError) as refusal:
        load_study(kinds.DEFAULT, without=[first, *others])
    assert "nothing is left to measure" in refusal.value.what


def test_a_job_file_of_fio_is_called_that() -> None:
    job = "[global]\nioengine=libaio\nbs=4k\niodepth=32\n\n[randread]\nrw=randread\n"
    with pytest.raises(InputError) as refusal:
        parse_study(job, "ssd-test.fio", "ssd-test")
    assert refusal.value.what == "ssd-test.fio is a job file of fio, and a study is a TOML file"
    assert refusal.value.next == "fsgauge study from-fio ssd-test.fio writes one"
    unquoted = STUDY.format(kind=kinds.DEFAULT, keys="bs = 4k\niodepth = 32\nrw = read")
    with pytest.raises(InputError) as refusal:
        parse_study(unquoted, "mine.toml", "mine")
    assert "text and quantities go in quotes" in refusal.value.cause


def test_no_other_load_is_proposed_for_one_that_is_not_there() -> None:
    """For `rw=write` a study of writers proposed random writes, and for trims reads."""
    assert load_study("writers", ["rw=write"]).workload.order == "sequential"
    assert load_study("writers", ["rw=randwrite"]).workload.order == "random"
    for study, word, proposed in (
        ("overhead", "randtrim", ""),
        ("writers", "read", ""),
        ("overhead", "randraed", 'did you mean "randread"?'),
    ):
        with pytest.raises(InputError, match="is not a value of it") as refused:
            load_study(study, [f"rw={word}"])
        assert refused.value.location is not None
        assert refused.value.location.hint == proposed


MIX = """\
[[workload.group]]
name = "log"
{keys}
"""


def group_of(keys: str) -> dict[str, object]:
    return keys_of(MIX.format(keys=keys), "mix")["group"][0]


def test_a_group_is_written_in_the_words_of_fio_too() -> None:
    found = group_of(
        'bs = "8k"\niodepth = 4\nnumjobs = 2\nnrfiles = 3\nfilesize = "1g"\ndirect = 1\n'
        'ioengine = "libaio"\nrate_iops = 50\ntime_based = 1\n'
    )
    asked = ("block_sizes", "queue_depth", "jobs", "files", "file_sizes", "direct", "interface")
    assert [found[key] for key in asked] == [8192, 4, 2, 3, 1 << 30, True, "io_uring"]
    assert found["rate"] == 100
    found = group_of('operations = { write = 1 }\nfdatasync = 8\nrandom_distribution = "zipf:1.2"')
    assert (found["sync"], found["sync_every"]) == ("fdatasync", 8)
    assert (found["distribution"], found["zipf_theta"]) == ("zipf", 1.2)


def test_a_word_in_a_group_has_its_place_and_overrules_nothing() -> None:
    study, notes = loaded("workload.group.log.bs=16k", name="mix")
    log = next(each for each in study.workload.model_dump()["group"] if each["name"] == "log")
    assert log["block_sizes"] == 16384
    assert notes == [
        '--set workload.group.log.bs=16k: fio\'s bs is workload.group.block_sizes = "16 KiB"'
    ]
    twice = refused(MIX.format(keys='bs = "4k"\nblock_sizes = "8 KiB"'), "mix")
    assert twice.what == "bs and workload.group.block_sizes are the same key"


@pytest.mark.parametrize(
    ("keys", "said", "hint"),
    [
        ("rwmixread = 70", "rwmixread has no key of its own in a group", ""),
        ('filename = "/dev/sdb"', "filename has no key of its own in a group", ""),
        ("thinktime = 100", "thinktime is workload.group.think here", 'write think = "100 us"'),
        ('rate = "10m"', "rate is workload.group.rate here", ""),
        ('ioengine = "mmap"', "is not a value of it", ""),
    ],
)
def test_what_a_group_does_not_have_is_refused_by_its_name(keys: str, said: str, hint: str) -> None:
    error = refused(MIX.format(keys=keys), "mix")
    assert said in error.what and error.next.startswith("fsgauge explain workload.group")
    assert error.location is not None
    assert (error.location.line, error.location.hint) == (15, hint)


def test_a_latency_without_a_unit_is_in_microseconds_as_fio_has_it() -> None:
    assert loaded("latency_target=500")[0].plan.latency_limit == 500_000
    assert loaded("latency_target=5ms")[0].plan.latency_limit == 5_000_000


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("iodepth_low=8", "fio's iodepth_low has no key here: "),
        ("number_ios=1000", "a run lasts its time, not a number of operations"),
        ("thinktime_blocks=4", "fsgauge study from-fio JOB.fio reads it"),
    ],
)
def test_an_option_of_fio_that_no_key_means_is_called_that(word: str, said: str) -> None:
    error = not_set(word)
    assert said in error.what
    assert error.next == f"fsgauge explain {word.partition('=')[0]}"
    study, notes = loaded("log_compression=1")
    assert study.workload == loaded()[0].workload
    assert notes == [
        "--set log_compression=1: fio's log_compression is always so: each run has a"
        " series over time"
    ]


def test_a_key_that_stands_elsewhere_is_no_word_of_fio() -> None:
    error = not_set("volume=x")
    assert error.what == 'unknown key "volume"'


def test_a_word_of_a_group_is_led_to_the_groups() -> None:
    """`bs` of a mix was "only of a kind overhead or writers"."""
    error = not_set("bs=4k", "mix")
    assert error.what == "fio's bs is said of each group here"
    assert hint_of(error) == "write workload.group.NAME.bs"
    error = not_set("group.log.bs=4k", "mix")
    assert hint_of(error) == "write workload.group.log.bs"


@pytest.mark.parametrize(
    ("study", "word", "key", "value"),
    [
        ("commits", "client=4", "committers", [4]),
        ("commits", "bs=16k", "sizes", [16384]),
        ("commits", "numjobs=1,8", "committers", [1, 8]),
        ("commits", "fsync=1", "syncs", ["fsync"]),
        ("commits", "fdatasync=1", "syncs", ["fdatasync"]),
        ("commits", "sync=dsync", "syncs", ["open_datasync"]),
        ("overhead", "time=30", "duration", 30 * 10**9),
        ("overhead", "nthreads=4", "jobs", [4]),
        ("overhead", "iosize=16k", "block_sizes", [16384]),
        ("overhead", "oflag=direct", "direct", True),
        ("writers", "oflag=dsync", "sync", "dsync"),
        ("writers", "fsyncPerWrite=1", "sync", "fsync"),
        ("connections", "conv=fsync", "fsync", True),
    ],
)
def test_words_of_pgbench_filebench_dd_ior_and_of_fio_for_commits(
    study: str, word: str, key: str, value: object
) -> None:
    assert keys_set(word, name=study)[key] == value


def test_a_letter_alone_is_never_dropped() -> None:
    """hyperfine's -n says nothing here, and that of others is how many files there are."""
    with pytest.raises(InputError, match="-n"):
        load_study("overhead", ["-n=1000"])


@pytest.mark.parametrize(
    ("tool", "spelled", "keys"),
    [
        ("hyperfine", "conclude", {"workload.finish"}),
        ("hyperfine", "cleanup", {"workload.finish"}),
        ("hyperfine", "setup", {"workload.prepare"}),
        ("hyperfine", "shell", {"workload.program"}),
        ("hyperfine", "input", {"workload.program"}),
        ("hyperfine", "command-name", {"workload.name"}),
        ("hyperfine", "ignore-failure", {"workload.exit_codes"}),
        ("mdtest", "-s", {"workload.clients"}),
        ("mdtest", "-n", {"workload.entries", "workload.files_per_connection"}),
        ("pg_test_fsync", "secs-per-test", {"workload.duration"}),
    ],
)
def test_where_a_word_leads(tool: str, spelled: str, keys: set[str]) -> None:
    assert {word.key for word in tools()[tool].words if spelled in word.spellings} == keys


def test_a_letter_is_of_the_tool_whose_work_the_kind_is() -> None:
    """bonnie++'s -n, which says other things, came before mdtest's."""
    with pytest.raises(InputError, match=r"mdtest's -n is workload\.entries"):
        load_study("metadata", ["-n=1000"])
    with pytest.raises(InputError, match=r"mdtest's -s is workload\.clients"):
        load_study("metadata", ["-s=4"])
    with pytest.raises(InputError, match=r"fs_mark's -t is workload\.clients"):
        load_study("metadata", ["-t=4"])
    with pytest.raises(InputError, match=r"hyperfine's -s is workload\.prepare"):
        load_study("command", ["-s=true"])


def test_a_word_leads_to_all_studies_that_it_may_mean() -> None:
    assert studies_near()["bonnie++"] == ["sharing", "metadata"]
    assert studies_near()["git"] == ["command-git-clone", "command-git-status", "small-files"]
    assert studies_near()["sqlite"] == ["command", "postgresql"]
    assert {name: names[0] for name, names in studies_near().items()} == studies_called()


@pytest.mark.parametrize(
    ("study", "word", "said"),
    [
        (
            "metadata",
            "rw=randwrite",
            "rw is workload.patterns, which only a study of kind overhead",
        ),
        (
            "metadata",
            "rw=write",
            "rw is workload.patterns, which only a study of kind overhead has",
        ),
        ("mix-oltp", "filesize=4k", "fio's filesize is said of each group here"),
        ("command", "filesize=4k", "files have no size of their own"),
        ("overhead", "filesize=4k", "files have no size of their own"),
    ],
)
def test_a_word_means_what_the_kind_of_study_makes_of_it(study: str, word: str, said: str) -> None:
    """rw=randwrite took files of `metadata` in random order, as "this kind of study only writes",
    and files of a mix, which have sizes, were said to have none."""
    with pytest.raises(InputError) as refused:
        load_study(study, [word])
    assert said in refused.value.what


@pytest.mark.parametrize("study", ["connections", "metadata"])
def test_files_are_synced_by_fios_word(study: str) -> None:
    notes: list[str] = []
    found = load_study(study, ["fsync=1"], say=notes.append)
    assert found.workload.fsync is True
    assert notes == ["--set fsync=1: fsync = true; each file, before it is closed"]
    with pytest.raises(InputError):
        load_study(study, ["fsync=32"])


def test_a_switch_is_proposed_as_it_was_typed() -> None:
    with pytest.raises(InputError) as refused:
        load_study("aging", ["workload.scan=1"])
    assert refused.value.location is not None and refused.value.location.hint == "write true"
