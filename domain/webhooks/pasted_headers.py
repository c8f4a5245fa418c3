"""Parse request headers that a developer has pasted from a log or a tool."""

from collections.abc import Mapping
from typing import Final

from domain.webhooks.signature_verdict import Pasted

# The first of these headers that is present is used. Any of them will do because signatures by the
# newest and by the previous secret are both accepted.
_SIGNATURES: Final = ("x-service-signature", "x-service-signature-next", "webhook-signature")
_TIMESTAMPS: Final = ("x-service-timestamp", "webhook-timestamp")


def read_headers(text: str) -> Mapping[str, str]:
    """Return the pasted headers, keyed by lower-case name. Lines without a header are ignored, as
    are quotes around a line, a trailing comma, and a leading `--header` or `-H`."""
    headers: dict[str, str] = {}
    for line in text.splitlines():
        plain = line.strip().removeprefix("--header").removeprefix("-H").strip(" \t,\\'\"")
        name, colon, value = plain.partition(":")
        name = name.strip(" \t'\"").lower()
        if colon and name and " " not in name:
            headers.setdefault(name, value.strip(" \t,'\""))
    return headers


def pasted_of(headers: str, body: str) -> Pasted:
    """Return the parts of a request needed for verification, from its pasted headers and body. If
    the text contains no header, the whole text is treated as the signature."""
    found = read_headers(headers)
    return Pasted(
        signature=_first(found, _SIGNATURES) or ("" if found else headers.strip()),
        timestamp=_first(found, _TIMESTAMPS),
        body=body.encode(),
        message_id=found.get("webhook-id", ""),
    )


def _first(headers: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((headers[name] for name in names if headers.get(name)), "")
