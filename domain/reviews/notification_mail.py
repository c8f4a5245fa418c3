"""The emails that notify a member of tickets that need the team.

The texts are fixed, without words from a customer or client, because the service sends them in its
own name. Strangers choose the subjects of tickets.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain.agent.escalation_reason import EscalationReason
from domain.core.ports import OutgoingMail
from domain.core.service_name import ServiceName
from domain.reviews.review_notice import REASON_TEXTS, NoticeLanguage

MAX_LISTED: Final = 10
"""Maximum number of tickets that an email lists. The others are only counted."""

_DEFAULT_LANGUAGE: Final = "fr"


@dataclass(frozen=True, slots=True)
class NotifiedTicket:
    """A ticket in an email. `review_id` is its open review, or None. `since` is the start of the
    wait, if shown."""

    review_id: str | None
    conversation_id: str | None
    reason: EscalationReason | None
    urgent: bool = False
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class DigestCounts:
    """The numbers in a digest. A number above `most` is shown as more than `most`."""

    waiting: int
    urgent: int
    assigned: int
    most: int


@dataclass(frozen=True, slots=True)
class MailFrame:
    """The common parts of a member's emails. `mail_id` determines the Message-ID, so a retry sends
    the same email. The links open `client_id`. Without `language`, the text is French."""

    mail_id: str
    to: str
    language: str | None
    client_id: str
    dashboard_url: str
    unsubscribe_url: str
    service: ServiceName

    @property
    def words(self) -> "_Words":
        return _WORDS["en" if self.language == "en" else _DEFAULT_LANGUAGE]

    def mail(self, subject: str, lines: Sequence[str], why: str) -> OutgoingMail:
        """Return the email with this subject and these paragraphs. `why` is the reason for which
        the member receives the email."""
        footer = f"{why} {self.words.turn_off.format(url=self.unsubscribe_url)}"
        return OutgoingMail(
            name=f"notices.{self.mail_id.lower()}",
            to=self.to,
            from_name=self.service.name,
            subject=subject,
            text="\n\n".join((self.words.hello, *lines, footer)) + "\n",
            auto_submitted="auto-generated",
            unsubscribe_url=self.unsubscribe_url,
        )

    def page(self, path: str) -> str:
        return f"{self.dashboard_url}/{path}?client_id={self.client_id}"

    def ticket_page(self, ticket: NotifiedTicket) -> str:
        """Return the URL of the ticket's page."""
        if ticket.review_id is not None:
            return self.page(f"reviews/{ticket.review_id}")
        if ticket.conversation_id is not None:
            return self.page(f"conversations/{ticket.conversation_id}")
        return self.page("inbox")


@dataclass(frozen=True, slots=True)
class _Words:
    """The texts of the emails in one language."""

    language: NoticeLanguage
    hello: str
    review: str
    urgent_review: str
    review_text: str
    assigned: str
    assigned_text: str
    several: str
    several_text: str
    several_rest: str
    one_waits: str
    many_wait: str
    more_wait: str
    urgent_count: str
    assigned_count: str
    longest: str
    urgent: str
    unanswered: str
    waits: str
    units: tuple[str, str, str]
    inbox: str
    why_at_once: str
    why_digest: str
    turn_off: str


_WORDS: Final[dict[NoticeLanguage, _Words]] = {
    "fr": _Words(
        language="fr",
        hello="Bonjour,",
        review="Une demande à traiter",
        urgent_review="Urgent : une demande à traiter",
        review_text="Une demande attend votre équipe. Raison : {reason}.\n{url}",
        assigned="Une conversation vous est attribuée",
        assigned_text="Un membre de votre équipe vous a attribué une conversation.\n{url}",
        several="{count} demandes à traiter",
        several_text="{count} demandes de plus attendent votre équipe :",
        several_rest="Et {count} autres. Toutes les demandes : {url}",
        one_waits="Une demande attend votre équipe",
        many_wait="{count} demandes attendent votre équipe",
        more_wait="Plus de {count} demandes attendent votre équipe",
        urgent_count="Urgentes : {count}",
        assigned_count="Qui vous sont attribuées : {count}",
        longest="Les plus anciennes, après les urgentes :",
        urgent="Urgent, ",
        unanswered="message sans réponse",
        waits="depuis {duration}",
        units=("{} min", "{} h", "{} j"),
        inbox="Toutes les demandes : {url}",
        why_at_once="Vous avez choisi de recevoir ces e-mails aussitôt.",
        why_digest="Vous avez choisi de recevoir ce récapitulatif quotidien.",
        turn_off="Ne plus les recevoir : {url}",
    ),
    "en": _Words(
        language="en",
        hello="Hello,",
        review="A ticket needs you",
        urgent_review="Urgent: a ticket needs you",
        review_text="A ticket needs your team. Reason: {reason}.\n{url}",
        assigned="A conversation is assigned to you",
        assigned_text="A teammate assigned a conversation to you.\n{url}",
        several="{count} tickets need you",
        several_text="{count} more tickets need your team:",
        several_rest="And {count} more. All tickets: {url}",
        one_waits="One ticket needs your team",
        many_wait="{count} tickets need your team",
        more_wait="More than {count} tickets need your team",
        urgent_count="Urgent: {count}",
        assigned_count="Assigned to you: {count}",
        longest="Longest waits, after urgent tickets:",
        urgent="Urgent, ",
        unanswered="message without an answer",
        waits="for {duration}",
        units=("{} min", "{} h", "{} d"),
        inbox="All tickets: {url}",
        why_at_once="You chose to receive these emails immediately.",
        why_digest="You chose to receive this daily digest.",
        turn_off="Turn these emails off: {url}",
    ),
}


