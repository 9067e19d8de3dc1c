"""A study's certificates: elliptic, short-lived, each with its own key and its holder's role."""

from __future__ import annotations

import socket
import ssl
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

from fsgauge.rig.fleet.certificates import Authority, Credentials, Identity, identity_in


def context(own: Credentials, folder: Path, purpose: ssl.Purpose) -> ssl.SSLContext:
    found = ssl.create_default_context(purpose, cadata=own.authority)
    file = folder / f"{id(own)}.pem"
    file.write_text(own.certificate + own.key)
    found.load_cert_chain(file)
    found.check_hostname = False
    found.verify_mode = ssl.CERT_REQUIRED
    return found


def shaken(server: Credentials, client: Credentials, folder: Path) -> Identity | None:
    """Who the server takes the client for; None where the handshake fails."""
    here, there = socket.socketpair()
    seen: list[Identity | None] = []

    def serve() -> None:
        try:
            with context(server, folder, ssl.Purpose.CLIENT_AUTH).wrap_socket(
                here, server_side=True
            ) as made:
                seen.append(identity_in(made.getpeercert()))
        except (ssl.SSLError, OSError):
            seen.append(None)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with context(client, folder, ssl.Purpose.SERVER_AUTH).wrap_socket(there) as made:
            made.read(1)
    except (ssl.SSLError, OSError):
        there.close()
    thread.join(10)
    return seen[0]


def test_a_certificate_says_who_holds_it(tmp_path: Path) -> None:
    authority = Authority.made()
    scheduler = authority.issue("scheduler", "scheduler")
    host = authority.issue("host", "a")
    assert shaken(scheduler, host, tmp_path) == Identity("host", "a")


def test_another_study_is_not_let_in(tmp_path: Path) -> None:
    stranger = Authority.made().issue("coordinator", "coordinator")
    assert shaken(Authority.made().issue("scheduler", "s"), stranger, tmp_path) is None


def test_they_are_short_lived_and_each_has_its_own_key() -> None:
    authority = Authority.made()
    one, other = authority.issue("host", "a"), authority.issue("host", "a")
    assert one.key != other.key
    found = x509.load_pem_x509_certificate(one.certificate.encode())
    assert isinstance(found.public_key(), ec.EllipticCurvePublicKey)
    assert found.not_valid_after_utc - datetime.now(UTC) <= timedelta(days=7)
    constraints = found.extensions.get_extension_for_class(x509.BasicConstraints)
    assert constraints.value.ca is False


@pytest.mark.parametrize(
    "peer",
    [
        None,
        {},
        {"subject": ((("commonName", "a"),),)},
        {"subject": ((("organizationalUnitName", "root"),), (("commonName", "a"),))},
    ],
)
def test_who_says_no_known_role_is_no_one(peer: dict[str, object] | None) -> None:
    assert identity_in(peer) is None
