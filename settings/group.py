"""Shared parts of the settings groups."""

import ssl
from pathlib import Path
from typing import Annotated, Final

import httpx
from pydantic import AfterValidator, ConfigDict

_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


def named_by(prefix: str = "") -> ConfigDict:
    """Return a group's configuration. A field's variable is `prefix` plus the field's name, in
    capitals. A field with a different variable declares it as its alias."""
    return ConfigDict(
        alias_generator=lambda field: f"{prefix}{field}".upper(),
        frozen=True,
        extra="ignore",
        hide_input_in_errors=True,
    )


def _is_web_url(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise ValueError("a URL like https://shop.example/dashboard expected")
    return url.rstrip("/")


# Not pydantic's own URL type, which adds a slash: issuers are compared exactly.
WebUrl = Annotated[str, AfterValidator(_is_web_url)]
"""A URL without a trailing slash."""


def is_fetched_safely(url: str) -> str:
    """Return the URL of a server that must be authenticated. Raises ValueError unless it is
    secure."""
    if not _cannot_be_replaced_underway(url):
        raise ValueError("an https:// URL expected")
    return url


def _cannot_be_replaced_underway(url: str) -> bool:
    """Return whether the server is authenticated by TLS or runs on this machine."""
    try:
        parts = httpx.URL(url)
    except httpx.InvalidURL:
        return False
    if parts.scheme == "http":
        return parts.host in _LOOPBACK
    return parts.scheme == "https" and bool(parts.host)


def holds_certificates(file: Path) -> Path:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(file)
    except OSError:
        raise ValueError("a file of certificates (PEM) expected") from None
    return file
