"""Detect emails that the service itself sent for a client and that arrive again as inbound emails.
Such an email is not a customer message."""

from collections.abc import Iterable
from typing import Final

from pydantic import JsonValue

from domain.inbound.meaning import InboundTicket
from domain.intake.event import Channel, InboundEvent, channel_of
from domain.intake.mail_headers import message_id_of
from domain.intake.payload_view import PayloadView
from domain.runs.mail_reply import is_ours
from store.integrations.mail_senders import MailSenderRepository
from store.runs.action_ledger import ActionLedger

_RECIPIENTS: Final = "recipients"


async def is_own_mail(ledger: ActionLedger, ticket: InboundTicket) -> bool:
    """Return True if the action ledger contains this email's Message-ID for this client. The
    sender's address is forgeable and not used."""
    if not _is_mail(ticket.event):
        return False
    name = message_id_of(PayloadView(ticket.event.payload))
    if name is None or not is_ours(name):
        return False
    return await ledger.has_mailed(name)


async def with_own_addresses(
    senders: MailSenderRepository, event: InboundEvent, service_address: str
) -> InboundEvent:
    """Return an email's event with the client's and the service's own addresses as recipients. A
    sender with one of them gets no answer, except when it forwards a contact form's message."""
    if not _is_mail(event):
        return event
    sender = await senders.verified()
    of_client = (sender.address, sender.reply_to) if sender else ()
    own: Iterable[str] = filter(None, (service_address, *of_client))
    known = event.payload.get(_RECIPIENTS)
    recipients: list[JsonValue] = [*own, *(known if isinstance(known, list) else ())]
    return event.model_copy(update={"payload": {**event.payload, _RECIPIENTS: recipients}})


def _is_mail(event: InboundEvent) -> bool:
    return channel_of(event.event_type, event.source) is Channel.EMAIL
