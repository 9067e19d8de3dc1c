"""An archive of a publication: written, judged again, and refused where it is another's."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsgauge import kinds
from fsgauge.errors import InputError
from fsgauge.plain_files.bounds import REPORT
from fsgauge.published import archive
from fsgauge.published.archive import (
    FORMAT,
    Contents,
    LeftOut,
    publication_named,
    put_in_archive,
    read_archive,
    write_archive,
)
from fsgauge.published.ledger import ledger_of, parts_of
from fsgauge.published.runs import JudgedRun, run_of, sha256_of
from fsgauge.report import write_report
from tests.command_server import leave_pictures_blank
from tests.synthetic import make_study

STUDY = "overhead-at-scale"


Make = Callable[..., Path]
"""An archive of the run in the test's folder; `changes` are of what it says of itself."""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a synthetic run that has the name of a study of verdicts."""
    folder = make_study(block_sizes=(4096,), blocks=4).write(tmp_path_factory.mktemp("run") / "a")
    with pytest.MonkeyPatch.context() as changed:
        leave_pictures_blank(changed.setattr)
        write_report(folder)
    report = json.loads((folder / "report.json").read_text("utf-8"))
    (folder / "report.json").write_text(json.dumps({**report, "study": STUDY}))
    return folder


def written(path: Path, measured: Path, **changes: object) -> Path:
    kept = run_of("overhead", STUDY)
    assert kept is not None
    contents = Contents(
        format=FORMAT,
        fsgauge="0.1.0",
        publication="flash",
        studies=[STUDY],
        left_out=[LeftOut(study="overhead-two-nodes-at-scale", why="the guest is not built")],
    ).model_copy(update=changes)
    return write_archive(path, contents, [(measured, kept)])


@pytest.fixture(scope="module")
def made_once(measured: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("archive") / "flash.tar.xz", measured)


@pytest.fixture
def made(made_once: Path, measured: Path, tmp_path: Path) -> Make:
    path = tmp_path / "flash.tar.xz"
    return lambda **changes: (
        written(path, measured, **changes) if changes else Path(shutil.copy(made_once, path))
    )


def test_it_is_judged_again_from_its_results_alone(made: Make, tmp_path: Path) -> None:
    archived = read_archive(made())
    run = archived.runs[STUDY]
    assert [each.study for each in archived.contents.left_out] == ["overhead-two-nodes-at-scale"]
    f15 = ledger_of("overhead").of("F-15")
    kept = run_of("overhead", STUDY)
    assert kept is not None and run.of(f15, f15.trials[0]) != kept.of(f15, f15.trials[0])
    with tarfile.open(tmp_path / "flash.tar.xz") as packed:
        names = packed.getnames()
    assert any("/records/" in name for name in names)
    assert not [name for name in names if "/scan-" in name]


def test_one_of_another_version_is_refused_with_the_command_that_makes_one(made: Make) -> None:
    with pytest.raises(InputError) as refusal:
        read_archive(made(format=7))
    said = refusal.value.render()
    assert "version 7" in said and "reads version 1" in said
    assert "next: fsgauge published run flash" in said


