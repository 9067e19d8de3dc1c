"""dask's connections as a fleet uses them: TLS, plain values of bounded size, nothing unpickled.

dask pickles what msgpack does not know, and whoever unpickles it runs what its sender chose. Here a
message is one frame of msgpack: text, bytes, numbers and lists of them. Anything else closes the
connection, and so does a peer whose certificate is for another role.
"""

from __future__ import annotations

import asyncio
import pickle
import struct
import time
from types import SimpleNamespace
from typing import Any, NoReturn

import msgpack
from distributed import Security
from distributed.comm import Comm, CommClosedError, registry
from distributed.comm.core import FatalCommClosedError
from distributed.comm.tcp import (
    TLS,
    TLSBackend,
    TLSConnector,
    TLSListener,
    convert_stream_closed_error,
    read_bytes_rw,
)
from distributed.protocol import pickle as dask_pickle
from tornado.iostream import IOStream, StreamClosedError

from fsgauge.rig.fleet.certificates import Identity, Role, identity_in

SCHEME = "fsgauge"
"""Of addresses that are reached so."""
LONGEST_BYTES = 16 << 20
"""The longest message of a host: what it measured between two questions. The engine that may be
sent to it is shorter, too."""
_BURST, _A_SECOND = 600.0, 60.0
"""Messages that a peer may send unasked. 64 KiB of one count like another message."""
_HANDSHAKE_SECONDS = 60.0
_PRELUDE = struct.Struct("QQ")
_SIZE = struct.Struct("Q")

Plain = Any
"""None, numbers, text, bytes, and tuples and dicts of them."""


class NotPlainError(CommClosedError):  # type: ignore[misc]  # no types are read of distributed
    """What came is no message that a fleet has; the connection is closed."""


class RoleSecurity(Security):  # type: ignore[misc]  # as above
    """TLS with peers of one role alone, or of any where `peer` is None."""

    def __init__(self, peer: Role | None, **words: object) -> None:
        super().__init__(require_encryption=True, **words)
        self.peer = peer

    def get_connection_args(self, role: str) -> dict[str, Any]:
        return {**super().get_connection_args(role), "peer": self.peer}

    def get_listen_args(self, role: str) -> dict[str, Any]:
        return {**super().get_listen_args(role), "peer": self.peer}


def identity_of(comm: Comm) -> Identity | None:
    """Who is at the other end, by the certificate that was checked in the handshake."""
    return identity_in(comm.extra_info.get("peercert"))


def refuse_pickles() -> None:
    """Have dask unpickle nothing in this process, by whatever way it comes."""
    dask_pickle.pickle = SimpleNamespace(**{**vars(pickle), "loads": _refused, "load": _refused})


def _refused(*_: object, **__: object) -> NoReturn:
    raise NotPlainError("it sent a pickle, which a fleet never reads")


class PlainComm(TLS):  # type: ignore[misc]  # as above
    is_rated = False
    """Whether the peer may send unasked, and so at a bounded rate."""

    def __init__(
        self, stream: IOStream, local_addr: str, peer_addr: str, deserialize: bool = True
    ) -> None:
        super().__init__(stream, local_addr, peer_addr, deserialize)
        self.deserialize = False  # dask unpickles bytes of errors where this is true
        self._left, self._since = _BURST, time.monotonic()

    async def read(self, deserializers: object = None) -> Plain:  # noqa: ARG002 - as dask calls it
        """The next message; raises CommClosedError, NotPlainError where it is none."""
        stream = self.stream
        if stream is None:
            raise CommClosedError
        try:
            (size,) = _SIZE.unpack(await stream.read_bytes(_SIZE.size))
            if not _PRELUDE.size < size <= LONGEST_BYTES:
                raise NotPlainError(f"it sent a message of {size} bytes")
            self._require_rate(size)
            return plain_value(await read_bytes_rw(stream, size))
        except StreamClosedError as error:
            self.abort()
            convert_stream_closed_error(self, error)
        except BaseException:
            self.abort()
            raise

    def _require_rate(self, size_bytes: int) -> None:
        if not self.is_rated:
            return
        now = time.monotonic()
        self._left = min(_BURST, self._left + (now - self._since) * _A_SECOND)
        self._left -= 1 + size_bytes / (64 << 10)
        self._since = now
        if self._left < 0:
            raise NotPlainError("it sends more than a host has to say")


def plain_value(message: memoryview) -> Plain:
    """What one message says; raises NotPlainError where it is more than plain values."""
    frames, size = _PRELUDE.unpack_from(message)
    if frames != 1 or size != len(message) - _PRELUDE.size:
        raise NotPlainError("it sent a message that is more than plain text")
    try:
        return msgpack.unpackb(
            message[_PRELUDE.size :],
            raw=False,
            use_list=False,
            strict_map_key=False,
            ext_hook=_no_extension,
        )
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
        raise NotPlainError(f"it sent what is no message: {error}"[:200]) from error


def _no_extension(*_: object) -> NoReturn:
    raise ValueError("it holds a type of its own")


def _require_peer(comm: Comm, peer: Role | None) -> None:
    """Raise FatalCommClosedError where the other end has another role."""
    who = identity_of(comm)
    if peer is None or (who is not None and who.role == peer):
        return
    comm.abort()
    raise FatalCommClosedError(f"its certificate is not that of a {peer}")


class _Listener(TLSListener):  # type: ignore[misc]  # as above
    prefix = f"{SCHEME}://"
    comm_class = PlainComm

    def _get_server_args(self, peer: Role | None = None, **more: object) -> dict[str, Any]:
        self._peer = peer
        found: dict[str, Any] = super()._get_server_args(**more)
        return found

    async def _prepare_stream(self, stream: IOStream, address: str) -> IOStream | None:
        try:
            return await asyncio.wait_for(
                super()._prepare_stream(stream, address), _HANDSHAKE_SECONDS
            )
        except TimeoutError:
            stream.close()
            return None

    async def on_connection(self, comm: PlainComm, handshake_overrides: object = None) -> None:
        """dask's own first words; what goes wrong in them closes the connection, and no more."""
        _require_peer(comm, self._peer)
        comm.is_rated = self._peer == "host"
        try:
            await asyncio.wait_for(
                super().on_connection(comm, handshake_overrides), _HANDSHAKE_SECONDS
            )
        except Exception as error:
            comm.abort()
            raise CommClosedError(f"{type(error).__name__} in the handshake") from error


class _Connector(TLSConnector):  # type: ignore[misc]  # as above
    prefix = f"{SCHEME}://"
    comm_class = PlainComm

    async def connect(
        self, address: str, deserialize: bool = True, peer: Role | None = None, **more: object
    ) -> Comm:
        comm = await super().connect(address, deserialize=deserialize, **more)
        _require_peer(comm, peer)
        return comm


class _Backend(TLSBackend):  # type: ignore[misc]  # as above
    _connector_class = _Connector
    _listener_class = _Listener


registry.backends[SCHEME] = _Backend()
