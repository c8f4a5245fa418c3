"""Types and validators that the settings groups share."""

import ssl
from pathlib import Path
from typing import Annotated, Final

from pydantic import AfterValidator, ConfigDict

_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


def named_by(prefix: str = "") -> ConfigDict:
    """Return the model configuration of a settings group.

    A field's environment variable is `prefix` and its name, in capitals, unless it declares an
    alias.
    """
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


# Pydantic's URL type is not used, because it adds a trailing slash and issuers are compared
# exactly.
WebUrl = Annotated[str, AfterValidator(_is_web_url)]
"""A URL without a trailing slash."""


def is_fetched_safely(url: str) -> str:
    """Return the URL unchanged. Raises ValueError unless it uses https or points to localhost."""
    if not _cannot_be_replaced_underway(url):
        raise ValueError("an https:// URL expected")
    return url


def _cannot_be_replaced_underway(url: str) -> bool:
    """Return True if TLS authenticates the URL's server, or if the server runs on localhost."""
    # The module is imported here because few commands read a URL from the settings.
    import httpx  # noqa: PLC0415 - slow to load

    try:
        parts = httpx.URL(url)
    except httpx.InvalidURL:
        return False
    if parts.scheme == "http":
        return parts.host in _LOOPBACK
    return parts.scheme == "https" and bool(parts.host)


def holds_certificates(file: Path) -> Path:
    """Return the file if it contains certificates. Raises ValueError if it contains none or cannot
    be read."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(file)
    except OSError:
        raise ValueError("a file of certificates (PEM) expected") from None
    return file
