"""Parse pasted request headers, in the format of a log or a tool."""

from collections.abc import Mapping
from typing import Final

from domain.webhooks.signature_verdict import Pasted

# The first of these headers that is present is used. The newest secret's signature is as good as
# the other.
_SIGNATURES: Final = ("x-service-signature", "x-service-signature-next", "webhook-signature")
_TIMESTAMPS: Final = ("x-service-timestamp", "webhook-timestamp")


def read_headers(text: str) -> Mapping[str, str]:
    """Return the headers by lower-case name. Other lines are ignored, as are quotes around a line,
    a trailing comma, and a leading `--header`."""
    headers: dict[str, str] = {}
    for line in text.splitlines():
        plain = line.strip().removeprefix("--header").removeprefix("-H").strip(" \t,\\'\"")
        name, colon, value = plain.partition(":")
        name = name.strip(" \t'\"").lower()
        if colon and name and " " not in name:
            headers.setdefault(name, value.strip(" \t,'\""))
    return headers


def pasted_of(headers: str, body: str) -> Pasted:
    """Return the parts of a request from all its headers. A text without any header is taken as the
    signature."""
    found = read_headers(headers)
    return Pasted(
        signature=_first(found, _SIGNATURES) or ("" if found else headers.strip()),
        timestamp=_first(found, _TIMESTAMPS),
        body=body.encode(),
        message_id=found.get("webhook-id", ""),
    )


def _first(headers: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((headers[name] for name in names if headers.get(name)), "")
