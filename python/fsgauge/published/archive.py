"""One archive of what was run for a publication, from which its verdicts are made again.

It has each study's file, its results as statistics read them, the facts that a verdict needs, and
the records of its runs; lists of extents, which are most of a results folder, are left out.
"""

from __future__ import annotations

import io
import json
import lzma
import os
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from fsgauge import __version__, kinds
from fsgauge.errors import InputError, quoted
from fsgauge.plain_files import PlainFolder, read_named, write_whole
from fsgauge.plain_files.bounds import ARCHIVE_BYTES, MOST_UNPACKED_BYTES, REPORT, values_of_json
from fsgauge.published.ledger import Ledger, Part, ledgers, parts_of
from fsgauge.published.runs import FORMAT as RUN_FORMAT
from fsgauge.published.runs import JudgedRun, sha256_of
from fsgauge.stats.results import Results

FORMAT = 1
_CONTENTS = "archive.json"
_MOST_MEMBERS = 50_000
"""The largest publication has some thousands of runs; who reads keeps a kilobyte of each."""
_UNPACKER_BYTES = 128 << 20
"""Memory of the unpacker: what is packed here takes 9 MiB of it."""


class LeftOut(Part):
    """A study that was not run, why, and the command that leads on."""

    study: str
    why: str
    next: str = ""


class Contents(Part):
    """What an archive is of; `studies` are the folders in it."""

    format: int
    fsgauge: str
    publication: str
    studies: list[str]
    left_out: list[LeftOut]


class Archived(Part):
    """An archive as it was read: each run judged again from its results."""

    contents: Contents
    runs: dict[str, JudgedRun]


def write_archive(
    path: Path,
    contents: Contents,
    ran: Sequence[tuple[Path, JudgedRun]],
    others: Mapping[str, bytes] = MappingProxyType({}),
) -> Path:
    """Pack these results folders, in this order, behind the members of `others`; InputError for
    more than is ever read again."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:xz", preset=6) as packed:
        _put(packed, _CONTENTS, contents.model_dump_json(indent=1))
        for name, content in others.items():
            _put(packed, name, content)
        for directory, run in ran:
            facts = run.model_copy(update={"observed": [], "silent": []})
            _put(packed, f"{run.study}/judged.json", facts.model_dump_json(indent=1))
            with PlainFolder.opened(directory) as folder:
                for name in _kept(folder):
                    _put(packed, f"{run.study}/{name}", folder.read(name))
                    if _is_too_much(packed):
                        raise _too_large(path)
    if len(whole.getbuffer()) > ARCHIVE_BYTES:
        raise _too_large(path)
    write_whole(path, whole.getvalue())
    return path


def put_in_archive(path: Path, publication: str, ran: Sequence[tuple[Path, JudgedRun]]) -> Path:
    """Put runs in the archive of a publication, each in place of what it has of its study; what it
    has of others stays. It is made where it is not there. InputError as of the two others."""
    folder, ledger = publication_named(publication)
    new = [run.study for _, run in ran]
    found = _members(path, lambda _: True) if os.path.lexists(path) else {}
    before = _contents_in(found, path).studies if found else []
    stays = [study for study in before if study not in new]
    prefixes = tuple(f"{study}/" for study in stays)
    others = {name: text for name, text in found.items() if name.startswith(prefixes)}
    studies = [*stays, *new]
    left_out = [
        LeftOut(
            study=part.study,
            why="its records are not in this archive",
            next=f"fsgauge run {quoted(part.path)}",
        )
        for part in parts_of(folder, ledger)
        if part.study not in studies
    ]
    contents = Contents(
        format=FORMAT,
        fsgauge=__version__,
        publication=ledger.publication.name,
        studies=studies,
        left_out=left_out,
    )
    return write_archive(path, contents, ran, others)


def _kept(folder: PlainFolder) -> Iterator[str]:
    """Files of a results folder that an archive has, by their names in it."""
    yield from ("study.toml", "study.json", "report.json")
    for turn in folder.folders("records"):
        for name in folder.names(f"records/{turn}"):
            if name.endswith(".json") and not name.startswith(("scan-", "step-")):
                yield f"records/{turn}/{name}"


def _put(packed: tarfile.TarFile, name: str, content: str | bytes) -> None:
    data = content.encode() if isinstance(content, str) else content
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    packed.addfile(entry, io.BytesIO(data))


def _is_too_much(packed: tarfile.TarFile) -> bool:
    """Whether `read_archive` refuses it, with the zeros that are put behind the last member."""
    size_bytes = packed.offset + 2 * tarfile.RECORDSIZE
    return size_bytes > MOST_UNPACKED_BYTES or len(packed.getmembers()) > _MOST_MEMBERS


def read_archive(path: Path) -> Archived:
    """Judge every run of an archive again; InputError for what is none, or of another version. A
    study that is not this fsgauge's is left out, and says why; InputError where all are."""
    if not os.path.lexists(path):
        raise InputError(f"there is no file {path}", next=_again())
    texts = _members(path, _is_judged_by)
    contents = _contents_in(texts, path)
    folder, _ = publication_named(contents.publication)
    runs: dict[str, JudgedRun] = {}
    refused: dict[str, InputError] = {}
    for study in contents.studies:
        try:
            runs[study] = _judged(study, folder, texts)
        except InputError as error:
            refused[study] = error
    if refused and not runs:
        raise next(iter(refused.values()))
    left_out = [
        LeftOut(study=study, why=error.what, next=error.next) for study, error in refused.items()
    ]
    whole = contents.model_copy(update={"left_out": [*contents.left_out, *left_out]})
    return Archived(contents=whole, runs=runs)


