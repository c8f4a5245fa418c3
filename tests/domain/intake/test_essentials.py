"""A dry run carries less than the event, with the same result."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from domain.agent.size_limits import READ_CHARS
from domain.intake.essentials import MAX_PAYLOAD_BYTES, MAX_TEXT_BYTES, essential
from domain.intake.event import InboundEvent
from domain.intake.normalization import normalize
from domain.intake.payload_view import PayloadView

TYPES: Final = ("email.inbound", "widget.x", "shopify.x", "zendesk.x", "api_direct")
SERVERS: Final = ("mx.example",)
PASSED: Final = "mx.example; dkim=pass header.d=b.example; dmarc=pass header.from=b.example"
LONG: Final = "x" * 600


@contextmanager
def noted_paths() -> Iterator[set[str]]:
    """Record the paths that are read."""
    noted: set[str] = set()
    get = PayloadView.get

    def note(view: PayloadView, path: str) -> JsonValue | None:
        noted.add(path)
        return get(view, path)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(PayloadView, "get", note)
        yield noted


def asked() -> list[str]:
    """Every path that normalization reads, for any kind of event: if nothing is found, it reads
    all."""
    with noted_paths() as noted:
        for event_type in TYPES:
            normalize(event(event_type, {}), fallback_ticket_id="f")
            box: dict[str, JsonValue] = {"from": {"name": ""}, "headers": [{"key": ""}]}
            normalize(event(event_type, box), fallback_ticket_id="f")
    return sorted(noted)


def event(
    event_type: str, payload: dict[str, JsonValue], message: str | None = None
) -> InboundEvent:
    return InboundEvent(event_type=event_type, message=message, payload=payload)


def at(path: str, value: JsonValue) -> dict[str, JsonValue]:
    for name in reversed(path.split(".")):
        value = {name: value}
    assert isinstance(value, dict)
    return value


def assert_same(whole: InboundEvent) -> None:
    part = InboundEvent.model_validate_json(essential(whole).model_dump_json())
    read, other = (
        normalize(one, fallback_ticket_id="f", authserv_ids=SERVERS) for one in (whole, part)
    )
    assert read == other


PATHS: Final = asked()
VALUES: Final[tuple[Any, ...]] = (
    *("42", LONG, True, False, "outgoing", "Ada <a@b.example>", PASSED),
    [{"address": "a@b.example", "name": LONG}, ["c@d.example"], "Ada <e@f.example>"],
    {"Message-ID": "<1@b.example>", "List-Help": "x", "From": "a@b.example", "X-A": "y"},
)
LARGE: Final[tuple[Any, ...]] = (
    *(" " * 40_000 + "42", "a" * 9_000),
    {"Email": "a@b.example", "name": "Ada", "id": "7", **{f"k{n}": n for n in range(250)}},
    [["Received", "x"]] * 299 + [["References", "<1@b.example>"], ["Precedence", "bulk"]],
    f"Received: {'x' * 99_000}\r\nPrecedence: bulk\r\nX: {'y' * 1_000}\r\nReturn-Path: <>\r\n",
)


@pytest.mark.parametrize("event_type", TYPES)
def test_whatever_is_looked_at_is_kept(event_type: str) -> None:
    assert {"from", "headers", "ticket.customer.email", "references", "private"} <= {*PATHS}
    for path in PATHS:
        for value in VALUES if event_type == "email.inbound" else VALUES[:4]:
            assert_same(event(event_type, at(path, value)))


@pytest.mark.parametrize("path", ["headers", "from", "to", "subject", "ticket", "message.sender"])
def test_large_values_are_kept_as_far_as_they_are_read(path: str) -> None:
    for value in LARGE:
        for event_type in ("email.inbound", "zendesk.x"):
            assert_same(event(event_type, at(path, value)))


TEXTS = st.text(max_size=12) | st.sampled_from(
    ["Ada <a@b.example>", "a@b.example", "#1234", "42", "<p>x</p>", "bulk", "<1@b.example>", LONG]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
NAMES = st.sampled_from(sorted({name for path in PATHS for name in path.split(".")}))
KEYS = NAMES | NAMES.map(lambda name: name.title().replace("_", "")) | st.text(max_size=6)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=10,
)
KNOWN = st.builds(at, st.sampled_from(PATHS), JSON)
PAYLOADS = st.lists(KNOWN | st.dictionaries(KEYS, JSON, max_size=4), max_size=5).map(
    lambda parts: {key: value for part in parts for key, value in part.items()}
)


@settings(max_examples=100)
@given(st.sampled_from(TYPES), PAYLOADS, st.none() | TEXTS)
@example("email.inbound", {"Ticket": "7", "ticket": {"id": "8"}, "TextBody": "", "html": "x"}, None)
@example("zendesk.x", {"comment": {"body": "<p>x</p>", "public": False}, "description": "y"}, None)
def test_any_event_reads_the_same(
    event_type: str, payload: dict[str, JsonValue], message: str | None
) -> None:
    assert_same(event(event_type, payload, message))


def test_what_nobody_reads_is_left_out() -> None:
    mail = event(
        "postmark.inbound",
        {
            "From": "Ada <a@b.example>",
            "Subject": "Ma commande 1042",
            "TextBody": "Où est mon colis ?",
            "HtmlBody": "<p>Où est mon colis ?</p>" * 1_000,
            "Attachments": [{"Name": "photo.jpg", "Content": "AAAA" * 100_000}],
            "Headers": [
                {"Name": "DKIM-Signature", "Value": "A" * 500},
                {"Name": "Message-ID", "Value": "<1@b.example>"},
            ],
            "order_total": "12,00 €",
            "raw": "x" * 10_000,
        },
    )

    kept = essential(mail)

    assert json.loads(kept.model_dump_json())["payload"] == {
        "text_body": "Où est mon colis ?",
        "From": "Ada <a@b.example>",
        "Subject": "Ma commande 1042",
        "Headers": [["DKIM-Signature", None], ["Message-ID", "<1@b.example>"]],
        "order_total": "12,00 €",
    }
    assert_same(mail)


NOISE: Final = "où Ж😀 " * 120_000


@pytest.mark.parametrize(
    "payload",
    [
        {"text_body": NOISE},
        {"html_body": NOISE},
        {"Headers": {f"x-{n}": NOISE[:1_000] for n in range(900)}},
        {f"k{n}": NOISE[:1_000] for n in range(900)},
        {"text_body": NOISE} | {f"k{n}": n for n in range(900)},
    ],
)
def test_no_event_is_larger_than_that(payload: dict[str, JsonValue]) -> None:
    """Temporal stores it for a day, and earlier a client with random text filled the disk."""
    whole = event("email.inbound", payload)

    kept = essential(whole)

    assert len(kept.model_dump_json().encode()) < MAX_PAYLOAD_BYTES + 1_000
    read, other = (normalize(one, fallback_ticket_id="f") for one in (whole, kept))
    assert read.text[:READ_CHARS] == other.text[:READ_CHARS]


def test_a_message_is_no_larger_than_a_text_of_the_payload() -> None:
    kept = essential(event("api_direct", {}, NOISE))

    assert len((kept.message or "").encode()) <= MAX_TEXT_BYTES


def test_the_text_behind_a_large_image_is_read() -> None:
    image = f'<img src="data:image/png;base64,{"QUJD" * 100_000}">'
    assert_same(event("email.inbound", {"html_body": f"<p>{image}</p><p>Où est mon colis ?</p>"}))
