"""HTTPS on this machine: the data folder's certificate authority, and the only certificate that it
signs.

The authority's private key is discarded, so that the authority cannot sign another certificate.
"""

from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from domain.core.errors import InvalidInput
from embedded.data_folder import DataFolder, write_private

_VALID_FOR: Final = timedelta(days=3650)
_AUTHORITY: Final = "Support engine, this data folder"
_HERE: Final = "localhost"
_LOOPBACK: Final = "127.0.0.1"


def trusted_authorities(folder: DataFolder, given: str | None, now: datetime) -> Path:
    """Return the CA bundle of this folder's stack: the folder's authority, created on first use,
    and those in the file `given`. Raises InvalidInput if it cannot be read."""
    if not folder.certificate.exists():
        _make(folder, now)
    if given is None:
        return folder.authority
    try:
        others = Path(given).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"WEBHOOK_CA_FILE: {given} cannot be read") from error
    write_private(folder.trusted, f"{others.rstrip()}\n{folder.authority.read_text()}")
    return folder.trusted


def _make(folder: DataFolder, now: datetime) -> None:
    signer, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority = (
        _draft(_AUTHORITY, signer, issuer=_AUTHORITY, now=now)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .sign(signer, hashes.SHA256())
    )
    names = [x509.DNSName(_HERE), x509.IPAddress(ip_address(_LOOPBACK))]
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    certificate = (
        _draft(_HERE, key, issuer=_AUTHORITY, now=now)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(usage, critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
        )
        .sign(signer, hashes.SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    folder.authority.write_bytes(authority.public_bytes(Encoding.PEM))
    # The certificate is written last. If it exists, the authority's file is therefore complete.
    write_private(
        folder.certificate, (secret + certificate.public_bytes(Encoding.PEM)).decode("ascii")
    )


def _draft(
    subject: str, key: ec.EllipticCurvePrivateKey, *, issuer: str, now: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(_named(subject))
        .issuer_name(_named(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + _VALID_FOR)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