def test_a_study_that_was_changed_since_is_named(
    made: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made()
    other = tmp_path / f"{STUDY}.toml"
    other.write_text("format = 1\n")
    monkeypatch.setattr(kinds, "verdict_files", lambda folder: {other.name: other})
    assert sha256_of(other)
    with pytest.raises(InputError, match="overhead-at-scale of the archive is not the study"):
        read_archive(path)


def repacked(path: Path, change: Callable[[str, dict[str, Any]], None], name: str) -> Path:
    """The archive with the JSON of one member changed."""
    with tarfile.open(path) as packed:
        members = {each.name: packed.extractfile(each) for each in packed if each.isfile()}
        texts = {each: file.read() for each, file in members.items() if file is not None}
    found = json.loads(texts[name])
    change(name, found)
    texts[name] = json.dumps(found).encode()
    with tarfile.open(path, "w:xz") as packed:
        for each, text in texts.items():
            entry = tarfile.TarInfo(each)
            entry.size = len(text)
            packed.addfile(entry, io.BytesIO(text))
    return path


@pytest.mark.parametrize(
    ("member", "changes", "named"),
    [
        ("judged.json", {"format": 1}, "judged in version 1, and this fsgauge reads version 2"),
        ("judged.json", {"weather": "fine"}, "has results that this fsgauge does not read"),
        ("report.json", {"weather": "fine"}, "has results that this fsgauge does not read"),
        ("report.json", {"format": 9}, "has results that this fsgauge does not read"),
    ],
)
def test_results_of_another_version_are_named_and_not_called_cut_short(
    made: Make, member: str, changes: dict[str, object], named: str
) -> None:
    path = repacked(made(), lambda _, found: found.update(changes), f"{STUDY}/{member}")
    with pytest.raises(InputError) as refusal:
        read_archive(path)
    said = refusal.value.render()
    assert named in said and "fsgauge 0.1.0" in said and "cut short" not in said
    assert "next: fsgauge published run flash" in said


def test_findings_are_those_of_the_results(made: Make) -> None:
    """What forbids a verdict could be taken out of the facts beside them."""

    def noisy(_: str, found: dict[str, Any]) -> None:
        found["findings"][0] |= {"code": "noise.wide", "level": "warning"}

    path = repacked(made(), noisy, f"{STUDY}/report.json")
    name = f"{STUDY}/judged.json"
    path = repacked(path, lambda _, found: found.update(findings=[], blocks=99), name)
    again = read_archive(path).runs[STUDY]
    assert again.findings == ["noise.wide"] and again.blocks == 4


def test_a_run_that_is_not_valid_judges_nothing(made: Make) -> None:
    def invalid(_: str, found: dict[str, Any]) -> None:
        found["sureness"] |= {"valid": False, "invalid_reason": "blocks were lost"}

    path = repacked(made(), invalid, f"{STUDY}/report.json")
    with pytest.raises(InputError, match=f"{STUDY} of the archive is not valid: blocks were lost"):
        read_archive(path)


def test_one_study_that_was_changed_leaves_the_others(made: Make) -> None:
    """All of an archive was refused when one of its ten studies had a comment changed."""
    path = made(studies=[STUDY, "overhead-settings-at-scale"])
    archived = read_archive(path)
    assert list(archived.runs) == [STUDY]
    last = archived.contents.left_out[-1]
    assert last.study == "overhead-settings-at-scale" and "has no judged.json" in last.why
    assert last.next == "fsgauge published run flash"


@pytest.mark.usefixtures("blank_pictures")
def test_a_run_takes_the_place_of_the_one_of_its_study(tmp_path: Path) -> None:
    other = "overhead-settings-at-scale"
    kept = {study: run_of("overhead", study) for study in (STUDY, other)}
    whole = make_study(block_sizes=(4096,), blocks=4).write(tmp_path / "results")
    write_report(whole)
    path = tmp_path / "flash.tar.xz"
    for study in (STUDY, other, STUDY):
        run = kept[study]
        assert run is not None
        put_in_archive(path, "flash", [(whole, run)])
    archived = read_archive(path)
    assert set(archived.runs) == {STUDY, other}
    left_out = [each.study for each in archived.contents.left_out]
    assert left_out == ["overhead-two-nodes-at-scale"]
    assert archived.contents.left_out[0].next.startswith("fsgauge run ")
    with tarfile.open(path) as packed:
        names = packed.getnames()
    assert len(names) == len(set(names)) and f"{other}/study.json" in names


@pytest.mark.parametrize("content", [b"", b"no archive", json.dumps([1]).encode()])
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.tar.xz"
    path.write_bytes(content)
    with pytest.raises(InputError):
        read_archive(path)
    with tarfile.open(path, "w:xz") as packed:
        entry = tarfile.TarInfo("archive.json")
        entry.size = len(content)
        packed.addfile(entry, io.BytesIO(content))
    with pytest.raises(InputError) as refusal:
        read_archive(path)
    assert "fsgauge published run" in refusal.value.render()


@pytest.mark.parametrize("at", [0.5, 0.99])
def test_a_damaged_archive_is_an_error_in_words(made: Make, at: float) -> None:
    """Bytes that were flipped near its end were a bug of fsgauge."""
    path = made()
    content = bytearray(path.read_bytes())
    place = int(len(content) * at)
    content[place : place + 8] = bytes(each ^ 0xFF for each in content[place : place + 8])
    path.write_bytes(content)
    with pytest.raises(InputError):
        read_archive(path)


class Zeros(io.RawIOBase):
    """So many bytes, without keeping them."""

    def __init__(self, size_bytes: int) -> None:
        self.left = size_bytes

    def read(self, size: int = -1) -> bytes:
        given = self.left if size < 0 else min(size, self.left)
        self.left -= given
        return bytes(given)


@pytest.mark.parametrize(
    "how", ["members", "many members", "one member", "a header", "values", "a version"]
)
def test_a_small_archive_that_unpacks_to_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """Half a megabyte took 3 GiB and as long as its maker liked."""
    monkeypatch.setattr(archive, "MOST_UNPACKED_BYTES", (64 if how == "many members" else 8) << 20)
    path = tmp_path / "x.tar.xz"
    head = Contents(format=FORMAT, fsgauge="0", publication="nss", studies=[], left_out=[])
    text = head.model_dump_json().encode()
    if how == "values":
        text = text[:-1] + b', "x": [' + b"[]," * (REPORT.values + 1) + b"[]]}"
    if how == "a version":
        text = b'{"format": "' + b"1" * 100_000 + b'"}'
    with tarfile.open(path, "w:xz", preset=0) as packed:
        if how == "a header":
            entry = tarfile.TarInfo("pax")
            entry.type, entry.size = tarfile.XHDTYPE, 80 << 20
            packed.addfile(entry, Zeros(entry.size))
        for name, size in {"members": (5 << 20,) * 2, "one member": (80 << 20,)}.items():
            for at, size_bytes in enumerate(size if name == how else ()):
                entry = tarfile.TarInfo(f"study-{at}/report.json")
                entry.size = size_bytes
                packed.addfile(entry, Zeros(size_bytes))
        empty = tarfile.TarInfo("a").tobuf()
        for _ in range(60_000 if how == "many members" else 0):
            packed.fileobj.write(empty)
        entry = tarfile.TarInfo("archive.json")
        entry.size = len(text)
        packed.addfile(entry, io.BytesIO(text))
    assert path.stat().st_size < 200_000
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as refusal:
            read_archive(path)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    said = refusal.value.render()
    assert ("larger than any" in said) or ("values" in said) or ("version 111" in said), said
    assert len(said) < 1000
    assert how == "values" or peak_bytes < 64 << 20


@pytest.mark.parametrize(
    ("bound", "most"),
    [("MOST_UNPACKED_BYTES", 1 << 16), ("_MOST_MEMBERS", 5), ("ARCHIVE_BYTES", 9)],
)
def test_what_nobody_could_read_is_not_written(
    measured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, most: int
) -> None:
    monkeypatch.setattr(archive, bound, most)
    with pytest.raises(InputError, match="is larger than any archive"):
        written(tmp_path / "flash.tar.xz", measured)
    assert not list(tmp_path.glob("*.xz"))


def test_no_archive_is_no_damaged_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        read_archive(tmp_path / "none")


def test_publications_have_names_of_their_own_and_those_of_their_studies() -> None:
    for name in ("nss", "flash", "sonexion", "clusters", "closson"):
        assert publication_named(name)[1].publication.name == name
    assert publication_named("aging") == publication_named("sonexion")
    for unknown in ("sonexoin", ""):
        with pytest.raises(InputError) as refusal:
            publication_named(unknown)
        assert "sonexion: Life-long performance" in refusal.value.render()


@pytest.mark.parametrize("claim", ["N-26", "n-06"])
def test_a_claim_is_no_publication_whether_it_has_a_trial_or_not(claim: str) -> None:
    with pytest.raises(InputError, match=f"{claim.upper()} is a claim") as refusal:
        publication_named(claim)
    assert refusal.value.next == "fsgauge published run nss"


def test_every_study_of_a_publication_is_a_part_on_the_rig_that_it_is_for() -> None:
    parts = {part.study: part for part in parts_of("aging", ledger_of("aging"))}
    assert parts["aging-predicted"].rig == "simulator"
    assert parts["aging-at-scale"].needs_heads
    assert not parts["churn-group-size-at-scale"].needs_heads
    (nodes,) = [p for p in parts_of("overhead", ledger_of("overhead")) if p.rig == "vm"]
    assert nodes.study == "overhead-two-nodes-at-scale"


def test_a_kept_run_of_another_format_is_refused() -> None:
    kept = run_of("overhead", STUDY)
    assert kept is not None
    with pytest.raises(ValueError, match="format"):
        JudgedRun.model_validate({**kept.model_dump(), "format": 1})
