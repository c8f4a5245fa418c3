"""Whether a session continues, what is stored about a page, and the widget's share."""

import time
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.schemas.widget.chat import MAX_MESSAGE
from domain.billing.quota import UNLIMITED
from domain.intake.normalization import normalize
from domain.widget.page import page_address
from domain.widget.share import WidgetShare
from domain.widget.visit import Said, WidgetVisit, goes_on, needs_verification
from domain.widget.widget_session import VerifiedBy, WidgetSession
from tests.support.intake.hostile import SHAPES

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
MINE, THEIRS = "a@b.example", "x@b.example"


def session(email: str | None, by: VerifiedBy | None) -> WidgetSession:
    return WidgetSession(id="S", verified_email=email, verified_by=by, language="fr", used_at=NOW)


@pytest.mark.parametrize(
    ("email", "by", "signed", "expected"),
    [
        (None, None, None, True),
        (None, None, MINE, True),
        (MINE, VerifiedBy.SIGNATURE, MINE, True),
        (MINE, VerifiedBy.SIGNATURE, None, False),
        (MINE, VerifiedBy.SIGNATURE, THEIRS, False),
        (MINE, VerifiedBy.CODE, MINE, True),
        (MINE, VerifiedBy.CODE, None, True),
        (MINE, VerifiedBy.CODE, THEIRS, False),
    ],
)
def test_which_session_goes_on(
    email: str | None, by: VerifiedBy | None, signed: str | None, expected: bool
) -> None:
    assert goes_on(session(email, by), signed) is expected


@given(st.text(max_size=200), st.none() | st.just(THEIRS))
def test_nothing_that_a_visitor_writes_makes_a_customer(text: str, stated: str | None) -> None:
    """Neither the text nor the address that the visitor typed."""
    visit = WidgetVisit("S", "fr", WidgetShare())
    event = Said(text, "https://shop.example/customer_email=x@b.example", stated).event(visit)
    read = normalize(event, fallback_ticket_id="E")

    assert (event.customer_email, read.customer_email) == (None, None)
    assert not read.customer_verified
    assert read.session_id == "S"


@pytest.mark.parametrize(
    "visit",
    [
        WidgetVisit("S", "fr", WidgetShare(), signed_email=MINE),
        WidgetVisit("S", "fr", WidgetShare(), coded_email=MINE),
    ],
)
def test_a_verified_address_is_the_customers(visit: WidgetVisit) -> None:
    event = Said("Où est ma commande 1042 ?", None, THEIRS).event(visit)
    read = normalize(event, fallback_ticket_id="E")

    assert (read.customer_email, read.customer_verified) == (MINE, True)
    assert "stated_email" not in event.payload
    assert not needs_verification(event)


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("Où est ma commande ?", True),
        ("n° 1042", True),
        ("I want my money back", True),
        ("Has it shipped?", True),
        ("Quels sont vos horaires ?", False),
        ("Combien coûte la livraison ?", False),
        ("How much is shipping to Belgium?", False),
        ("How much is shipping for my order?", True),
        ("hello", False),
    ],
)
def test_which_questions_wait_for_a_proof(text: str, needed: bool) -> None:
    event = Said(text).event(WidgetVisit("S", "fr", WidgetShare()))

    assert needs_verification(event) is needed


def test_no_text_of_a_visitor_takes_long() -> None:
    """It is processed in the process that serves all callers."""
    visit = WidgetVisit("S", "fr", WidgetShare())
    spent = dict[str, float]()
    for name, shape in SHAPES.items():
        text = str(shape.make(MAX_MESSAGE).get("message") or "")[:MAX_MESSAGE]
        event = Said(text).event(visit)
        started = time.thread_time()
        needs_verification(event)
        spent[name] = time.thread_time() - started

    assert len(spent) > 100
    assert {name: took for name, took in spent.items() if took > 0.1} == {}


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://shop.example/a/b?token=t&x=1#top", "https://shop.example/a/b"),
        ("https://user:secret@shop.example:8443/a", "https://shop.example:8443/a"),
        ("HTTP://SHOP.example", "http://shop.example"),
        ("http://[2001:db8::1]:80/x", "http://[2001:db8::1]:80/x"),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("about:blank", None),
        ("https://", None),
        ("http://[", None),
        ("http://a:99999/", None),
        ("", None),
    ],
)
def test_what_is_kept_of_a_page(url: str, kept: str | None) -> None:
    assert page_address(url) == kept


@given(st.text(max_size=200), st.sampled_from(["", "https://", "http://user:secret@shop.example"]))
def test_any_text_may_come_as_a_page(text: str, before: str) -> None:
    """Nothing that may contain a token is stored."""
    kept = page_address(before + text)
    if kept is not None:
        assert not {"?", "#"} & {*kept}
        assert urlsplit(kept).username is None
        assert "user:secret" not in kept.partition("://")[2].partition("/")[0]


@pytest.mark.parametrize(
    ("share", "limit", "messages", "tickets"),
    [
        (WidgetShare(), 5_000, 100, 2_500),
        (WidgetShare(), 1, 100, 1),
        (WidgetShare(), UNLIMITED, 100, None),
        (WidgetShare(200, 10), 5_000, 200, 10),
        (WidgetShare(1, 10), UNLIMITED, 1, 10),
    ],
)
def test_the_share(share: WidgetShare, limit: int, messages: int, tickets: int | None) -> None:
    assert (share.messages, share.tickets(limit)) == (messages, tickets)
