"""What this machine's NFS server exports, and how: the options in force of a path, if it is ours.

exportfs(8) keeps the exports in force in /var/lib/nfs/etab, a line a path:

    /srv	*(rw,sync,wdelay,hide,nocrossmnt,secure,root_squash)

The options of another machine's server are not visible to its clients.
"""

from __future__ import annotations

import re
import socket
from pathlib import Path

_ETAB = Path("/var/lib/nfs/etab")
_LOCAL = re.compile(r"localhost|127\.[0-9.]+|::1|\[::1\]")
_CLIENT = re.compile(r"[^\s()]*\(([^()]*)\)")


def export_facts(host: str, path: str, table: Path = _ETAB) -> dict[str, str]:
    """{"export options": "rw,async"} of the export that holds `path`; {} where it is not known.

    Of several clients with different options, those of each are joined.
    """
    if not _LOCAL.fullmatch(host) and host not in (socket.gethostname(), socket.getfqdn()):
        return {}
    try:
        lines = table.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    held: dict[str, list[str]] = {}
    for line in lines:
        exported, _, clients = line.strip().partition("\t")
        if exported and (path == exported or path.startswith(exported.rstrip("/") + "/")):
            held.setdefault(exported, []).extend(_CLIENT.findall(clients))
    if not held:
        return {}
    options = held[max(held, key=len)]
    return {"export options": ",".join(dict.fromkeys(options))} if options else {}