def ticket_mail(frame: MailFrame, ticket: NotifiedTicket, *, assigned: bool) -> OutgoingMail:
    """Return the email about one ticket. `assigned` means that it was assigned to the member, not
    held for review."""
    words = frame.words
    url = frame.ticket_page(ticket)
    if assigned:
        return frame.mail(words.assigned, [words.assigned_text.format(url=url)], words.why_at_once)
    subject = words.urgent_review if ticket.urgent else words.review
    text = words.review_text.format(reason=_reason(words, ticket), url=url)
    return frame.mail(subject, [text], words.why_at_once)


def several_mail(frame: MailFrame, tickets: Sequence[NotifiedTicket], count: int) -> OutgoingMail:
    """Return the email that reports `count` tickets at once and lists the first ones."""
    words = frame.words
    listed = tickets[:MAX_LISTED]
    lines = [
        words.several_text.format(count=count),
        "\n".join(_line(frame, ticket, None) for ticket in listed),
    ]
    inbox = frame.page("inbox")
    rest = count - len(listed)
    lines.append(
        words.several_rest.format(count=rest, url=inbox) if rest else words.inbox.format(url=inbox)
    )
    return frame.mail(words.several.format(count=count), lines, words.why_at_once)


def digest_mail(
    frame: MailFrame, counts: DigestCounts, oldest: Sequence[NotifiedTicket], now: datetime
) -> OutgoingMail:
    """Return the daily digest. `oldest` are the first tickets of the inbox, urgent ones first."""
    words = frame.words
    subject = _waiting(words, counts)
    numbers = [
        words.urgent_count.format(count=_bounded(counts.urgent, counts.most)),
        words.assigned_count.format(count=_bounded(counts.assigned, counts.most)),
    ]
    lines = [
        f"{subject}.\n" + "\n".join(numbers),
        words.longest + "\n" + "\n".join(_line(frame, one, now) for one in oldest[:MAX_LISTED]),
        words.inbox.format(url=frame.page("inbox")),
    ]
    return frame.mail(subject, lines, words.why_digest)


def _waiting(words: _Words, counts: DigestCounts) -> str:
    if counts.waiting == 1:
        return words.one_waits
    if counts.waiting > counts.most:
        return words.more_wait.format(count=counts.most)
    return words.many_wait.format(count=counts.waiting)


def _bounded(count: int, most: int) -> str:
    return f"{most}+" if count > most else str(count)


def _line(frame: MailFrame, ticket: NotifiedTicket, now: datetime | None) -> str:
    """Return the line of one ticket in a list. `now` is the time until which the wait is shown."""
    words = frame.words
    text = (words.urgent if ticket.urgent else "") + _reason(words, ticket)
    if now is not None and ticket.since is not None:
        text += ", " + words.waits.format(duration=_duration(words, now - ticket.since))
    return f"- {text}: {frame.ticket_page(ticket)}"


def _reason(words: _Words, ticket: NotifiedTicket) -> str:
    if ticket.reason is None:
        return words.unanswered
    return REASON_TEXTS[words.language][ticket.reason]


def _duration(words: _Words, waited: timedelta) -> str:
    minutes = max(0, int(waited.total_seconds() // 60))
    minute, hour, day = words.units
    if minutes < 60:
        return minute.format(minutes)
    return hour.format(minutes // 60) if minutes < 48 * 60 else day.format(minutes // (24 * 60))
