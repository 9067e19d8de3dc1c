"""What the I/O goes to."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fsgauge.wire.base import Wire


class NullTarget(Wire):
    """Completes every operation at once: what the engine itself costs."""

    kind: Literal["null"] = "null"
    size_bytes: int


class BlockTarget(Wire):
    """A region of a block device."""

    kind: Literal["block"] = "block"
    path: str
    offset_bytes: int = 0
    size_bytes: int


class FileTarget(Wire):
    """One file."""

    kind: Literal["file"] = "file"
    path: str
    size_bytes: int


class FilesTarget(Wire):
    """`count` equal files named by a formula: directory/prefix0000, prefix0001, ..."""

    kind: Literal["files"] = "files"
    directory: str
    prefix: str = "fsgauge-"
    count: int
    file_size_bytes: int


Target = Annotated[NullTarget | BlockTarget | FileTarget | FilesTarget, Field(discriminator="kind")]
