"""Answers that exceed a body's limit are truncated as little as possible."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.webhooks.envelope import render
from domain.webhooks.outbound_event import MAX_RESPONSE_BYTES, TicketResolved, fitting
from domain.webhooks.samples import sample

# Characters, and their size in JSON in bytes.
WIDTHS = {"a": 1, "\n": 2, '"': 2, "\x01": 6, "é": 2, "€": 3, "🧵": 4}


def body_of(response: str) -> bytes:
    resolved = sample("ticket.resolved").model_copy(update={"ai_response": response})
    return render(resolved, "01KAK8Z0A1B2C3D4E5F6G7H8J9", datetime(2026, 11, 21, tzinfo=UTC))


@pytest.mark.parametrize("mark", WIDTHS)
def test_it_is_cut_where_a_body_ends(mark: str) -> None:
    most = MAX_RESPONSE_BYTES // WIDTHS[mark]

    assert fitting(mark * most) == mark * most
    assert fitting(mark * (most + 1)) == mark * most


@settings(max_examples=30)
@given(st.text(alphabet=[*WIDTHS], max_size=30), st.integers(1_000, 20_000))
def test_what_is_kept_is_the_beginning_and_no_less(text: str, times: int) -> None:
    whole = text * times
    kept = fitting(whole)

    assert whole.startswith(kept)
    around = len(body_of(""))
    assert len(body_of(kept)) - around <= MAX_RESPONSE_BYTES
    if kept != whole:
        assert len(body_of(whole[: len(kept) + 1])) - around > MAX_RESPONSE_BYTES


def test_a_body_with_everything_at_its_longest_is_below_100_kb() -> None:
    longest = TicketResolved(
        ticket_id="\x01" * 200,
        customer_email="\x01" * 320,
        classification="refund_request",
        confidence=0.123456789012345678,
        ai_response=fitting("\x01" * 200_000),
        ai_response_truncated=True,
        duration_ms=10**15,
    )

    body = render(longest, "01KAK8Z0A1B2C3D4E5F6G7H8J9", datetime(2026, 11, 21, tzinfo=UTC))
    assert 90_000 < len(body) < 100_000
