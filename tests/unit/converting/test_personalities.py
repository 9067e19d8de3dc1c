"""Personalities of filebench and workloads of vdbench become groups, as far as they are honest."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from fsgauge.errors import InputError
from tests.unit.converting.test_fio import converted

FILE_SERVER = """\
set $dir=/tmp
set $nfiles=1000
set $filesize=cvar(type=cvar-gamma,parameters=mean:131072;gamma:1.5)
set $nthreads=50
set $iosize=1m
define fileset name=set,path=$dir,size=$filesize,entries=$nfiles,dirwidth=20,
  prealloc=80
define process name=server,instances=2
{
  thread name=server thread,memsize=10m,instances=$nthreads
  {
    flowop createfile name=create1,filesetname=set,fd=1
    flowop writewholefile name=write1,srcfd=1,fd=1,iosize=$iosize
    flowop closefile name=close1,fd=1
    flowop openfile name=open1,filesetname=set,fd=1
    flowop appendfilerand name=append1,iosize=16k,fd=1
    flowop closefile name=close2,fd=1
    flowop openfile name=open2,filesetname=set,fd=1
    flowop readwholefile name=read1,fd=1,iosize=$iosize
    flowop closefile name=close3,fd=1
    flowop deletefile name=delete1,filesetname=set
    flowop statfile name=stat1,filesetname=set
  }
}
run 60
"""
VDBENCH = """\
fsd=default,depth=1,width=2
fsd=fsd1,anchor=/tmp/x,files=100,size=64k
fwd=default,threads=4
fwd=fwd1,fsd=fsd1,operation=read,fileio=random,xfersize=(4k,75,16k,25),fileselect=random
fwd=fwd2,fsd=fsd1,operation=write,fileio=random,xfersize=4k
fwd=fwd3,fsd=fsd1,operation=getattr
rd=rd1,fwd=fwd*,fwdrate=300,format=yes,elapsed=30,interval=1
"""


def workload(tmp_path: Path, text: str, name: str, **options: Any) -> dict[str, Any]:
    return converted(tmp_path, text, name, **options)[0]


def test_a_loop_becomes_weights(tmp_path: Path) -> None:
    found = workload(tmp_path, FILE_SERVER, "fileserver.f")
    (only,) = found["group"]
    assert only["operations"] == {"create": 1, "append": 1, "read_file": 1, "unlink": 1, "stat": 1}
    assert (only["jobs"], only["files"], only["file_sizes"]) == (100, 1000, "128 KiB")
    assert found["duration"] == "1 min"


def test_sizes_that_are_drawn_are_noted(tmp_path: Path) -> None:
    _, notes = converted(tmp_path, FILE_SERVER, "a.f")
    assert any("around this mean" in note for note in notes)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("flowop statfile", "flowop semblock", "do not wait for one another"),
        ("flowop statfile", "flowop mine", "the file defines it"),
        ("flowop statfile", "flowop hog", "the nearest is think"),
        ("run 60", "thread name=a\n{\nflowop makedir name=b\n}", "folders are not made"),
        ("name=append1,", "name=append1,workingset=256m,", "drawn from the whole file"),
        ("flowop statfile name=stat1", "flowop appendfile iosize=8k", "a thread for each"),
        ("entries=$nfiles", "entries=$unset", "is no number"),
        ("entries=$nfiles", "entries=randvar(type=x)", "is drawn, and has no mean"),
        (
            "run 60",
            "eventgen rate=5\nthread name=a\n{\nflowop opslimit name=b\nflowop statfile\n}",
            "at one rate",
        ),
    ],
)
def test_what_is_not_honest_is_refused(tmp_path: Path, old: str, new: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        workload(tmp_path, FILE_SERVER.replace(old, new), "a.f")


def test_a_refusal_is_at_its_own_line_and_its_next_command_works(tmp_path: Path) -> None:
    text = FILE_SERVER.replace("flowop statfile", "flowop hog")
    with pytest.raises(InputError) as raised:
        workload(tmp_path, text, "a b.f")
    place = raised.value.location
    assert place is not None and (place.line, place.column) == (22, 5)
    assert place.text[place.column - 1 :].startswith("flowop hog")
    assert raised.value.next == f"fsgauge study from-fio '{tmp_path}/a b.f' --without hog"
    (only,) = workload(tmp_path, text, "a b.f", without=["hog"])["group"]
    assert "stat" not in only["operations"]


def test_blocks_are_those_that_move_at_a_place_and_pieces_of_files_are_noted(
    tmp_path: Path,
) -> None:
    (only,) = workload(tmp_path, FILE_SERVER, "a.f")["group"]
    assert only["block_sizes"] == "16 KiB"
    _, notes = converted(tmp_path, FILE_SERVER, "b.f")
    assert "iosize: whole files are read and written in pieces of 16 KiB, too" in notes
    assert any(note.startswith("appendfilerand: each append is of 16 KiB") for note in notes)


@pytest.mark.parametrize(
    ("flows", "operations"),
    [
        ("flowop createfile name=a,filesetname=set", {"create": 1, "unlink": 1}),
        ("flowop deletefile name=a,filesetname=set", {"unlink": 1, "create": 1}),
        ("flowop openfile name=a,filesetname=set\nflowop closefile name=b", {"open": 1}),
        ("flowop read name=a,filesetname=set,iosize=4k,iters=15728640", {"read": 1}),
    ],
)
def test_loops_of_one_operation(tmp_path: Path, flows: str, operations: dict[str, int]) -> None:
    text = 'define fileset name=set,entries=9,size=16k\nsystem "rm -rf /"\nthread name=t\n{\n'
    text += f"{flows}\nflowop finishoncount name=z,value=9\n}}\npsrun -10 20\n"
    found = workload(tmp_path, text, "a.f")
    (only,) = found["group"]
    assert (only["operations"], found["duration"]) == (operations, "20 s")
    _, notes = converted(tmp_path, text, "b.f")
    assert "system: a command of a shell is never run" in notes
    assert any(note.startswith("finishoncount: a run lasts its time") for note in notes)


@pytest.mark.parametrize("value", ["0", "1"])
def test_direct_io_and_a_working_set_are_by_their_values(tmp_path: Path, value: str) -> None:
    text = f"""\
