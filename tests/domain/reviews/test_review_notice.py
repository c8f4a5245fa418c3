"""The notification about a review for a chat channel."""

import pytest

from domain.agent.escalation_reason import EscalationReason
from domain.reviews.review_notice import NoticeLanguage, ReviewNotice, notice_text


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("reason", tuple(EscalationReason))
def test_every_reason_has_a_text(reason: EscalationReason, language: NoticeLanguage) -> None:
    notice = ReviewNotice("01R", "01N", reason, True, "order_status", 0.5, "T-1")

    text = notice_text(notice, language, "https://x.example/app")

    assert "https://x.example/app/reviews/01R" in text
