"""A test certificate authority, with valid and invalid server certificates."""

import ssl
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NAMES: Final = ("localhost", "127.0.0.1", "::1", "hooks.shop.example", "*.receivers.example")
"""The names in a receiver's certificate."""


class Flaw(StrEnum):
    EXPIRED = "expired"
    WRONG_HOST = "wrong_host"
    SELF_SIGNED = "self_signed"


class CertificateAuthority:
    """A test certificate authority. `file`: its certificate (PEM), for WEBHOOK_CA_FILE."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        # Two authorities with the same name would be treated as one authority with a forged
        # signature.
        self._name = _named(f"tests' authority {folder.name}")
        self._lock = threading.Lock()
        self._made: dict[Flaw | None, Path] = {}
        usage = x509.KeyUsage(
            digital_signature=True, key_cert_sign=True, crl_sign=True,
            content_commitment=False, key_encipherment=False, data_encipherment=False,
            key_agreement=False, encipher_only=False, decipher_only=False,
        )  # fmt: skip
        certificate = (
            _valid(self._name, self._name, self._key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
            .sign(self._key, hashes.SHA256())
        )
        self.file = folder / "authority.pem"
        self.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def server_context(self, flaw: Flaw | None = None) -> ssl.SSLContext:
        """Return the context of a server with a certificate for NAMES, or with an invalid one."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._certificate(flaw))
        return context

    def key_and_certificate(self) -> tuple[Path, Path]:
        """Return the valid key and certificate in two files (PEM), also valid for clients."""
        whole = self._certificate(None).read_bytes()
        begin = whole.index(b"-----BEGIN CERTIFICATE")
        files = self._folder / "key.pem", self._folder / "certificate.pem"
        for file, part in zip(files, (whole[:begin], whole[begin:]), strict=True):
            file.write_bytes(part)
        return files

    def _certificate(self, flaw: Flaw | None) -> Path:
        with self._lock:
            if flaw not in self._made:
                self._made[flaw] = self._make(flaw)
            return self._made[flaw]

    def _make(self, flaw: Flaw | None) -> Path:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = _named("receiver")
        names = ("elsewhere.example",) if flaw is Flaw.WRONG_HOST else NAMES
        expired = timedelta(days=2) if flaw is Flaw.EXPIRED else timedelta()
        alone = flaw is Flaw.SELF_SIGNED
        certificate = (
            _valid(subject, subject if alone else self._name, key.public_key(), ago=expired)
            .add_extension(x509.SubjectAlternativeName([*map(_alternative, names)]), critical=False)
            .sign(key if alone else self._key, hashes.SHA256())
        )
        file = self._folder / f"{flaw or 'good'}.pem"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        return file


@contextmanager
def certificate_authority() -> Iterator[CertificateAuthority]:
    """Create an authority. Its files are deleted afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        yield CertificateAuthority(Path(folder))


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _valid(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    ago: timedelta = timedelta(),
) -> x509.CertificateBuilder:
    """Return a builder valid from yesterday to tomorrow, moved back by `ago`."""
    now = datetime.now(UTC) - ago
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
    )


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)