set $directio={value}
set $workingset=0
define fileset name=set,entries=9,size=16k
thread name=t
{{
flowop read name=a,filesetname=set,iosize=4k,directio=$directio,workingset=$workingset
}}
"""
    (only,) = workload(tmp_path, text, "a.f")["group"]
    assert only["direct"] is (value == "1")


@pytest.mark.parametrize(
    ("flows", "what"),
    [
        ("read iosize=4k,random\nflowop read iosize=4k", "random would make"),
        ("read iosize=4k,directio\nflowop read iosize=4k", "directio would make"),
        ("write iosize=4k,dsync\nflowop write iosize=4k", "dsync would make"),
        ("read iosize=4k\nflowop statfile", "at random places"),
        ("readwholefile iosize=4k,directio\nflowop statfile", "through the page cache"),
        ("appendfile iosize=4k,dsync", "are not made durable"),
    ],
)
def test_blocks_of_one_thread_are_moved_alike(tmp_path: Path, flows: str, what: str) -> None:
    text = f"define fileset name=set,entries=9,size=16k\nthread name=t\n{{\nflowop {flows}\n}}\n"
    with pytest.raises(InputError, match=what):
        workload(tmp_path, text, "a.f")


def test_what_opens_a_file_says_how_all_is_moved(tmp_path: Path) -> None:
    text = "define fileset name=set,entries=9,size=16k\nthread name=t\n{\n"
    flows = ["openfile fd=1,directio,dsync", "read fd=1,iosize=4k", "write fd=1,iosize=4k"]
    text += "".join(f"flowop {flow}\n" for flow in flows) + "}\n"
    (only,) = workload(tmp_path, text, "a.f")["group"]
    assert (only["direct"], only["sync"], only["order"]) == (True, "dsync", "sequential")


@pytest.mark.parametrize(("rate", "is_taken"), [("0", True), ("5", False)])
def test_a_rate_of_nought_is_none(tmp_path: Path, rate: str, is_taken: bool) -> None:
    text = f"set $eventrate={rate}\neventgen rate=$eventrate\n{FILE_SERVER}"
    text = text.replace("flowop statfile", "flowop opslimit name=limit\nflowop statfile")
    if is_taken:
        assert "stat" in workload(tmp_path, text, "a.f")["group"][0]["operations"]
        return
    with pytest.raises(InputError, match="at one rate"):
        workload(tmp_path, text, "a.f")


@pytest.mark.parametrize(
    ("line", "duration"),
    [("run 20", "20 s"), ("run", "1 min"), ("psrun -10", "1 min"), ("psrun 10", "1 min"),
     ("psrun 10 30", "30 s")],
)  # fmt: skip
def test_psrun_has_its_period_first(tmp_path: Path, line: str, duration: str) -> None:
    found = workload(tmp_path, FILE_SERVER.replace("run 60", line), "a.f")
    assert found["duration"] == duration


def test_a_bound_of_the_study_is_at_the_fileset(tmp_path: Path) -> None:
    text = FILE_SERVER.replace("nfiles=1000", "nfiles=1500000")
    with pytest.raises(InputError, match="files must be at most") as raised:
        workload(tmp_path, text, "a.f")
    assert raised.value.location is not None
    assert raised.value.location.text.startswith("define fileset name=set")
    assert (raised.value.location.line, raised.value.location.column) == (6, 1)


def test_a_variable_may_be_another_one(tmp_path: Path) -> None:
    text = FILE_SERVER.replace("set $nthreads=50", "set $many=50\nset $nthreads=$many")
    assert workload(tmp_path, text, "a.f")["group"][0]["jobs"] == 100


def test_a_statement_goes_on_behind_a_comment(tmp_path: Path) -> None:
    first, last = (
        "name=set,path=$dir,size=$filesize,",
        "entries=$nfiles,dirwidth=20,\n  prealloc=80",
    )
    text = FILE_SERVER.replace(f"{first}{last}", f"{first}  # their mean\n# more\n\n  {last}")
    assert "# more" in text
    (only,) = workload(tmp_path, text, "a.f")["group"]
    assert (only["files"], only["file_sizes"]) == (1000, "128 KiB")
    text = text.partition(",filesetname=set\n  }")[0] + ","
    assert "stat" in workload(tmp_path, text, "a.f")["group"][0]["operations"]


def test_sizes_of_a_variable_that_is_drawn_are_their_mean(tmp_path: Path) -> None:
    text = FILE_SERVER.replace(
        "set $filesize=cvar(type=cvar-gamma,parameters=mean:131072;gamma:1.5)",
        "define randvar name=$filesize,type=gamma,mean=8k",
    )
    (only,) = workload(tmp_path, text, "a.f")["group"]
    assert only["file_sizes"] == "8 KiB"


def test_each_fwd_is_a_group_on_its_fsd(tmp_path: Path) -> None:
    found = workload(tmp_path, VDBENCH, "a.parm")
    read, write, stat = found["group"]
    assert (read["block_sizes"], read["block_weights"]) == (["4 KiB", "16 KiB"], [75, 25])
    assert (read["files"], read["file_sizes"], read["rate"]) == (200, "64 KiB", "100 IOPS")
    assert write["files_of"] == "fwd1"
    assert (stat["operations"], stat["jobs"], stat["files"]) == ({"stat": 1}, 4, 200)
    assert found["duration"] == "30 s"


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("operation=getattr", "operation=copy", "no group does copy"),
        ("operation=getattr", "operation=setattr", "setattr; the nearest is stat"),
        ("operation=getattr", "operation=rmdir", "rmdir; the nearest is an rd without it"),
        ("threads=4", "threads=many", "fwd1 has a value that cannot be read: 'many'"),
        ("fwdrate=300", "fwdrate=(100,200)", "a run for each rate"),
        ("fwdrate=300", "fwdrate=max,forthreads=(1,2)", "an rd of each"),
        ("fwdrate=300", "fwdrate=max,skew=30", "kept in proportion"),
        ("fwd=fwd*", "fwd=nobody", "no fwd is called nobody"),
        ("elapsed=30", "elapsed=half", "half is no time"),
        ("fsd=fsd1,operation=read", "fsd=fsd2,operation=read", "no fsd is called fsd2"),
        ("fwd=fwd1,fsd=fsd1", "fsd=fsd2,anchor=/y\nfwd=fwd1,fsd=fsd*", "an fwd for each"),
        ("elapsed=30", "elapsed=30,format=only", "anything but make files"),
        ("size=64k", "size=64k,colour=red", "no key of a study"),
        ("size=64k", "sizes=(64k,50,1m,50)", "files of one size"),
        ("size=64k", "depth=99999999,size=64k", "at most 40 levels"),
        ("size=64k", "distribution=all,depth=41,size=64k", "at most 40 levels"),
        ("size=64k", "sizes=(64k,50,8k)", "sizes=(64k,50,8k): the nearest is a size"),
        ("elapsed=30", "elapsed=30,operations=(read,write)", "an rd of each"),
        ("fileselect=random", "fileselect=(poisson,10)", "files are drawn evenly"),
        ("operation=getattr", "operation=read,stopafter=100", "a smaller size of files"),
        ("operation=getattr", "operation=getattr,skew=100", "leave no rate"),
        ("elapsed=30", "elapsed=30,format=(clean,only)", "anything but make files"),
        ("(4k,75,16k,25)", "(4k,75,16k,5)", "add to 100"),
        ("fileio=random,xfersize=4k", "fileio=sequential,openflags=o_direct", "page cache"),
        ("fsd=default", "startcmd=rm\nfsd=default", "never run"),
        ("fsd=default", "validate=yes\nfsd=default", "the nearest is verify = true of each"),
        ("fsd=default", "dedupratio=2\nfsd=default", "the nearest is duplicates of each: 50 %"),
        ("fsd=default", "pattern=/x\nfsd=default", "compressible to a share"),
    ],
)
def test_what_no_group_does_is_refused(tmp_path: Path, old: str, new: str, what: str) -> None:
    with pytest.raises(InputError, match=re.escape(what)) as raised:
        workload(tmp_path, VDBENCH.replace(old, new), "a.parm")
    place = raised.value.location
    assert place is not None and place.text in VDBENCH.replace(old, new)


def test_raw_workloads_are_told_from_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no fwd and rd"):
        workload(tmp_path, "sd=sd1,lun=/dev/x\nwd=wd1,sd=sd1\nrd=r,wd=wd1,iorate=max\n", "a.parm")


PHASES = """\
compratio=4
hd=default,shell=ssh
fsd=default,files=100,depth=2,width=3,
  sizes=(4k,60,64k,40)
