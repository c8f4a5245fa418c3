"""The reply to a customer's email, sent in the same thread and without causing mail loops."""

import re
from typing import Final

from domain.agent.brain import Language
from domain.core.attached_file import AttachedFile
from domain.core.ports import OutgoingMail
from domain.intake.event import UnifiedEvent
from domain.integrations.errors import MailRefused

_YOUR_MESSAGE: Final[dict[Language, str]] = {"fr": "Votre message", "en": "Your message"}
MAX_REFERENCES: Final = 20
_NAME: Final = "reply."
# Each client may have its own mail domain, so any domain matches. The second form is the domain
# used for all replies before clients had their own domains.
_OURS: Final = re.compile(
    r"<(?:reply\.[0-9a-z-]{1,64}@[^<>@\s]{1,255}|[^<>@\s]+@reply\.engine\.invalid)>"
)


def reply_to(
    event: UnifiedEvent,
    text: str,
    *,
    from_name: str,
    key: str,
    language: Language,
    files: tuple[AttachedFile, ...] = (),
) -> OutgoingMail:
    """Return the email that answers `event`. Its Message-ID depends only on `key`.

    An unverified sender's subject is not repeated, because it could reach the person in a forged
    From header. Raises MailRefused for an event that must not be answered by email.
    """
    if not event.customer_email or not event.reply_allowed:
        raise MailRefused("this event may not be answered by mail")
    subject = (event.subject if event.may_act else None) or _YOUR_MESSAGE[language]
    if not subject.lower().startswith("re:"):
        subject = f"Re: {subject}"
    references = event.references
    if event.message_id and event.message_id not in references:
        references = (*references, event.message_id)
    return OutgoingMail(
        name=f"{_NAME}{key.lower()}",
        to=event.customer_email,
        from_name=from_name,
        subject=subject,
        text=text,
        in_reply_to=event.message_id,
        # The first reference identifies the thread, and the last references identify the emails
        # being answered (RFC 5322, 3.6.4).
        references=references[:1] + references[1:][-(MAX_REFERENCES - 1) :],
        files=files,
    )


def is_ours(message_id: str) -> bool:
    """Return True if the Message-ID has the form of our replies. Senders can forge it, so only the
    action ledger proves that we sent the email."""
    return _OURS.fullmatch(message_id) is not None
