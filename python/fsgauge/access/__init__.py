"""Private servers over a system under test: one file a server, each an instance of `ServerKind`.

Takes a system's access, gives a context in which the server answers. Everything that it
makes is in the ledger first; it ends with its context, with fsgauge, or with the next command.
"""

from __future__ import annotations

from fsgauge.access.ganesha import GANESHA
from fsgauge.access.kind import Clients, ServerKind
from fsgauge.access.running import Server, served
from fsgauge.access.samba import SAMBA

__all__ = ["SERVERS", "Clients", "Server", "ServerKind", "served"]

SERVERS: dict[str, ServerKind] = {kind.name: kind for kind in (SAMBA, GANESHA)}
"""Kinds of file server by the name that a study gives them."""
