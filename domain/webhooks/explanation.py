"""The explanation of why a pasted webhook signature does or does not match."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.webhooks.mistake import WORDS, Mistake, Scheme

_EXCERPT: Final = 24
_CONTEXT: Final = 8


class Origin(StrEnum):
    """The origin of a signing secret. `previous` and `retired`: the secret before a rotation, while
    it still signs and afterwards."""

    NEWEST = "newest"
    PREVIOUS = "previous"
    RETIRED = "retired"
    OTHER_WEBHOOK = "other_webhook"


class SignatureResult(StrEnum):
    """The result of verifying a pasted signature.

    - `wrong_string`: the signed string is not the documented one.
    - `unknown_secret`: the timestamp and body match the request, so the secret must differ.
    - `no_match`: no combination of secret, string and body yields this signature.
    """

    MATCHES = "matches"
    TOO_OLD = "too_old"
    TOO_NEW = "too_new"
    RETIRED_SECRET = "retired_secret"  # noqa: S105 - not a secret
    OTHER_WEBHOOKS_SECRET = "other_webhooks_secret"  # noqa: S105
    MISUSED_SECRET = "misused_secret"  # noqa: S105
    UNKNOWN_SECRET = "unknown_secret"  # noqa: S105
    WRONG_STRING = "wrong_string"
    CHANGED_BODY = "changed_body"
    ALTERED_TIMESTAMP = "altered_timestamp"
    ALTERED_ID = "altered_id"
    MALFORMED_TIMESTAMP = "malformed_timestamp"
    MALFORMED_SIGNATURE = "malformed_signature"
    NO_MATCH = "no_match"


_SENTENCES: Final = {
    SignatureResult.MATCHES: "The signature is right. If the receiver refuses it, the receiver "
    "uses another secret or other bytes than these.",
    SignatureResult.TOO_OLD: "The signature is right, and its time is over: it was valid for "
    "300 s. If the receiver called it too old when it came, the receiver's clock is wrong.",
    SignatureResult.TOO_NEW: "The signature is right, but its timestamp lies more than 300 s in "
    "the future: one of the clocks is wrong.",
    SignatureResult.RETIRED_SECRET: "It was signed with the secret before the last rotation, "
    "which no longer signs: the receiver needs the new one.",
    SignatureResult.OTHER_WEBHOOKS_SECRET: "It was signed with the secret of another webhook.",
    SignatureResult.MISUSED_SECRET: "The secret is right, but not how it was made a key.",
    SignatureResult.UNKNOWN_SECRET: "Timestamp and body are exactly as sent, so the secret it was "
    "signed with is none of this client's, or it is no HMAC-SHA256.",
    SignatureResult.WRONG_STRING: "The secret is right, but the string that was signed is not.",
    SignatureResult.CHANGED_BODY: "The body is not, byte for byte, what was signed: take the raw "
    "bytes of the request, before anything parses them.",
    SignatureResult.ALTERED_TIMESTAMP: "Secret and body are right, but the timestamp is not the "
    "one that was signed: take the header of this very request.",
    SignatureResult.ALTERED_ID: "The webhook-id is missing, or is not the one that was signed.",
    SignatureResult.MALFORMED_TIMESTAMP: "The timestamp is no time in Unix seconds, as the header "
    "X-Service-Timestamp has it.",
    SignatureResult.MALFORMED_SIGNATURE: "X-Service-Signature is v1= and 64 lower-case hexadecimal "
    "digits; webhook-signature is v1, and 44 characters of base64, more of them after a space.",
    SignatureResult.NO_MATCH: "Nothing that was tried makes it fit: the secret is not this "
    "webhook's, or the body or the timestamp is another message's.",
}


class Difference(BaseModel):
    """The first difference between the sent and the pasted body. `at` is its offset in bytes.
    `sent` and `pasted` are excerpts that start slightly before it."""

    model_config = ConfigDict(frozen=True)

    at: int
    sent: str
    pasted: str


class Explanation(BaseModel):
    """The result of verifying a pasted signature.

    - `sentence`: the explanation for developers.
    - `secret`, `secret_ends`: the origin and the last four characters of the matching secret.
    - `age_s`: the seconds since the pasted timestamp.
    - `delivery_id`: the stored delivery to which the signature belongs.
    """

    model_config = ConfigDict(frozen=True)

    verdict: SignatureResult
    sentence: str
    scheme: Scheme | None = None
    mistakes: tuple[Mistake, ...] = ()
    secret: Origin | None = None
    secret_ends: str | None = None
    secret_webhook_id: str | None = None
    age_s: int | None = None
    delivery_id: str | None = None
    difference: Difference | None = None


def sentence(verdict: SignatureResult, mistakes: Sequence[Mistake] = ()) -> str:
    """Return the explanation for developers: the verdict, and the mistakes found."""
    said = _SENTENCES[verdict]
    return f"{said} Found: {'; '.join(WORDS[one] for one in mistakes)}." if mistakes else said


def difference(sent: bytes, pasted: bytes) -> Difference | None:
    """Return the first difference between the sent and the pasted body, or None if they are
    equal."""
    if sent == pasted:
        return None
    pairs = enumerate(zip(sent, pasted, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(sent), len(pasted)))
    start = max(0, at - _CONTEXT)
    excerpts = (text[start : start + _EXCERPT].decode(errors="replace") for text in (sent, pasted))
    return Difference(at=at, sent=next(excerpts), pasted=next(excerpts))
