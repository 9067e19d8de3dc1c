"""dask's protocol by hand, with the key of one host: what that host could say to anyone.

Nothing of dask is used to speak, and what comes is not unpickled here either.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import msgpack

from fsgauge.rig.fleet.certificates import Credentials
from fsgauge.rig.fleet.launcher.launcher import Bootstrap
from fsgauge.rig.fleet.nodes import FleetWorker, configure

_SECONDS = 10.0
_HELLO = {"compression": None, "python": tuple(sys.version_info)[:3], "pickle-protocol": 5}


class Closed(Exception):
    """The other end has closed the connection."""


class Stolen:
    """A connection to a scheduler or a host with somebody's certificate."""

    def __init__(self, address: str, credentials: Credentials) -> None:
        host, _, port = address.partition("://")[2].rpartition(":")
        try:
            plain = socket.create_connection((host, int(port)), timeout=_SECONDS)
            self._socket = context_of(credentials, server=False).wrap_socket(plain)
        except OSError as error:
            raise Closed(str(error)) from error
        self.hear()
        self.say(_HELLO)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    @property
    def own_address(self) -> str:
        """Where this end of it is."""
        host, port = self._socket.getsockname()
        return f"fsgauge://{host}:{port}"

    def say(self, message: object) -> None:
        """One message of plain values."""
        self.say_frames(msgpack.packb(message))

    def say_frames(self, *frames: bytes) -> None:
        """One message of these frames, as dask puts them together."""
        prelude = struct.pack(f"{len(frames) + 1}Q", len(frames), *map(len, frames))
        body = prelude + b"".join(frames)
        self.say_bytes(struct.pack("Q", len(body)) + body)

    def say_pickle(self, message: dict[str, Any], pickled: bytes) -> None:
        """A message that has a pickle for each of its values that is "PICKLE"."""
        header = msgpack.packb({"pickled-obj": pickled, "num-sub-frames": 0, "compression": ()})
        place = {key: {"__Pickled__": 1} for key, value in message.items() if value == "PICKLE"}
        self.say_frames(msgpack.packb({**message, **place}), header)

    def say_bytes(self, data: bytes) -> None:
        """Bytes of any kind; Closed once the other end has gone."""
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise Closed(str(error)) from error

    def hear(self) -> Any:
        """The next message's first frame, which is not unpickled; Closed where none comes."""
        try:
            (size,) = struct.unpack("Q", self._exactly(8))
            body = self._exactly(size)
        except TimeoutError as error:
            raise AssertionError("the connection is neither closed nor answered") from error
        except OSError as error:
            raise Closed(str(error)) from error
        (frames,) = struct.unpack_from("Q", body)
        first, *_ = struct.unpack_from(f"{frames}Q", body, 8)
        begin = 8 * (frames + 1)
        return msgpack.unpackb(body[begin : begin + first], strict_map_key=False)

    def ask(self, **message: object) -> Any:
        """Say it and hear what is replied."""
        self.say(message)
        return self.hear()

    def _exactly(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            if not (piece := self._socket.recv(size - len(found))):
                raise Closed("the connection was closed")
            found += piece
        return found


class Impostor:
    """A listener that would be a host's scheduler, with whatever certificate."""

    def __init__(self, credentials: Credentials) -> None:
        self._context = context_of(credentials, server=True)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._heard = threading.Event()
        self._credentials = credentials

    def __enter__(self) -> Self:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def is_served(self, host: Credentials, folder: Path) -> bool:
        """Whether a host says anything to it beside its certificate."""
        configure()
        port = self._listener.getsockname()[1]
        bootstrap = Bootstrap(
            scheduler=f"fsgauge://127.0.0.1:{port}",
            name="b",
            authority=host.authority,
            certificate=host.certificate,
            key=host.key,
        )

        async def begin() -> None:
            worker = FleetWorker.of(bootstrap, str(folder))
            with suppress(Exception):
                await asyncio.wait_for(worker, 3.0)
            with suppress(Exception):
                await worker.close(executor_wait=False)

        asyncio.run(begin())
        return self._heard.is_set()

    def _serve(self) -> None:
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            with suppress(OSError), self._context.wrap_socket(plain, server_side=True) as own:
                own.settimeout(_SECONDS)
                body = struct.pack("2Q", 1, len(hello := msgpack.packb(_HELLO))) + hello
                own.sendall(struct.pack("Q", len(body)) + body)
                if own.recv(1):
                    self._heard.set()


def context_of(credentials: Credentials, *, server: bool) -> ssl.SSLContext:
    """TLS with these, and with whoever has a certificate of the same authority."""
    purpose = ssl.Purpose.CLIENT_AUTH if server else ssl.Purpose.SERVER_AUTH
    found = ssl.create_default_context(purpose, cadata=credentials.authority)
    found.check_hostname = False
    found.verify_mode = ssl.CERT_REQUIRED
    with _files(credentials) as (certificate, key):
        found.load_cert_chain(certificate, key)
    return found


@contextmanager
def _files(credentials: Credentials) -> Iterator[tuple[Path, Path]]:
    with tempfile.TemporaryDirectory() as folder:
        paths = Path(folder) / "certificate", Path(folder) / "key"
        for path, text in zip(paths, (credentials.certificate, credentials.key), strict=True):
            path.write_text(text)
        yield paths
