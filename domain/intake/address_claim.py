"""The address claim: when a ticket's author may prove the address that they typed, and how a code
is found in their message."""

import re
from hashlib import sha256
from typing import Final

from domain.intake.customer_email import spells_its_key
from domain.intake.event import Channel, UnifiedEvent
from domain.intake.mail_headers import checked_address
from domain.intake.mail_sender import is_robot
from domain.intake.proved_address import ProvedAddress

_READ: Final = 2_000
# Mail programs display a space in the middle, which people copy.
_CODE: Final = re.compile(
    r"(?<![\w.,#+-])([0-9]{3}[ \u00a0-]?[0-9]{3}(?:[ \u00a0-]?[0-9]{3})?)(?![\w-])(?![.,][0-9])"
)


def can_be_proved(event: UnifiedEvent) -> bool:
    """Return whether the event is a claim whose author reads the ticket that receives the
    answer."""
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
    """Return the requester that a code is counted for: the author by the platform's id, else the
    thread. The author is a digest, because an id may be an address."""
    if not event.author_id:
        return conversation_id
    return sha256(f"{event.platform}/{event.author_id}".encode()).hexdigest()[:32]


def typed_code(text: str) -> str | None:
    """Return the only separate number of six or nine digits in a text, or None unless there is
    exactly one."""
    found = {re.sub(r"\D", "", one) for one in _CODE.findall(text[:_READ])}
    return found.pop() if len(found) == 1 else None


def proved_by(event: UnifiedEvent, proved: ProvedAddress) -> UnifiedEvent:
    return event.model_copy(update={"proved": proved, "code_refused": False})


def asking_again(event: UnifiedEvent, question: UnifiedEvent) -> UnifiedEvent:
    """Return a code's event with the question that was asked before the code.

    The question may be answered but must not cause an action: another person may have written it in
    the same ticket (`asked_before_code`).
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
