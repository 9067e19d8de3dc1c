"""What can fail: the server, a node, or a node's link."""

from __future__ import annotations

from typing import Literal

Struck = Literal["server", "node", "link"]

TITLES: dict[Struck, str] = {
    "server": "the server loses its power",
    "node": "a node loses its power",
    "link": "a node's link is cut",
}
