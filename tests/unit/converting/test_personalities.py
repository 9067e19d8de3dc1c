"""Personalities of filebench and workloads of vdbench become groups, as far as they are honest."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from fsgauge.converting import study_from_file
from fsgauge.errors import InputError

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


def workload(tmp_path: Path, text: str, name: str) -> dict[str, Any]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    found: dict[str, Any] = tomllib.loads(study_from_file(path).text)["workload"]
    return found


def test_a_loop_becomes_weights(tmp_path: Path) -> None:
    found = workload(tmp_path, FILE_SERVER, "fileserver.f")
    (only,) = found["group"]
    assert only["operations"] == {"create": 1, "append": 1, "read_file": 1, "unlink": 1, "stat": 1}
    assert (only["jobs"], only["files"], only["file_sizes"]) == (100, 1000, "128 KiB")
    assert found["duration"] == "1 min"


def test_sizes_that_are_drawn_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "a.f"
    path.write_text(FILE_SERVER, encoding="utf-8")
    assert "around this mean" in study_from_file(path).text


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("flowop statfile", "flowop semblock", "no operation of a group"),
        ("entries=$nfiles", "entries=$unset", "is no number"),
    ],
)
def test_what_is_not_honest_is_refused(tmp_path: Path, old: str, new: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        workload(tmp_path, FILE_SERVER.replace(old, new), "a.f")


def test_each_fwd_is_a_group_on_its_fsd(tmp_path: Path) -> None:
    found = workload(tmp_path, VDBENCH, "a.parm")
    read, write, stat = found["group"]
    assert (read["block_sizes"], read["block_weights"]) == (["4 KiB", "16 KiB"], [75, 25])
    assert (read["files"], read["file_sizes"], read["rate"]) == (200, "64 KiB", "100 IOPS")
    assert write["files_of"] == "fwd1"
    assert (stat["operations"], stat["jobs"], stat["files"]) == ({"stat": 1}, 4, 200)
    assert found["duration"] == "30 s"


def test_an_operation_that_no_group_has(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no group does copy"):
        workload(tmp_path, VDBENCH.replace("getattr", "copy"), "a.parm")