fsd=fsd1,anchor=/tmp/x         note of somebody
fwd=format,threads=50,xfersize=1m
fwd=default,fileio=(random,shared),xfersize=8k
fwd=read,fsd=fsd1,operation=read,fileio=sequential
fwd=find,fsd=fsd1,operation=getattr,threads=3
rd=make,fwd=read,format=only,elapsed=5
rd=one,fwd=(read,find),fwdrate=max,elapsed=2m,threads=5
rd=two,fwd=r*,elapsed=1h,operation=write
rd=three,fwd=read,elapsed=10,fileio=random,rdpct=70,files=20,size=1m,openflags=(o_direct,o_dsync)
"""


def test_each_rd_is_a_phase_whose_keys_come_first(tmp_path: Path) -> None:
    found = workload(tmp_path, PHASES, "a.parm")
    read, find, write, mixed = found["group"]
    assert [each["name"] for each in found["group"]] == ["read", "find", "read 2", "read 3"]
    assert [each.get("after") for each in found["group"]] == [None, None, "find", "read 2"]
    assert read["operations"] == {"read_file": 100} and write["operations"] == {"write_file": 100}
    assert (read["files"], read["file_sizes"]) == (900, ["4 KiB", "64 KiB"])
    assert (find["file_sizes"], find["size_weights"]) == (["4 KiB", "64 KiB"], [60, 40])
    assert (read["jobs"], find["jobs"], write.get("jobs")) == (5, 5, None)
    assert (read["duration"], write["duration"]) == ("2 min", "1 h")
    assert (write["compressible"], read.get("compressible")) == ("75 %", None)
    assert mixed["operations"] == {"read": 70, "write": 30} and mixed["sync"] == "dsync"
    assert (mixed["files"], mixed["file_sizes"], mixed["direct"]) == (180, "1 MiB", True)


def test_other_names_of_keys_and_the_order_of_files(tmp_path: Path) -> None:
    """vdbench takes file after file unless fileselect is random."""
    text = VDBENCH.replace("operation=write,", "operation=write,readpct=40,")
    text = text.replace("operation=getattr", "operation=access")
    _, write, _ = workload(tmp_path, text, "a.parm")["group"]
    assert write["operations"] == {"read": 40, "write": 60}
    _, notes = converted(tmp_path, text, "b.parm")
    assert "fileselect: files are drawn evenly, not one after the other" in notes
    assert "operation: access is stat here" in notes


def test_random_and_shared_is_random(tmp_path: Path) -> None:
    text = VDBENCH.replace("fileio=random", "fileio=(random,shared)")
    text = text.replace("size=64k", "size=64k,openflags=directio")
    read, *_ = workload(tmp_path, text, "a.parm")["group"]
    assert (read["operations"], read["order"], read["direct"]) == ({"read": 100}, "random", True)


def test_operations_of_a_run_come_before_those_of_its_fwd(tmp_path: Path) -> None:
    text = VDBENCH.replace("elapsed=30", "elapsed=30,operations=write")
    found = workload(tmp_path, text, "a.parm")["group"]
    assert [each["operations"] for each in found] == [
        {"write": 100},
        {"write": 100},
        {"write_file": 100},
    ]


@pytest.mark.parametrize(
    ("sizes", "rate"), [("size=1m", "6.25 IOPS"), ("sizes=(4k,50,128k,50)", "66.666667 IOPS")]
)
def test_a_rate_counts_the_pieces_of_whole_files(tmp_path: Path, sizes: str, rate: str) -> None:
    text = VDBENCH.replace("operation=getattr", "operation=read,fileio=sequential,xfersize=64k")
    text = text.replace("fwd=fwd*", "fwd=fwd3").replace("fwdrate=300", "fwdrate=100")
    (only,) = workload(tmp_path, text.replace("size=64k", sizes, 1), "a.parm")["group"]
    assert (only["operations"], only["rate"]) == ({"read_file": 100}, rate)


def test_what_skew_leaves_is_shared_by_those_without(tmp_path: Path) -> None:
    text = VDBENCH.replace("operation=getattr", "operation=getattr,skew=80")
    found = workload(tmp_path, text, "a.parm")["group"]
    assert [each["rate"] for each in found] == ["30 IOPS", "30 IOPS", "240 IOPS"]


def test_runs_share_files_where_the_same_keys_are_the_same(tmp_path: Path) -> None:
    text = VDBENCH.replace("fwd=fwd*", "fwd=fwd1")
    text += "rd=rd2,fwd=fwd1,files=20,elapsed=5\nrd=rd3,fwd=fwd1,width=20,elapsed=5\n"
    found = workload(tmp_path, text, "a.parm")["group"]
    assert [each.get("files") for each in found] == [200, 40, 2000]


def test_without_sizes_files_have_their_mean(tmp_path: Path) -> None:
    text = VDBENCH.replace("size=64k", "sizes=(1k,50,70k,50)")
    read, *_ = workload(tmp_path, text, "a.parm", without=["sizes"])["group"]
    assert (read["file_sizes"], read.get("size_weights")) == ("32 KiB", None)


def test_what_a_run_asks_for_is_underlined_there(tmp_path: Path) -> None:
    text = VDBENCH.replace("elapsed=30", "elapsed=30,operations=(read,write)")
    with pytest.raises(InputError) as raised:
        workload(tmp_path, text, "a.parm")
    place = raised.value.location
    assert place is not None and place.line == 7
    assert place.text[place.column - 1 :].startswith("operations=(")


def test_an_operation_cannot_be_left_out(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        workload(tmp_path, VDBENCH.replace("operation=getattr", "operation=mkdir"), "a.parm")
    assert "--without" not in raised.value.next


def test_names_of_vdbench_may_have_any_letters_and_the_last_line_a_comma(tmp_path: Path) -> None:
    text = "fsd=f-1,anchor=/x,files=9\nfwd=w.1,fsd=f-1,operation=getattr\nrd=r-1,fwd=w.1,elapsed=5,"
    (only,) = workload(tmp_path, text, "a.parm")["group"]
    assert only["files"] == 9
