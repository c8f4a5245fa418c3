"""The emails that notify a member."""

from datetime import UTC, datetime, timedelta

import pytest

from domain.agent.escalation_reason import EscalationReason
from domain.core.service_name import ServiceName
from domain.reviews.notification_mail import (
    MAX_LISTED,
    DigestCounts,
    MailFrame,
    NotifiedTicket,
    digest_mail,
    several_mail,
    ticket_mail,
)

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
REASON = EscalationReason.LOW_CONFIDENCE


def frame(language: str | None = "en") -> MailFrame:
    return MailFrame(
        mail_id="01MAIL",
        to="anne@shop.example",
        language=language,
        client_id="01CLIENT",
        dashboard_url="https://x.example/app",
        unsubscribe_url="https://x.example/app/unsubscribe/token",
        service=ServiceName("Help Desk"),
    )


def ticket(number: int, **facts: object) -> NotifiedTicket:
    return NotifiedTicket(f"R{number}", None, REASON, **facts)  # type: ignore[arg-type]


def test_a_review() -> None:
    mail = ticket_mail(frame(), ticket(1), assigned=False)

    assert (mail.name, mail.to, mail.from_name) == (
        "notices.01mail",
        "anne@shop.example",
        "Help Desk",
    )
    assert mail.subject == "A ticket needs you"
    assert "Reason: the agent is not sure enough." in mail.text
    assert "https://x.example/app/reviews/R1?client_id=01CLIENT\n" in mail.text
    assert mail.unsubscribe_url == "https://x.example/app/unsubscribe/token"
    assert mail.unsubscribe_url in mail.text
    assert mail.auto_submitted == "auto-generated"


@pytest.mark.parametrize("reason", tuple(EscalationReason))
@pytest.mark.parametrize("language", ["fr", "en", None, "de"])
def test_every_reason_in_each_language(reason: EscalationReason, language: str | None) -> None:
    urgent = NotifiedTicket("R1", None, reason, urgent=True)
    mail = ticket_mail(frame(language), urgent, assigned=False)

    hello = "Hello," if language == "en" else "Bonjour,"
    assert mail.text.startswith(hello)
    assert mail.subject.startswith("Urgent")


def test_an_assigned_conversation() -> None:
    mail = ticket_mail(frame("fr"), NotifiedTicket(None, "C1", None), assigned=True)

    assert mail.subject == "Une conversation vous est attribuée"
    assert "https://x.example/app/conversations/C1?client_id=01CLIENT\n" in mail.text


def test_many_tickets_are_counted_and_the_first_are_listed() -> None:
    tickets = [ticket(number) for number in range(MAX_LISTED)]

    mail = several_mail(frame(), tickets, 95)

    assert mail.subject == "95 tickets need you"
    assert mail.text.count("/reviews/R") == MAX_LISTED
    assert f"And {95 - MAX_LISTED} more. All tickets: https://x.example/app/inbox" in mail.text
    few = several_mail(frame("fr"), tickets[:2], 2)
    assert "Toutes les demandes : " in few.text
    assert "autres" not in few.text


@pytest.mark.parametrize(
    ("waiting", "subject", "french"),
    [
        (1, "One ticket needs your team", "Une demande attend votre équipe"),
        (12, "12 tickets need your team", "12 demandes attendent votre équipe"),
        (
            1001,
            "More than 1000 tickets need your team",
            "Plus de 1000 demandes attendent votre équipe",
        ),
    ],
)
def test_the_digest(waiting: int, subject: str, french: str) -> None:
    counts = DigestCounts(waiting=waiting, urgent=1, assigned=1001, most=1000)
    oldest = [
        ticket(1, urgent=True, since=NOW - timedelta(minutes=5)),
        ticket(2, since=NOW - timedelta(hours=47, minutes=59)),
        NotifiedTicket(None, "C3", None, since=NOW - timedelta(days=3)),
    ]

    mail = digest_mail(frame(), counts, oldest, NOW)

    assert mail.subject == subject
    assert "Urgent: 1\nAssigned to you: 1000+" in mail.text
    assert "- Urgent, the agent is not sure enough, for 5 min: " in mail.text
    assert "- the agent is not sure enough, for 47 h: " in mail.text
    assert "- message without an answer, for 3 d: https://x.example/app/conversations/C3" in (
        mail.text
    )
    assert digest_mail(frame(None), counts, oldest, NOW).subject == french
