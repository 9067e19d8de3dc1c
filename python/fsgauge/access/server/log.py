"""What a server wrote into its log since a moment: why its processes aborted, and its last words.

A session's process that aborts takes a connection with it; the server's first process lives on. So
nothing but the log tells.
"""

from __future__ import annotations

import re
from pathlib import Path

from fsgauge.access.server.kind import ServerKind, Serving

LAST_LINES = 20
_MOST_BYTES = 256 << 10
"""Of each log, from where it stood; a server that says more in one run is not read to its end."""
_MOST_CHARACTERS = 300
_FRAME = re.compile(r"#\d+ ")


class ServerLog:
    """All logs of one server, from `begin` on."""

    def __init__(self, kind: ServerKind, serving: Serving) -> None:
        self._kind, self._serving = kind, serving
        self._stood: dict[Path, tuple[int, int]] = {}

    def begin(self) -> None:
        """Remember where every log ends."""
        self._stood = {path: _where(path) for path in self._paths()}

    def said(self) -> list[str]:
        """The lines since then; a log that was begun anew is read from its start."""
        return [line for path in self._paths() for line in self._since(path)]

    def aborts(self) -> list[str]:
        """Why processes aborted, in the server's words, each reason once."""
        return list(dict.fromkeys(self._kind.aborts(self.said())))

    def last_words(self) -> list[str]:
        """The last lines but for stack frames, without the names of this run's folders."""
        places = ((str(self._serving.folder), "FOLDER"), (str(self._serving.shared), "SHARED"))
        said = [line for line in self.said() if not _FRAME.match(line)]
        lines = [line[:_MOST_CHARACTERS] for line in said[-LAST_LINES:]]
        for place, name in places:
            lines = [line.replace(place, name) for line in lines]
        return lines

    def _paths(self) -> list[Path]:
        return sorted(self._serving.folder.glob("log*"))

    def _since(self, path: Path) -> list[str]:
        node, size_bytes = _where(path)
        then, stood = self._stood.get(path, (node, 0))
        start = stood if then == node and stood <= size_bytes else 0
        try:
            with path.open("rb") as file:
                file.seek(start)
                text = file.read(_MOST_BYTES).decode(errors="replace")
        except OSError:
            return []
        return [line.strip() for line in text.splitlines() if line.strip()]


def _where(path: Path) -> tuple[int, int]:
    """Which file it is, and how long; a log that is full is renamed, and begun anew."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_ino, found.st_size
