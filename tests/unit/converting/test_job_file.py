"""A job file is read as fio 3.33 reads it, and each option knows its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.converting.job_file import read_job_file
from fsgauge.errors import InputError


def job(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "job.fio"
    path.write_text(text, encoding="utf-8")
    return path


def test_global_reaches_the_sections_below_it_alone(tmp_path: Path) -> None:
    path = job(tmp_path, "[first]\nbs=1k\n[global]\nbs=2k\nrw=read\n[second]\n[third]\nbs=4k\n")
    values = {
        each.name: {name: option.value for name, option in each.options.items()}
        for each in read_job_file(path)
    }
    assert values == {
        "first": {"bs": "1k"},
        "second": {"bs": "2k", "rw": "read"},
        "third": {"bs": "4k", "rw": "read"},
    }


def test_comments_blanks_and_options_without_value(tmp_path: Path) -> None:
    text = "; head\n# head\n[a] ; a comment\n  bs = 4k # why\nthread\nname=x;y\n"
    (section,) = read_job_file(job(tmp_path, text))
    assert {name: each.value for name, each in section.options.items()} == {
        "bs": "4k",
        "thread": None,
        "name": "x",
    }
    option = section.options["bs"]
    assert (option.line, option.column, option.place) == (4, 3, "job.fio:4")


def test_any_section_that_begins_with_global_is_one(tmp_path: Path) -> None:
    (section,) = read_job_file(job(tmp_path, "[global settings]\nbs=4k\n[a]\n"))
    assert section.name == "a"
    assert section.options["bs"].value == "4k"


def test_includes_stand_beside_the_file_and_know_their_own_place(tmp_path: Path) -> None:
    (tmp_path / "more.fio").write_text("bs=8k\ninclude last.fio\n", encoding="utf-8")
    (tmp_path / "last.fio").write_text("rw=write\n", encoding="utf-8")
    (section,) = read_job_file(job(tmp_path, "[a]\ninclude more.fio\n"))
    assert section.options["bs"].place == "more.fio:1"
    assert section.options["rw"].place == "last.fio:1"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("bs=4k\n[a]\n", "before the first section"),
        ("[global]\nbs=4k\n", "has no job"),
        ("[a]\ninclude none.fio\n", "none.fio cannot be included"),
        ("[a]\ninclude job.fio\n", "an included file has a section"),
        ("[a]\nbs=${SIZE}\n", "the variable SIZE is not set"),
        ("[a]\nbs=2*$ncpus+\n", "is not computed"),
        ("[a]\nfilename=/dev/ram$ncpus\n", "is not computed"),
    ],
)
def test_what_is_refused_names_its_place(
    tmp_path: Path, text: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SIZE", raising=False)
    with pytest.raises(InputError, match=what) as raised:
        read_job_file(job(tmp_path, text))
    assert raised.value.location is not None or "no job" in what


def test_a_file_that_includes_itself_ends(tmp_path: Path) -> None:
    (tmp_path / "own.fio").write_text("include own.fio\n", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be included"):
        read_job_file(job(tmp_path, "[a]\ninclude own.fio\n"))


def test_variables_are_those_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIZE", "16")
    path = job(tmp_path, "[a]\nbs=${SIZE}k\nnumjobs=2*$ncpus\n")
    (section,) = read_job_file(path)
    assert section.options["bs"].value == "16k"
    assert int(section.options["numjobs"].value or "") % 2 == 0


def test_products_are_those_of_bc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 7)
    lines = "size=10*10*1000*$ncpus\nio_size=$ncpus/2*2+1\nbs=$ncpusk\nnumjobs=$ncpus-3\n"
    (section,) = read_job_file(job(tmp_path, f"[a]\n{lines}"))
    assert [each.value for each in section.options.values()] == ["700000", "7", "7k", "4"]


@pytest.mark.parametrize("how", ["includes", "jobs", "lines"])
def test_a_small_file_that_stands_for_a_great_one_is_refused(tmp_path: Path, how: str) -> None:
    """250 KB took all memory, and fifteen files that include the next one four times all time."""
    for level in range(15):
        (tmp_path / f"i{level}").write_text(f"include i{level + 1}\n" * 4)
    (tmp_path / "i15").write_text("rw=read\n")
    options = "[global]\n" + "".join(f"a{number}=1\n" for number in range(4000))
    texts = {"includes": "[j]\ninclude i0\n", "jobs": "[j]\n" * 1001, "lines": 2 * options}
    with pytest.raises(InputError, match="the job has more than") as refused:
        read_job_file(job(tmp_path, texts[how]))
    assert refused.value.location is not None
