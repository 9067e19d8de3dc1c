"""The programs that users know the tests from."""

from __future__ import annotations

from fsgauge.kinds.sharing.peers.bonnie import Bonnie
from fsgauge.kinds.sharing.peers.iozone import Iozone
from fsgauge.workload.peer import Peer

__all__ = ["PEERS"]

PEERS: dict[str, Peer] = {peer.name: peer for peer in (Bonnie(), Iozone())}
