"""OAuth clients: third-party programs that ask users for access. The service does not vet these
programs."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from domain.identity.errors import OAuthError, OAuthRefused
from domain.identity.redirect_uri import redirect_uri

MAX_URIS: Final = 10
MAX_NAME: Final = 100
"""Maximum length of an OAuth client's name, in characters."""

UNUSED_KEPT: Final = timedelta(hours=24)
"""The period for which a client registration without any user consent is kept."""
UNUSED_AT_MOST: Final = 5_000
"""Maximum number of unused registrations in the installation. Beyond the limit, the networks with
the most registrations lose their oldest ones."""

_DOCUMENT: Final = "https://"
# Unicode categories of control, invisible, text-direction and private-use characters, and of
# surrogates.
_UNSEEN: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """An OAuth client. `id` is a registration id, or the URL of its metadata document. `name` is
    unverified and may be empty."""

    id: str
    name: str
    redirect_uris: tuple[str, ...]

    @property
    def label(self) -> str:
        """Return the label for API keys issued to the client."""
        return self.name or f"MCP: {redirect_uri(self.redirect_uris[0]).shown}"


def is_document(client_id: str) -> bool:
    """Return True if a client's id is the URL of its metadata document."""
    return client_id.startswith(_DOCUMENT)


def described_client(client_id: str, metadata: Mapping[str, object]) -> OAuthClient:
    """Return the client described by its metadata (RFC 7591), ignoring unknown fields. Raises
    OAuthRefused."""
    uris = metadata.get("redirect_uris")
    if not isinstance(uris, list) or not 0 < len(uris) <= MAX_URIS:
        raise OAuthRefused(
            OAuthError.INVALID_REDIRECT_URI, f"redirect_uris: 1 to {MAX_URIS} URIs are needed"
        )
    for uri in uris:
        redirect_uri(uri if isinstance(uri, str) else "")
    for field, needed in (("grant_types", "authorization_code"), ("response_types", "code")):
        given = metadata.get(field)
        if given is not None and not (isinstance(given, list) and needed in given):
            raise _invalid(f"{field}: {needed} is needed")
    name = metadata.get("client_name")
    if name is not None and not isinstance(name, str):
        raise _invalid("client_name: text is needed")
    return OAuthClient(client_id, clean_name(name or ""), tuple(dict.fromkeys(uris)))


def client_of_document(url: str, document: Mapping[str, object]) -> OAuthClient:
    """Return the client described by the metadata document at a URL. Raises OAuthRefused unless the
    document's `client_id` is that URL and the client is public."""
    if document.get("client_id") != url:
        raise OAuthRefused(
            OAuthError.INVALID_CLIENT, "the metadata document has another client_id than its URL"
        )
    if document.get("token_endpoint_auth_method", "none") != "none" or "client_secret" in document:
        raise _invalid("token_endpoint_auth_method: clients are public here, so none is needed")
    return described_client(url, document)


def clean_name(written: str) -> str:
    """Return a client's name in the form used on pages and in lists of keys: one line of visible
    characters."""
    seen = "".join(" " if one.isspace() else one for one in written[: 10 * MAX_NAME])
    seen = "".join(one for one in seen if unicodedata.category(one) not in _UNSEEN)
    return " ".join(seen.split())[:MAX_NAME].strip()


def _invalid(what: str) -> OAuthRefused:
    return OAuthRefused(OAuthError.INVALID_CLIENT_METADATA, what)