def _contents_in(texts: Mapping[str, bytes], path: Path) -> Contents:
    """What an archive says that it has; InputError for another, or of another version."""
    if _CONTENTS not in texts:
        raise InputError(
            f"{path} holds no runs of a publication",
            cause="it is an archive of something else, such as a release's of verdicts, in which"
            " those with runs are in docs/evidence/archives",
            next=_again(),
        )
    found = _object(texts[_CONTENTS])
    version = found.get("format")
    if version != FORMAT:
        raise InputError(
            f"{path} is an archive of version {_shown(version)}, and this fsgauge reads version"
            f" {FORMAT}",
            cause=f"fsgauge {_shown(found.get('fsgauge'))} made it",
            next=_again(found.get("publication")),
        )
    try:
        return Contents.model_validate(found)
    except ValidationError as error:
        raise InputError(
            f"{path} does not say what it has",
            details=(str(error).splitlines()[0],),
            cause="it was edited, or another version of fsgauge made it",
            next=_again(found.get("publication")),
        ) from error


def _shown(value: object) -> str:
    """A value of a stranger's, as much of it as a version has."""
    return str(value)[:40]


def _object(text: bytes) -> dict[str, Any]:
    """The JSON object in a member; {} for anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_judged_by(name: str) -> bool:
    """Records are for programs other than this one."""
    return name == _CONTENTS or name.endswith(("/judged.json", "/report.json"))


def _members(path: Path, is_wanted: Callable[[str], bool]) -> dict[str, bytes]:
    """The wanted members of an archive, by name; InputError where it is cut short or too large."""
    try:
        with tarfile.open(fileobj=io.BytesIO(_unpacked(path)), mode="r:") as opened:
            found = {}
            for number, entry in enumerate(opened):
                wanted = is_wanted(entry.name)
                if number >= _MOST_MEMBERS or (wanted and entry.size > REPORT.size_bytes):
                    raise _too_large(path)
                file = opened.extractfile(entry) if wanted and entry.isfile() else None
                if file is not None:
                    found[entry.name] = file.read()
    except (OSError, tarfile.TarError, EOFError, lzma.LZMAError) as error:
        reason = getattr(error, "strerror", None) or str(error).partition("\n")[0].rstrip(":")
        raise InputError(
            f"{path} cannot be read: {reason}",
            cause="another program wrote it, or it was cut short on its way here",
            next=_again(),
        ) from error
    for text in found.values():
        values_of_json(text, path, REPORT)
    return found


def _unpacked(path: Path) -> bytes:
    """All of it, as far as any archive goes: a megabyte can unpack to a terabyte."""
    packed = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_UNPACKER_BYTES)
    found = packed.decompress(read_named(path, ARCHIVE_BYTES), MOST_UNPACKED_BYTES)
    if not packed.eof:
        raise _too_large(path) if len(found) >= MOST_UNPACKED_BYTES else EOFError("it was cut")
    return found


def _too_large(path: Path) -> InputError:
    return InputError(f"{path} is larger than any archive", next=_again())


def _judged(study: str, folder: str, texts: Mapping[str, bytes]) -> JudgedRun:
    """By the results in it, of what it has of a study; InputError where that is not to be had."""
    lacks = next((e for e in ("judged.json", "report.json") if f"{study}/{e}" not in texts), "")
    again = _again(ledgers()[folder].publication.name)
    if lacks:
        raise InputError(f"{study} of the archive has no {lacks}", next=again)
    facts = texts[f"{study}/judged.json"]
    found = _object(facts)
    made_by, version = _shown(found.get("fsgauge")), found.get("format")
    if version != RUN_FORMAT:
        raise InputError(
            f"{study} of the archive was judged in version {_shown(version)}, and this fsgauge"
            f" reads version {RUN_FORMAT}",
            cause=f"fsgauge {made_by} ran it",
            next=again,
        )
    shipped = kinds.verdict_files(folder).get(f"{study}.toml")
    if shipped is None or found.get("study_sha256") != sha256_of(shipped):
        raise InputError(
            f"{study} of the archive is not the study of this fsgauge",
            cause=f"fsgauge {made_by} ran it, and the study was changed since",
            next=again,
        )
    try:
        run = JudgedRun.model_validate_json(facts)
        results = Results.model_validate_json(texts[f"{study}/report.json"])
    except ValidationError as error:
        raise InputError(
            f"{study} of the archive has results that this fsgauge does not read",
            details=(str(error).splitlines()[0],),
            cause=f"it was edited, or fsgauge {made_by}, which ran it, is another version",
            next=again,
        ) from error
    if not results.sureness.valid:
        raise InputError(
            f"{study} of the archive is not valid: {results.sureness.invalid_reason}", next=again
        )
    return run.read_anew(results, folder)


def _again(publication: object = None) -> str:
    """The command that makes an archive, of a publication that there is."""
    known, named = names(), str(publication)
    return f"fsgauge published run {named if named in known else next(iter(known))}"


def names() -> dict[str, tuple[str, Ledger]]:
    return {each.publication.name: (folder, each) for folder, each in ledgers().items()}


def publication_named(name: str) -> tuple[str, Ledger]:
    """A publication's folder and ledger, by its name or its folder's; InputError with all names
    otherwise."""
    known = names()
    for short, found in known.items():
        if name in (short, found[0]):
            return found
    for short, (_, ledger) in known.items():
        if name.upper() in {claim.id for claim in ledger.claim}:
            raise InputError(
                f"{name.upper()} is a claim, and what is run is all of its publication",
                next=f"fsgauge published run {short}",
            )
    raise InputError(
        f'there is no publication "{name}"' if name else "no publication is named",
        details=tuple(f"{short}: {each.publication.title}" for short, (_, each) in known.items()),
        next=_again(),
    )
