"""What ageing writes beside its target: NAME.age.json, one object with all that the engine reported
under `result`; and the two scans, which `fsgauge scan` reads."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fsgauge.age.wearing import Fidelity, Worn
from fsgauge.engine.wire import AgeResult
from fsgauge.errors import InputError, RefusedError, quoted
from fsgauge.plain_files import MissingError, read_json, write_whole
from fsgauge.plain_files.bounds import RECORD
from fsgauge.plain_files.kept import Kept
from fsgauge.scan import document_of
from fsgauge.scan.numbers import numbers_of

FORMAT = 1
_LONGEST_NAME_BYTES = 250  # NAME_MAX less what is added while a file is written
NOT_ASKED = "--fidelity was not given"


@dataclass(frozen=True)
class RecordFiles:
    age: Path
    before: Path
    after: Path

    def require_new(self) -> None:
        """InputError for a name that is too long, RefusedError where one of the files exists."""
        for path in (self.age, self.before, self.after):
            if len(os.fsencode(path.name)) > _LONGEST_NAME_BYTES:
                raise InputError(
                    f"{path.name[:20]}... is too long for a file name",
                    cause="records are named after the target",
                    next="a shorter name",
                )
            if os.path.lexists(path):
                raise RefusedError(
                    f"{path} exists already, so it is left alone",
                    cause="an earlier ageing left it",
                    next=f"another name, or rm {quoted(path)}",
                )


class Checksum(Kept):
    """`data_bytes` counts whole blocks that are not all zero."""

    sha256: str
    size_bytes: int
    data_bytes: int


@dataclass(frozen=True)
class MadeTarget:
    """How an image was made; `image` is None for a folder."""

    target: Path
    image: Checksum | None = None
    system: str | None = None
    mkfs: str | None = None
    mount_options: str | None = None


@dataclass(frozen=True)
class KeptAge:
    text: str
    checksum: Checksum
    result: AgeResult


def record_files(folder: Path, name: str) -> RecordFiles:
    return RecordFiles(
        folder / f"{name}.age.json", folder / f"{name}.before.json", folder / f"{name}.after.json"
    )


def document_of_age(made: MadeTarget, worn: Worn, fidelity: Fidelity | str) -> dict[str, Any]:
    """The record as it is kept and as --json prints it."""
    result = worn.result
    return {
        "kind": "age",
        "format": FORMAT,
        "target": str(made.target),
        "file_system": worn.after.source.file_system,
        "system": made.system,
        "mkfs": made.mkfs,
        "mount_options": made.mount_options,
        "kernel": os.uname().release,
        "mode": result.mode,
        "ended": result.ended,
        "operations": sum(each.done for each in result.operations),
        "failed": sum(each.failed for each in result.operations),
        "skipped": sum(each.skipped for each in result.operations),
        "written_bytes": result.written_bytes,
        "live_files": result.live_files,
        "live_bytes": result.live_bytes,
        "storage_age": result.storage_age,
        "elapsed_ns": result.elapsed_ns,
        "before": numbers_of(worn.before),
        "after": numbers_of(worn.after),
        "fidelity": None if isinstance(fidelity, str) else fidelity.model_dump(mode="json"),
        "fidelity_missing": fidelity if isinstance(fidelity, str) else None,
        "image": made.image.model_dump() if made.image else None,
        "result": result.model_dump(mode="json"),
    }


def keep_scans(files: RecordFiles, worn: Worn) -> None:
    write_whole(files.before, document_of(worn.before) + "\n")
    write_whole(files.after, document_of(worn.after) + "\n")


def keep_age(files: RecordFiles, document: dict[str, Any]) -> None:
    write_whole(files.age, json.dumps(document) + "\n")


def _require_format(path: Path, found: object) -> None:
    if found != FORMAT:
        raise InputError(
            f"{path} has format {json.dumps(found)}, and this fsgauge reads format {FORMAT}",
            cause="another version of fsgauge aged the image; its log may hold other operations",
            next="copy it with the version that aged it, or age a new image",
        )


def read_age(image: Path) -> KeptAge:
    """The record beside an image; InputError where it is missing or something else."""
    path = record_files(image.absolute().parent, image.name).age
    try:
        text = read_json(path, RECORD).decode("utf-8")
    except MissingError as error:
        raise InputError(
            f"{image} has no record {path.name}, so a change cannot be detected",
            next="copy its record as well, or age a new image",
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"cannot read {path}: {error}",
            cause="it is not a record that fsgauge wrote, or it was damaged",
            next=f"ls -l {quoted(path)}",
        ) from error
    try:
        document = json.loads(text)
        if document["kind"] != "age":
            raise KeyError("kind")
        _require_format(path, document["format"])
        checksum = Checksum.model_validate(document["image"])
        return KeptAge(text, checksum, AgeResult.model_validate(document["result"]))
    except (ValueError, KeyError, TypeError, RecursionError, ValidationError) as error:
        raise InputError(
            f"{path} is not the record of an aged image",
            cause="another program or a newer fsgauge wrote it, or it was truncated or edited",
            next="age a new image",
        ) from error
