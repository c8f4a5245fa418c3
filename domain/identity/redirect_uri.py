"""Redirect URIs, to which the service sends an OAuth client's user with an authorization code.

Anything that two parsers may interpret differently is rejected: userinfo, backslashes, Unicode
names and unusual numbers.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from domain.identity.errors import OAuthError, OAuthRefused

MAX_URI: Final = 1_000
"""Maximum length of a redirect URI, in characters."""

LOOPBACK: Final = ("127.0.0.1", "[::1]", "localhost")

_REST: Final = r"(?P<rest>[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*)"
_WEB: Final = re.compile(
    r"(?P<scheme>https?)://"
    r"(?P<host>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9a-f:]+\])"
    r"(?::(?P<port>[1-9][0-9]{0,4}))?"
    r"(?=[/?]|$)" + _REST
)
# A private-use scheme must contain a dot, as a domain does (RFC 8252, 7.1). Without this rule,
# several programs could share a scheme.
_PRIVATE: Final = re.compile(r"(?P<scheme>[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+):" + _REST)
_MAX_PORT: Final = 65_535


@dataclass(frozen=True, slots=True)
class RedirectUri:
    """A parsed redirect URI. `text` is the original. `host` is empty for a private-use scheme."""

    text: str
    scheme: str
    host: str
    port: str
    rest: str

    @property
    def is_loopback(self) -> bool:
        """Return True if the URI points to a program on the user's own machine."""
        return self.scheme == "http"

    @property
    def shown(self) -> str:
        """Return the part that identifies the URI to users: the host with the port, or the
        private-use scheme."""
        if not self.host:
            return f"{self.scheme}:"
        return self.host.lower() + (f":{self.port}" if self.port else "")

    @property
    def form_source(self) -> str:
        """Return the Content Security Policy source expression for the URI."""
        if not self.host or self.host.startswith("["):  # CSP does not support IPv6 addresses.
            return f"{self.scheme}:"
        return f"{self.scheme}://{self.shown}"

    def with_answer(self, **answer: str | None) -> str:
        """Return the URI with its own query parameters and the parameters of the authorization
        response. Parameters that are None are omitted."""
        given = urlencode({name: value for name, value in answer.items() if value is not None})
        return f"{self.text}{'&' if '?' in self.rest else '?'}{given}"


def redirect_uri(text: str) -> RedirectUri:
    """Parse a redirect URI: `https`, `http` to a loopback address, or an app's private-use scheme.
    Raises OAuthRefused (invalid_redirect_uri)."""
    found = _WEB.fullmatch(text) or _PRIVATE.fullmatch(text) if len(text) <= MAX_URI else None
    if found is None:
        raise _refused("has a form that is not accepted")
    parts = found.groupdict()
    host, port = parts.get("host") or "", parts.get("port") or ""
    if int(port or 0) > _MAX_PORT:
        raise _refused("has no valid port")
    if parts["scheme"] == "http" and host not in LOOPBACK:
        raise _refused("must use https, or http on a loopback address")
    return RedirectUri(text, parts["scheme"], host, port, parts["rest"])


def is_registered(presented: RedirectUri, registered: Iterable[str]) -> bool:
    """Return True if the URI equals one of the client's registered URIs.

    The port of a loopback URI may differ because a program on the user's machine listens on any
    free port (RFC 8252, 7.3).
    """
    if presented.text in registered:
        return True
    return presented.is_loopback and any(
        (one.scheme, one.host, one.rest) == (presented.scheme, presented.host, presented.rest)
        for one in map(redirect_uri, registered)
    )


def _refused(why: str) -> OAuthRefused:
    return OAuthRefused(OAuthError.INVALID_REDIRECT_URI, f"a redirect URI {why}")
