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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fsgauge import kinds
from fsgauge.errors import InputError
from fsgauge.plain_files import PlainFolder, read_named, write_whole
from fsgauge.plain_files.bounds import ARCHIVE_BYTES, MOST_UNPACKED_BYTES, REPORT, values_of_json
from fsgauge.published.ledger import Ledger, Part, ledgers
from fsgauge.published.runs import JudgedRun, observed, sha256_of
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


def write_archive(path: Path, contents: Contents, ran: Sequence[tuple[Path, JudgedRun]]) -> Path:
    """Pack these results folders, in this order; InputError for more than is ever read again."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:xz", preset=6) as packed:
        _put(packed, _CONTENTS, contents.model_dump_json(indent=1))
        for directory, run in ran:
            facts = run.model_copy(update={"observed": []})
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
    """Judge every run of an archive again; InputError for what is none, or of another version."""
    if not os.path.lexists(path):
        raise InputError(f"there is no file {path}", next=_again())
    texts = _texts(path)
    if _CONTENTS not in texts:
        raise InputError(f"{path} holds no runs of a publication", next=_again())
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
        contents = Contents.model_validate(found)
        folder, _ = publication_named(contents.publication)
        runs = {study: _judged(study, folder, texts) for study in contents.studies}
    except (ValidationError, KeyError) as error:
        raise InputError(
            f"{path} is damaged",
            details=(str(error).splitlines()[0],),
            cause="it was cut short on its way here, or edited",
            next=_again(),
        ) from error
    return Archived(contents=contents, runs=runs)


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


def _texts(path: Path) -> dict[str, bytes]:
    """The few members that are read; records are for programs other than this one."""
    try:
        with tarfile.open(fileobj=io.BytesIO(_unpacked(path)), mode="r:") as opened:
            found = {}
            for number, entry in enumerate(opened):
                wanted = entry.name == _CONTENTS or entry.name.endswith(
                    ("/judged.json", "/report.json")
                )
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
    facts = JudgedRun.model_validate_json(texts[f"{study}/judged.json"])
    shipped = kinds.verdict_files(folder).get(f"{study}.toml")
    if shipped is None or facts.study_sha256 != sha256_of(shipped):
        raise InputError(
            f"{study} of the archive is not the study of this fsgauge",
            cause=f"fsgauge {facts.fsgauge} ran it, and the study was changed since",
            next=_again(ledgers()[folder].publication.name),
        )
    results = Results.model_validate_json(texts[f"{study}/report.json"])
    return facts.model_copy(update={"observed": observed(results, folder)})


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
    raise InputError(
        f'there is no publication "{name}"' if name else "no publication is named",
        details=tuple(f"{short}: {each.publication.title}" for short, (_, each) in known.items()),
        next=_again(),
    )
