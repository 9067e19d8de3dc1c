"""What wrote a file, and what it says: by the text itself, never by the file's name."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from fsgauge.errors import InputError, quoted
from fsgauge.importing.bonnie import is_bonnie, read_bonnie
from fsgauge.importing.elbencho import is_elbencho, read_elbencho
from fsgauge.importing.fio import is_fio, read_fio
from fsgauge.importing.ior import is_ior, read_ior
from fsgauge.importing.iozone import is_iozone, read_iozone
from fsgauge.importing.measured import Run
from fsgauge.plain_files import read_named

LARGEST_BYTES = 256 << 20
"""fio's json+ of a thousand jobs has some 50 MB."""
_NO_NUMBER = re.compile(r"([:\[,]\s*)-?(?:nan|inf)\b", re.IGNORECASE)
_TEXTS = (
    (is_iozone, read_iozone),
    (is_elbencho, read_elbencho),
    (is_ior, read_ior),
    (is_bonnie, read_bonnie),
)


def read_file(path: Path) -> list[Run]:
    """The runs in it; InputError where no known tool wrote it."""
    content = read_named(path, LARGEST_BYTES)
    sha256 = hashlib.sha256(content).hexdigest()
    text = content.decode("utf-8", errors="replace")
    document = _json_in(text)
    if is_fio(document):
        return read_fio(document, path, sha256)
    for is_its, read in _TEXTS:
        if is_its(text):
            return read(text, path, sha256)
    raise InputError(
        f"nothing that is known here wrote {path}",
        cause="read are fio's JSON and json+, IOzone's table, bonnie++'s CSV, elbencho's CSV and"
        " JSON, IOR's table, JSON and CSV",
        next=f"head {quoted(path)}   (of fio: fio --output-format=json JOB.fio > FILE)",
    )


def _json_in(text: str) -> Any:  # noqa: ANN401 - whatever it holds
    """The first JSON document: fio prints messages before it, and numbers that are not JSON's."""
    begin = re.search(r"^\{", text, flags=re.MULTILINE)
    if begin is None:
        return None
    try:
        found, _ = json.JSONDecoder().raw_decode(_NO_NUMBER.sub(r"\1null", text[begin.start() :]))
    except (ValueError, RecursionError):
        return None
    return found
