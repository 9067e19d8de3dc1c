"""Command lines of fio, elbencho, IOR and mdtest are read, never run."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from fsgauge.converting import study_from_command
from fsgauge.errors import InputError


def load(command: str) -> dict[str, Any]:
    """[workload] of a command."""
    found: dict[str, Any] = tomllib.loads(study_from_command(command).text)["workload"]
    return found


def groups(command: str) -> list[dict[str, Any]]:
    return list(load(command)["group"])


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        ("mpirun -np 8 ior -w -r -t 1m -b 16m -o /mnt/x",
         [{"operations": {"write": 1}, "jobs": 8, "block_sizes": "1 MiB", "order": "sequential",
           "files_of_jobs": "shared", "file_sizes": "128 MiB"},
          {"operations": {"read": 1}, "files_of": "write", "after": "write"}]),
        ("mpirun -np 4 ior -t 1m -b 16m -s 4 -F",
         [{"files_of_jobs": "own", "file_sizes": "64 MiB"}, {"files_of_jobs": "own"}]),
        ("ior -w -t 64k -b 64k -s 16 -N 4",
         [{"order": "strided", "stride": "256 KiB", "file_sizes": "4 MiB"}]),
        ("ior -w -t 1MiB -b 4MiB", [{"block_sizes": "1 MiB"}]),
        ("ior -w -z -t 64k -b 1m -O useO_DIRECT=1,summaryFormat=JSON",
         [{"order": "random", "each_once": True, "direct": True}]),
        ("ior -w -z -z -t 64k -b 1m", [{"order": "random", "each_once": None}]),
        ("elbencho -r -b 4k -s 1g -t 2 --iodepth 16 --rand --direct --timelimit 20 /x",
         [{"order": "random", "queue_depth": 16, "direct": True, "jobs": 2, "file_sizes": "1 GiB",
           "interface": "libaio"}]),
        ("elbencho -w --stat -r -F -t 2 -n 3 -N 5 -s 16k /x",
         [{"name": each} for each in ("write", "stat", "read", "delete")]),
        ("./ior --dataPacketType=timestamp -g -G=7 -k -F -r -D 60 -z -z -t=4096 -b=4096 -s=1000",
         [{"block_sizes": "4 KiB", "file_sizes": "4000 KiB", "each_once": None}]),
        ("elbencho --write --blockvarpct=100 --size=3g --nosvcshare /x", [{"file_sizes": "3 GiB"}]),
        ("elbencho -w -b 1m -s 4k /x", [{"block_sizes": "4 KiB", "file_sizes": "4 KiB"}]),
        ("elbencho -w -r -s 8m -b 4k --rand --limitwrite 1m --limitread 2m -t 2 /x",
         [{"each_once": True, "bandwidth": "2 MiB/s"},
          {"each_once": None, "bandwidth": "4 MiB/s"}]),
        ("elbencho -w -s 8m --rwmixpct 100 /x", [{"operations": {"read": 100}}]),
        ("elbencho -r -s 8m --backward /x", [{"order": "backwards"}]),
        ("elbencho -r -s 4m /x/[a,b]/f[1-3]", [{"files": 6}]),
        ("elbencho -r -s 4m /x/f[1-100000]", [{"files": 100_000}]),
    ],
)  # fmt: skip
def test_each_phase_is_a_group(command: str, keys: list[dict[str, Any]]) -> None:
    found = zip(groups(command), keys, strict=True)
    assert [{key: group.get(key) for key in of_group} for group, of_group in found] == keys


def test_ior_in_turns_of_several_transfers_is_refused() -> None:
    with pytest.raises(InputError, match="the nearest is -F"):
        study_from_command("ior -w -t 64k -b 1m -s 16 -N 4")


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ("-R", ["read"]),
        ("-W", ["read"]),
        ("-w -W", ["write"]),
        ("-w -R", ["write", "read"]),
        ("", ["write", "read"]),
    ],
)
def test_ior_that_checks_alone_only_reads(options: str, names: list[str]) -> None:
    assert [each["name"] for each in groups(f"ior {options} -t 1m -b 4m")] == names


def test_mdtest_is_clients_that_make_find_and_remove_files() -> None:
    found = load("srun -n 4 mdtest -n 100 -F -w 4k -C -T -E -r")
    assert found["operations"] == ["create", "stat", "read", "unlink"]
    assert (found["clients"], found["entries"], found["folders"]) == ([4], [400], ["shared"])
    assert found["file_sizes"] == ["4 KiB"]
    assert "stonewall" not in found and "fsync" not in found


def test_mdtest_easy_and_hard_as_io500_calls_them() -> None:
    easy = load(
        "mpirun -np 2 mdtest -n 1000 -u -L -F -P -G 27 -N 1 -d /x -x f -C -Y -W 300 -a POSIX"
    )
    assert (easy["folders"], easy["stonewall"], easy["operations"]) == (
        ["own"],
        "5 min",
        ["create"],
    )
    assert easy["sync_after"] == ["create"], "-Y was dropped without a word"
    notes = study_from_command("mdtest -F -n 5 -Y").converted.findings.notes.values()
    assert "-Y" not in [note.option for note in notes]
    assert "sync_after" not in load("mdtest -n 10 -F")
    hard = load("mpirun -np 2 mdtest -n 1000 -t -F -w 3901 -e 3901 -N 1 -T -R -y")
    assert (hard["file_sizes"], hard["order"], hard["fsync"]) == (["3901 B"], "random", True)
    assert hard["operations"] == ["create", "stat"]


def test_what_mdtest_verifies_is_verified() -> None:
    """-X was noted as "not compared"."""
    assert load("mdtest -n 10 -F -w 4k -X")["verify"] is True
    assert "verify" not in load("mdtest -n 10 -F -C -X")
    notes = study_from_command("mdtest -n 10 -F -C -X").converted.findings.notes.values()
    assert ("-X", "no file is read") in [(note.option, note.text) for note in notes]


def test_numbers_of_mdtest_have_units() -> None:
    found = load("mdtest -F -n 1k -w 4k -e 4k")
    assert (found["entries"], found["file_sizes"]) == ([1024], ["4 KiB"])


def test_items_of_a_tree_are_counted() -> None:
    assert load("mdtest -F -I 10 -z 2 -b 3")["entries"] == [10 * (1 + 3 + 9)]
    assert load("mdtest -F -I 10 -z 2 -b 3 -L")["entries"] == [90]
    assert load("mdtest -F -I 10 -z 999 -b 1")["entries"] == [10_000]
    assert load("mdtest -F -I 10 -b 3")["entries"] == [10]
    with pytest.raises(InputError, match="at most 40 levels"):
        study_from_command("mdtest -F -I 10 -z 200 -b 3")


def test_mdtest_of_empty_files_reads_nothing() -> None:
    assert load("mdtest -n 10 -F")["operations"] == ["create", "stat", "unlink"]


def test_mdtest_of_folders_is_refused() -> None:
    with pytest.raises(InputError, match="folders is not measured"):
        study_from_command("mdtest -n 100")


@pytest.mark.parametrize(
    ("launcher", "tasks"),
    [
        ("mpirun --allow-run-as-root -np 8 --hostfile h", 8),
        ("mpiexec -n 3 --bind-to core", 3),
        ("srun -n 4 -c 2", 4),
        ("srun -N10 --tasks-per-node 24", 240),
        ("srun --ntasks=6 --cpus-per-task=2", 6),
        ("mpirun -npernode 5", 5),
        ("mpirun -host a", 1),
        ("mpirun -npernode 2 -H a,b,c", 6),
    ],
)
def test_a_launcher_says_how_many_tasks(launcher: str, tasks: int) -> None:
    assert load(f"{launcher} /opt/bin/mdtest -F -n 10")["clients"] == [tasks]
    notes = study_from_command(f"{launcher} mdtest -F -n 10").converted.findings.notes
    assert any("does not say" in note.text for note in notes.values()) is (tasks == 1)


@pytest.mark.parametrize(
    ("launcher", "tasks"),
    [
        ("mpirun -H a,b", 2),
        ("mpirun -H a:4,b", 5),
        ("mpirun --host localhost,localhost,localhost", 3),
        ("mpirun -H a -H b:2", 3),
        ("srun -w n[1-3,7]-ib,login", 5),
        ("srun --nodelist=r[1-2]n[01-04]", 8),
    ],
)
def test_without_a_number_there_is_a_task_for_each_slot_that_is_named(
    launcher: str, tasks: int
) -> None:
    """ "mpirun -H a,b" became one task, where Open MPI starts two."""
    assert load(f"{launcher} mdtest -F -n 10")["clients"] == [tasks]
    notes = study_from_command(f"{launcher} mdtest -F -n 10").converted.findings.notes
    assert any("one for each slot that it names" in note.text for note in notes.values())


def test_a_file_of_hosts_is_not_read_and_no_number_is_made_up() -> None:
    with pytest.raises(InputError, match="stands in its file of hosts") as refusal:
        study_from_command("mpirun --hostfile h mdtest -F -n 10")
    assert refusal.value.next == "mpirun -np NUMBER in its place"


def test_a_letter_is_not_guessed_from_another() -> None:
    assert groups("ior -w -q -p -t 1m -b 1m")[0]["name"] == "write"
    with pytest.raises(InputError) as raised:
        study_from_command("ior -w -I")
    assert raised.value.what == "ior's -I is not known here"


@pytest.mark.parametrize(
    ("launcher", "is_told"),
    [
        ("mpirun -np 8 --host a,b", True),
        ("mpirun -np 8 --hostfile h", True),
        ("srun -N 2 -n 4", True),
        ("srun -n 4 --nodelist=n[1-2]", True),
        ("srun -n 4", False),
        ("mpirun -np 4 -host a", False),
        ("mpirun -np 2 -H localhost,localhost", False),
        ("mpirun -np 4 -H localhost:2,localhost:2", False),
        ("mpirun -np 4 -H a:2,b:2", True),
    ],
)
def test_several_hosts_become_one_and_that_is_told(launcher: str, is_told: bool) -> None:
    notes = study_from_command(f"{launcher} ior -w -F").converted.findings.notes.values()
    assert any("--rig fleet --hosts" in note.text for note in notes) is is_told


def test_a_limit_in_bytes_is_of_whole_files() -> None:
    limited = "elbencho -w -r -t 2 -n 1 -N 10 -b 64k --limitread 1m --limitwrite 1m /x"
    write, read = groups(f"{limited} -s 512k")
    assert (write["operations"], write["rate"]) == ({"create": 1, "unlink": 1}, "8 IOPS")
    assert (read["rate"], read["arrival"]) == ("4 IOPS", "constant")
    with pytest.raises(InputError, match="empty files have no bytes"):
        study_from_command(limited)


def test_elbencho_works_on_every_path() -> None:
    for paths in ("/x/f[1-16]", "/x/f{01..16}", " ".join(f"/x/{n}" for n in range(16))):
        write, read = groups(f"elbencho -w -r -t 4 -s 4m -b 1m --direct {paths}")
        assert (write["files"], write["file_sizes"], read["files_of"]) == (16, "4 MiB", "write")


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("ior -w -e -t 1m -b 4m", "-e"),
        ("ior -w -r -C -i 5 -t 1m -b 4m", "-C"),
        ("ior -w -T 3 -t 1m -b 4m", "-T"),
        ("ior -w -t 1m -b 4m -D 300 -O stoneWallingWearOut=1", "-O"),
        ("ior -R -t 1m -b 4m", "-R"),
        ("ior -W -t 1m -b 4m", "-W"),
        ("elbencho -w -d -D -n 1 -N 2 -s 4k /x", "-D"),
        ("elbencho -w -n 1 -N 2 -s 4k --verify 1 /x", "--verify"),
        ("elbencho -w -s 4m -i 3 /x", "-i"),
        ("elbencho -w /x", "-s"),
        ("elbencho -w -F -s 4m /x", "-F"),
    ],
)
def test_what_an_option_does_not_do_is_noted(command: str, option: str) -> None:
    notes = study_from_command(command).converted.findings.notes.values()
    assert option in [note.option for note in notes]


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("elbencho -w -s 1m --blockvarpct 50 /x", "keys compressible and duplicates"),
        ("ior -w -f script", "a script says"),
        ("ior -w -O collective=1", "collective: the nearest is its option"),
        ("ior -w -t 3k -b 4k", "whole transfers"),
        ("mdtest -F -n 5 -a DFS", "POSIX calls alone"),
        ("ior -w -t 1m -b 4m -a AIO", "POSIX calls alone"),
        ("elbencho -r -s 1m --verify 1 /x", "the nearest is -w as well"),
        ("mdtest -F -n 5 --run-cmd-before-phase=reboot", "never run"),
        ("elbencho -w -s 1m --hosts a,b /x", "--rig fleet"),
        ("elbencho -w -n 1 -N 2 -s 4k --rand /x", "page cache"),
    ],
)
def test_what_would_be_another_load_is_refused(command: str, what: str) -> None:
    with pytest.raises(InputError, match=what) as raised:
        study_from_command(command)
    place = raised.value.location
    assert place is not None and command[place.column - 1 :].startswith("-")
    assert raised.value.next.startswith("the same command without -")


def test_an_option_is_underlined_where_it_stands() -> None:
    command = "mpirun --bind-to -x ior -wx -t 1m -x -b 1q"
    with pytest.raises(InputError) as raised:
        study_from_command(command)
    place = raised.value.location
    assert place is not None and (place.column, place.width) == (command.rindex("-b") + 1, 2)


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("dd if=/dev/zero of=/dev/sda", "no command of dd"),
        ("", "no command of nothing"),
        ("ior -w && ior -r", "several commands, parted by &&"),
        ("fio --name=a --size=1m; sleep 1800", "several commands, parted by"),
        ("fio --rw=read --size=1m", "the command has no job"),
        ("fio --name=a --sice=1m", "no option sice"),
        ("fio x.fio --bs=4k", "x.fio is no option, but a job file"),
        ("fio --name=a --time_based y", "y is no option, but a job file"),
        ("ior 'x", "cannot be read"),
        ("ior -w -I 5", "-I is not known"),
        ("elbencho --s3keys x", "not known"),
        ("ior -w -t foo", "takes a number"),
        ("ior -w -t", "takes a number"),
        ("mpirun -np", "no command"),
        ("ior -w -a MPIIO", "POSIX"),
        ("elbencho -w -s 1m --direct=0 /x", "--direct takes no value"),
        ("ior -w -t 0 -b 1m", "-t is at least 1"),
        ("ior -w -b 0", "-b is at least 1"),
        ("ior -w -s 0", "-s is at least 1"),
        ("elbencho -w -s 1m -b 0 /x", "-b is at least 1"),
        ("elbencho -w -s -4k /x", "-s is at least 0"),
        ("elbencho -w -s 1m '/x/f[1-999999999999]'", "more than 100,000 files"),
        ("elbencho -w -s 1m /x/f[1-60000] /x/g[1-60000]", "more than 100,000 files"),
    ],
)
def test_what_cannot_be_taken_is_said(command: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        study_from_command(command)


def test_a_tool_that_only_has_words_leads_to_them() -> None:
    """`from-command 'hyperfine ...'` led to from-fio."""
    with pytest.raises(InputError) as refused:
        study_from_command("hyperfine 'sleep 1'")
    assert refused.value.next == "fsgauge explain hyperfine"
    with pytest.raises(InputError) as refused:
        study_from_command("fio job.fio")
    assert refused.value.next.startswith("fsgauge study from-fio job.fio")


def test_a_command_of_fio_is_the_job_of_its_options() -> None:
    """What stands before the first --name is for all jobs; values stand behind = or a blank."""
    command = "fio --rw=randread -bs=8k --size 1g --time_based --runtime 9 --output-format=json"
    one, two = groups(f"{command} --name=a --name='b c' --rw=write --fdatasync=1")
    assert (one["operations"], one["block_sizes"], one["order"]) == ({"read": 1}, "8 KiB", "random")
    assert (two["name"], two["operations"], two["sync"]) == ("b c", {"write": 1}, "fdatasync")
    assert load(f"{command} --name=a")["duration"] == "9 s"
    text = study_from_command(f"{command} --name=a").text
    assert 'block_sizes = "8 KiB"                       # the command -bs=8k' in text


@pytest.mark.parametrize(
    ("options", "what", "begins"),
    [
        ("--name=a --exec_prerun='rm -rf /' --bs=4k", "never run", "--exec"),
        ("--name=a --rw=randread:8", "random_percent", "--rw"),
        ("--name=a --bs=4k --bs=8k", "bs=8k contradicts the command bs=4k", "--bs=8k"),
        ("--name=a --bs=4k --iodepth --bs=4k", "a number|a whole number|a value", "--iodepth"),
        ("--name=a --numjobs=5000", "jobs must be at most", "--numjobs"),
    ],
)
def test_what_fio_would_do_otherwise_is_underlined_in_its_command(
    options: str, what: str, begins: str
) -> None:
    command = f"fio --size=1g {options}"
    with pytest.raises(InputError, match=what) as refused:
        study_from_command(command)
    place = refused.value.location
    assert place is not None and command[place.column - 1 :].startswith(begins)


@pytest.mark.parametrize(
    "command",
    [
        "fio --name=a \\\n    --rw=randread \\\n    --size=1g",
        "sudo fio --name=a --rw=randread --size=1g > out.txt 2>&1",
        "OMP=1 time fio --name=a --rw=randread --size=1g | tee x",
    ],
)
def test_what_a_shell_does_with_a_command_is_no_part_of_it(command: str) -> None:
    (only,) = groups(command)
    assert (only["order"], only["file_sizes"]) == ("random", "1 GiB")
    (only,) = groups("elbencho -w -s 1g /x &> out.txt")
    assert "files" not in only
