"""A study's own certificates: one authority, and a key of its own for each host and role.

They live in memory and in the bootstrap of the process that they are for, and are valid for a week.
Whoever holds one can talk to the coordinator, so the name in it says what its holder may do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Self, get_args

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

Role = Literal["scheduler", "host"]

VALID = timedelta(days=7)
_BEFORE = timedelta(days=1)
"""Wall clocks of hosts may be wrong by so much."""


@dataclass(frozen=True)
class Credentials:
    """What one process needs to talk to the others, as PEM text; `key` is secret."""

    authority: str
    certificate: str
    key: str


@dataclass(frozen=True)
class Identity:
    """Who a certificate is for; `name` is a host's, or that of the role."""

    role: Role
    name: str


class Authority:
    """The authority of one study. Its key never leaves this process."""

    def __init__(self, key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> None:
        self._key = key
        self._certificate = certificate

    @classmethod
    def made(cls) -> Self:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "fsgauge study")])
        builder = _dated(x509.CertificateBuilder())
        certificate = (
            builder.subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs=True), critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
            )
            .sign(key, hashes.SHA256())
        )
        return cls(key, certificate)

    def issue(self, role: Role, name: str) -> Credentials:
        key = ec.generate_private_key(ec.SECP256R1())
        uses = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        subject = [
            x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, role),
            x509.NameAttribute(NameOID.COMMON_NAME, name),
        ]
        certificate = (
            _dated(x509.CertificateBuilder())
            .subject_name(x509.Name(subject))
            .issuer_name(self._certificate.subject)
            .public_key(key.public_key())
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(uses), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()),
                critical=False,
            )
            .sign(self._key, hashes.SHA256())
        )
        secret = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        return Credentials(self.pem, _pem(certificate), secret.decode())

    @property
    def pem(self) -> str:
        return _pem(self._certificate)


def identity_in(peer: Mapping[str, Any] | None) -> Identity | None:
    """Who a peer's certificate is for, as `ssl.SSLSocket.getpeercert` gives it; None if no one."""
    found = {key: value for part in (peer or {}).get("subject", ()) for key, value in part}
    role, name = found.get("organizationalUnitName"), found.get("commonName")
    known: dict[str, Role] = {each: each for each in get_args(Role)}
    if role not in known or not name:
        return None
    return Identity(known[role], name)


def _dated(builder: x509.CertificateBuilder) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        builder.serial_number(x509.random_serial_number())
        .not_valid_before(now - _BEFORE)
        .not_valid_after(now + VALID)
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()
