"""Explain why a pasted webhook signature does not match, by trying common mistakes until one
matches.

The signature may have been computed by the service or by a receiver.
"""

import hmac
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from domain.webhooks.explanation import Explanation, Origin, SignatureResult, difference, sentence
from domain.webhooks.mistake import (
    Changes,
    Mistake,
    ReadSignature,
    Scheme,
    keys,
    read_signature,
    signed_strings,
    undone,
)

TOLERANCE_S: Final = 300
"""Maximum difference between a signature's timestamp and the receiver's clock, in seconds."""

_SECONDS: Final = re.compile(r"[0-9]{1,11}")


@dataclass(frozen=True, slots=True)
class KnownSecret:
    value: str = field(repr=False)
    origin: Origin
    webhook_id: str


@dataclass(frozen=True, slots=True)
class Sent:
    """A stored delivery with which a pasted request is compared. `timestamp`: Unix seconds of the
    latest attempt."""

    delivery_id: str
    message_id: str
    timestamp: int
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Pasted:
    """The parts of a request that a developer has pasted. `signature` is from any of the three
    signature headers. Only webhook-signature requires `message_id`, the webhook-id header."""

    signature: str = field(repr=False)
    timestamp: str
    body: bytes = field(repr=False)
    message_id: str = ""


_OF_SECRET: Final = frozenset(
    {
        Mistake.SECRET_WITHOUT_PREFIX,
        Mistake.SECRET_DECODED,
        Mistake.SECRET_NOT_DECODED,
        Mistake.SECRET_FROM_HEX,
    }
)
_OF_STRING: Final = frozenset(
    {Mistake.TIMESTAMP_NOT_SIGNED, Mistake.NO_DOT, Mistake.ID_SIGNED, Mistake.ID_NOT_SIGNED}
)


@dataclass(frozen=True, slots=True)
class _Try:
    """One way in which the signature may have been computed. `key` and `signed` are the HMAC's
    inputs. `body` is a part of `signed`. `sent` is the delivery whose body or timestamp was
    taken."""

    secret: KnownSecret
    key: bytes = field(repr=False)
    signed: bytes = field(repr=False)
    mistakes: tuple[Mistake, ...]
    body: bytes = field(repr=False)
    sent: Sent | None = None


def explain(
    pasted: Pasted, *, secrets: Sequence[KnownSecret], sent: Sequence[Sent], now: datetime
) -> Explanation:
    """Explain why the pasted signature does or does not match.

    `secrets` are all candidates. `sent` are the webhook's stored deliveries. Computes several
    hundred HMACs of the body.
    """
    pasted = replace(
        pasted, timestamp=pasted.timestamp.strip(), message_id=pasted.message_id.strip()
    )
    read = read_signature(pasted.signature, has_id=bool(pasted.message_id))
    if read is None:
        verdict = SignatureResult.MALFORMED_SIGNATURE
        return Explanation(verdict=verdict, sentence=sentence(verdict))
    # Try the most likely deliveries first because a replay has the same body as its original
    # delivery.
    sent = sorted(
        sent,
        key=lambda one: (
            str(one.timestamp) != pasted.timestamp,
            one.message_id != pasted.message_id,
        ),
    )
    for one in _tries(pasted, read.scheme, secrets, sent):
        if read.is_of(hmac.digest(one.key, one.signed, "sha256")):
            return _explained(one, pasted, read, sent, now)
    return _unexplained(pasted, read, sent)


def _tries(
    pasted: Pasted, scheme: Scheme, secrets: Sequence[KnownSecret], sent: Sequence[Sent]
) -> Iterator[_Try]:
    forms = list(undone(pasted.body))
    for secret in secrets:
        if secret.origin is Origin.OTHER_WEBHOOK:
            yield _right(secret, scheme, pasted)
            continue
        for body, changed in forms:
            for key, misused in keys(secret.value, scheme):
                for signed, odd in signed_strings(
                    pasted.message_id, pasted.timestamp, body, scheme
                ):
                    yield _Try(secret, key, signed, (*misused, *odd, *changed), body)
        for one in sent:
            then = replace(pasted, message_id=one.message_id, timestamp=str(one.timestamp))
            yield _right(secret, scheme, replace(pasted, body=one.body), one)
            yield _right(secret, scheme, then, one)
            yield _right(secret, scheme, replace(then, body=one.body), one)


