"""What users see of a webhook."""

from datetime import UTC, datetime
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from domain.inbound.inbound_webhook import (
    InboundWebhook,
    Outcome,
    WaitsFor,
    WebhookKind,
    WebhookState,
)
from domain.inbound.logged_webhook import masked_headers, shown_text, verdict
from domain.integrations.providers import Provider

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_everything_that_becomes_of_one_is_a_sentence() -> None:
    for state, waits_for, outcome, reason in product(
        WebhookState, (None, *WaitsFor), (None, *Outcome), (None, "no_order")
    ):
        told = verdict(
            InboundWebhook(
                id="01",
                integration_id="02",
                provider=Provider.SHOPIFY,
                dedup_key="key",
                topic="orders/updated",
                kind=WebhookKind.FACT,
                state=state,
                waits_for=waits_for,
                not_before=NOON,
                outcome=outcome,
                reason=reason,
                event_id=None,
                reference=None,
                duplicates=0,
                conflicts=0,
                created_at=NOON,
                finished_at=None,
            )
        )
        assert told.endswith("."), told
        assert "_" not in told
        assert "None" not in told


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")), st.integers(0))
def test_a_text_that_is_cut_anywhere_is_its_beginning(text: str, at: int) -> None:
    whole = text.encode()
    cut = whole[: at % (len(whole) + 1)]

    assert shown_text(whole, is_cut=False) == text
    shown = shown_text(cut, is_cut=True)
    assert shown is not None
    assert text.startswith(shown)
    assert len(cut) - len(shown.encode()) < 4


def test_what_proves_something_is_masked() -> None:
    headers = {
        "x-shopify-hmac-sha256": "a",
        "stripe-signature": "b",
        "x-inbound-secret": "c",
        "x-shopify-topic": "orders/paid",
    }
    assert masked_headers(headers) == {
        "x-shopify-hmac-sha256": "…",
        "stripe-signature": "…",
        "x-inbound-secret": "…",
        "x-shopify-topic": "orders/paid",
    }
