"""The address claim: decide whether a ticket's author may verify a typed email address, and find
the verification code in the author's message."""

import re
from hashlib import sha256
from typing import Final

from domain.intake.customer_email import spells_its_key
from domain.intake.event import Channel, UnifiedEvent
from domain.intake.mail_headers import checked_address
from domain.intake.mail_sender import is_robot
from domain.intake.proved_address import ProvedAddress

_READ: Final = 2_000
# Mail programs show the code with a space in the middle, and users copy the space.
_CODE: Final = re.compile(
    r"(?<![\w.,#+-])([0-9]{3}[ \u00a0-]?[0-9]{3}(?:[ \u00a0-]?[0-9]{3})?)(?![\w-])(?![.,][0-9])"
)


def can_be_proved(event: UnifiedEvent) -> bool:
    """Return True if the event claims an address that its author can verify with an emailed code.

    The answer must go to a helpdesk ticket that the author reads.
    """
    return (
        event.is_claim
        and event.channel is Channel.HELPDESK
        and event.is_vouched
        and event.ticket_named
        and event.reply_allowed
        and checked_address(event.customer_email or "") is not None
        and spells_its_key(event.customer_email or "")
        and not is_robot(event.customer_email or "")
    )


def requester_of(event: UnifiedEvent, conversation_id: str) -> str:
    """Return the id under which an author's verification codes are counted: a digest of the
    platform's author id, or the conversation's id.

    The author id may be an email address, so it is not used directly.
    """
    if not event.author_id:
        return conversation_id
    return sha256(f"{event.platform}/{event.author_id}".encode()).hexdigest()[:32]


def typed_code(text: str) -> str | None:
    """Return the verification code in a text: its only standalone number of six or nine digits.
    Return None if the text has no such number, or several different numbers."""
    found = {re.sub(r"\D", "", one) for one in _CODE.findall(text[:_READ])}
    return found.pop() if len(found) == 1 else None


def proved_by(event: UnifiedEvent, proved: ProvedAddress) -> UnifiedEvent:
    """Return the event with its author's verified address, and without a rejected code."""
    return event.model_copy(update={"proved": proved, "code_refused": False})


def asking_again(event: UnifiedEvent, question: UnifiedEvent) -> UnifiedEvent:
    """Return the event that contained the code, with the text and order numbers of `question`, the
    ticket's message before the code.

    The agent may answer the question but must not act on it (`asked_before_code`), because another
    person may have written it in the same ticket.
    """
    return event.model_copy(
        update={
            "asked_before_code": True,
            "subject": question.subject,
            "text": question.text,
            "order_number": question.order_number,
            "order_numbers": question.order_numbers,
            "fields": {**event.fields, **question.fields},
        }
    )