def _right(secret: KnownSecret, scheme: Scheme, of: Pasted, sent: Sent | None = None) -> _Try:
    """Return the documented way to compute a request's signature with this secret."""
    key, _ = next(keys(secret.value, scheme))
    signed, _ = next(signed_strings(of.message_id, of.timestamp, of.body, scheme))
    return _Try(secret, key, signed, (), of.body, sent)


def _explained(
    one: _Try, pasted: Pasted, read: ReadSignature, sent: Sequence[Sent], now: datetime
) -> Explanation:
    original = one.sent or _original(one.body, pasted, sent)
    body = original.body if original else one.body
    changed = Changes(pasted.body).since(body) or ()
    mistakes = tuple(dict.fromkeys((*read.mistakes, *one.mistakes, *changed)))
    seconds = _seconds(pasted.timestamp)
    age_s = None if seconds is None else int(now.timestamp()) - seconds
    verdict = _verdict(one, pasted, read, mistakes, age_s, body_changed=body != pasted.body)
    return Explanation(
        verdict=verdict,
        sentence=sentence(verdict, mistakes),
        scheme=read.scheme,
        mistakes=mistakes,
        secret=one.secret.origin,
        secret_ends=one.secret.value[-4:],
        secret_webhook_id=one.secret.webhook_id,
        age_s=age_s,
        delivery_id=original.delivery_id if original else None,
        difference=difference(body, pasted.body),
    )


def _original(body: bytes, pasted: Pasted, sent: Sequence[Sent]) -> Sent | None:
    """Return the delivery that was sent with this body at the pasted timestamp. Otherwise, return a
    delivery of that time whose changed body equals the pasted one, or None.

    The body changes if a receiver signs the parsed and re-serialized body.
    """
    then = [one for one in sent if str(one.timestamp) == pasted.timestamp]
    same = next((one for one in then if one.body == body), None)
    if same or not then:
        return same
    made = Changes(body)
    return next((one for one in then if made.since(one.body)), None)


def _verdict(
    one: _Try,
    pasted: Pasted,
    read: ReadSignature,
    mistakes: tuple[Mistake, ...],
    age_s: int | None,
    *,
    body_changed: bool,
) -> SignatureResult:
    """Return the most severe verdict that applies, because its cause must be fixed first."""
    found = (
        (one.secret.origin is Origin.OTHER_WEBHOOK, SignatureResult.OTHER_WEBHOOKS_SECRET),
        (one.secret.origin is Origin.RETIRED, SignatureResult.RETIRED_SECRET),
        (not _OF_SECRET.isdisjoint(mistakes), SignatureResult.MISUSED_SECRET),
        (not _OF_STRING.isdisjoint(mistakes), SignatureResult.WRONG_STRING),
        (body_changed, SignatureResult.CHANGED_BODY),
        (
            one.sent is not None and str(one.sent.timestamp) != pasted.timestamp,
            SignatureResult.ALTERED_TIMESTAMP,
        ),
        (one.sent is not None, SignatureResult.ALTERED_ID),
        (bool(read.mistakes), SignatureResult.MALFORMED_SIGNATURE),
        (age_s is None, SignatureResult.MALFORMED_TIMESTAMP),
        (age_s is not None and age_s > TOLERANCE_S, SignatureResult.TOO_OLD),
        (age_s is not None and age_s < -TOLERANCE_S, SignatureResult.TOO_NEW),
    )
    return next((verdict for is_so, verdict in found if is_so), SignatureResult.MATCHES)


def _unexplained(pasted: Pasted, read: ReadSignature, sent: Sequence[Sent]) -> Explanation:
    then = [
        one
        for one in sent
        if str(one.timestamp) == pasted.timestamp or one.message_id == pasted.message_id
    ]
    as_sent = [
        one for one in then if str(one.timestamp) == pasted.timestamp and one.body == pasted.body
    ]
    if as_sent:
        verdict = SignatureResult.UNKNOWN_SECRET
    elif _seconds(pasted.timestamp) is None:
        verdict = SignatureResult.MALFORMED_TIMESTAMP
    else:
        verdict = SignatureResult.NO_MATCH
    near = next(iter(as_sent or then), None)
    return Explanation(
        verdict=verdict,
        sentence=sentence(verdict),
        scheme=read.scheme,
        delivery_id=near.delivery_id if near else None,
        difference=difference(near.body, pasted.body) if near else None,
    )


def _seconds(text: str) -> int | None:
    return int(text) if _SECONDS.fullmatch(text) else None
