"""The customer of an event: whose words they are, and whether that is proved.

Source: decision 0028, "Who writes a mail".
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from domain.core.plain_text import clean_address
from domain.intake.customer_email import customer_key
from domain.intake.event import Channel, InboundEvent
from domain.intake.mail_authentication import is_proved
from domain.intake.mail_headers import (
    Mailbox,
    checked_address,
    header_values,
    mailboxes,
)
from domain.intake.mail_sender import Writer, is_robot, writer_of
from domain.intake.payload_paths import EMAIL_ADDRESS
from domain.intake.payload_view import PayloadView, scalar_text

_RECIPIENTS: Final = (
    "to", "cc", "to_full", "cc_full", "recipient", "recipients", "original_recipient",
    "delivered_to", "envelope.to",
)  # fmt: skip
_RECIPIENT_HEADERS: Final = ("to", "cc", "delivered-to", "x-original-to")


@dataclass(frozen=True, slots=True)
class Correspondent:
    """`is_authenticated`: the mail's sender is this customer, and is proved or vouched for; always
    so for what is no mail. `is_themselves`: the answer goes to this customer and to nobody else.
    `by_form`: a form or a program passed the words on. `senders`: whom an
    answer must not go to if they are programs."""

    box: Mailbox
    is_authenticated: bool = True
    is_themselves: bool = True
    by_form: bool = False
    senders: tuple[str, ...] = ()


def correspondent(
    event: InboundEvent,
    channel: Channel,
    view: PayloadView,
    text: str,
    authserv_ids: Iterable[str],
) -> Correspondent:
    """Who wrote an event. `text`: its words, among which a form says who filled it in."""
    given = clean_address(event.customer_email or "")
    if channel is Channel.EMAIL:
        return _of_mail(event, view, given, text, authserv_ids)
    email = given or _address_in(view)
    if channel is Channel.HELPDESK and email:
        writer = writer_of(Mailbox(address=email), (), (), text)
        # The ticket is the writer's, whoever the form names: its answer goes to them.
        proved = not writer.by_form
        return Correspondent(
            writer.box,
            is_authenticated=proved,
            is_themselves=proved,
            by_form=writer.by_form,
            senders=(email,),
        )
    return Correspondent(Mailbox(address=email))


def _of_mail(
    event: InboundEvent,
    view: PayloadView,
    given: str | None,
    text: str,
    authserv_ids: Iterable[str],
) -> Correspondent:
    sender = _from(view)
    vouched = event.payload.get("customer_verified") is True
    if sender.address is None and not given:
        sender = Mailbox(sender.name, _address_in(view))
    # An address that the caller names beside the sender's, or vouches for, is the customer's.
    named = given is not None and (vouched or not _same(given, sender.address or given))
    if given is not None and named and not is_robot(given):
        writer = Writer(Mailbox(sender.name, given), is_sender=_same(given, sender.address))
    else:
        start = sender if sender.address else Mailbox(sender.name, given)
        writer = writer_of(start, _reply_to(view), tuple(_recipients(view)), text)
        if given is not None and writer.is_sender:
            # As the caller spells it.
            writer = Writer(Mailbox(writer.box.name, given), is_sender=True)
    return Correspondent(
        writer.box,
        is_authenticated=(vouched and (writer.is_sender or named) and not writer.by_form)
        or (writer.is_sender and _is_proved(view, sender, authserv_ids)),
        by_form=writer.by_form,
        senders=tuple(filter(None, (sender.address, given, *_programs(view)))),
    )


def _is_proved(view: PayloadView, sender: Mailbox, authserv_ids: Iterable[str]) -> bool:
    """Not without exactly one sender: of several nobody can say which one was meant."""
    froms = header_values(view, "from")
    read = mailboxes(froms[0]) if froms else mailboxes(view.get("from"))
    if len(froms) > 1 or len(read) != 1 or not _same(read[0].address, sender.address):
        return False
    headers = header_values(view, "authentication-results")
    return is_proved(sender.address or "", headers, authserv_ids)


def _from(view: PayloadView) -> Mailbox:
    """The mail's sender, from `from` or the From header."""
    found = mailboxes(view.get("from")) or mailboxes(view.get("from_full"))
    return next(iter(found or _boxes(view, "from")), Mailbox())


def _programs(view: PayloadView) -> Iterator[str]:
    boxes = (*_boxes(view, "from"), *_boxes(view, "sender"))
    return (box.address for box in boxes if box.address)


def _boxes(view: PayloadView, header: str) -> tuple[Mailbox, ...]:
    return tuple(box for value in header_values(view, header)[:5] for box in mailboxes(value))


def _reply_to(view: PayloadView) -> tuple[Mailbox, ...]:
    return mailboxes(view.get("reply_to")) or _boxes(view, "reply-to")


def _recipients(view: PayloadView) -> Iterator[str]:
    values = [view.get(path) for path in _RECIPIENTS]
    found = [box for value in values for box in mailboxes(value)]
    found += [box for name in _RECIPIENT_HEADERS for box in _boxes(view, name)]
    return (box.address for box in found if box.address)


def _address_in(view: PayloadView) -> str | None:
    found = (checked_address(scalar_text(view.get(path)) or "") for path in EMAIL_ADDRESS)
    return next((address for address in found if address), None)


def _same(one: str | None, other: str | None) -> bool:
    return one is not None and customer_key(one) == customer_key(other)
