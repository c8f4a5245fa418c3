"""The sender: determine the customer who wrote an event, and whether the customer's address is
verified.

Source: decision 0028, "Who writes an email".
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from domain.core.plain_text import clean_address
from domain.intake.customer_email import customer_key, is_same_customer
from domain.intake.event import Channel, InboundEvent, channel_of
from domain.intake.mail_authentication import RESULTS, SIGNATURE, is_proved, without_length
from domain.intake.mail_headers import (
    Mailbox,
    MailHeaders,
    checked_address,
    mailboxes,
    only_mailbox,
)
from domain.intake.mail_sender import Writer, is_robot, writer_of
from domain.intake.payload_paths import EMAIL_ADDRESS
from domain.intake.payload_view import PayloadView, scalar_text

_RECIPIENTS: Final = (
    "to", "cc", "to_full", "cc_full", "recipient", "recipients", "original_recipient",
    "delivered_to", "envelope.to",
)  # fmt: skip
_RECIPIENT_HEADERS: Final = ("to", "cc", "delivered-to", "x-original-to")
_MAX_VALUES: Final = 5
# Maximum number of Authentication-Results headers. An email has one for each relaying server.
_MAX_RESULTS: Final = 20


@dataclass(frozen=True, slots=True)
class EventSender:
    """The sender of an event.

    - `is_authenticated`: the email's authentication or the caller confirms the sender. Always True
      for other channels, except a helpdesk ticket opened by a form.
    - `is_themselves`: the answer reaches only this customer.
    - `by_form`: a form or program forwarded the text.
    - `senders`: the sender's addresses. If one belongs to a program, no answer is sent.
    """

    box: Mailbox
    is_authenticated: bool = True
    is_themselves: bool = True
    by_form: bool = False
    senders: tuple[str, ...] = ()


def event_sender(
    event: InboundEvent,
    channel: Channel,
    headers: MailHeaders,
    text: str,
    authserv_ids: Iterable[str],
) -> EventSender:
    """Return an event's author. `text` is the event's text, which may identify the author if a form
    sent the message."""
    given = clean_address(event.customer_email or "")
    if channel is Channel.EMAIL:
        return _of_mail(event, _Heads(headers), given, text, authserv_ids)
    email = given or _address_in(headers.view)
    if channel is Channel.HELPDESK and email:
        writer = writer_of(Mailbox(address=email), (), (), text)
        # The answer goes to the ticket's author, not to a person whom a form identifies.
        proved = not writer.by_form
        return EventSender(
            writer.box,
            is_authenticated=proved,
            is_themselves=proved,
            by_form=writer.by_form,
            senders=(email,),
        )
    return EventSender(Mailbox(address=email))


def claimed_customer(event: InboundEvent) -> str | None:
    """Return the canonical address of the customer in an event, without reading its text.

    This is the caller's `customer_email`, or the sender in the email's headers. It can be None for
    an email from a form.
    """
    given = customer_key(event.customer_email)
    if given is None and channel_of(event.event_type, event.source) is Channel.EMAIL:
        heads = _Heads(MailHeaders(PayloadView(event.payload)))
        return customer_key(_writer(heads, heads.sender(), "").box.address)
    return given


def _of_mail(
    event: InboundEvent,
    heads: "_Heads",
    given: str | None,
    text: str,
    authserv_ids: Iterable[str],
) -> EventSender:
    sender = heads.sender()
    vouched = event.payload.get("customer_verified") is True
    if sender.address is None and not given:
        sender = Mailbox(sender.name, _address_in(heads.headers.view))
    # The caller's address is the customer's if the caller vouches for the customer, or if the
    # address differs from the email's sender.
    named = given is not None and (vouched or not _same(given, sender.address or given))
    if given is not None and named and not is_robot(given):
        writer = Writer(Mailbox(sender.name, given), is_sender=_same(given, sender.address))
    else:
        start = sender if sender.address else Mailbox(sender.name, given)
        writer = _writer(heads, start, text)
        if given is not None and writer.is_sender:
            # Keep the caller's spelling of the address.
            writer = Writer(Mailbox(writer.box.name, given), is_sender=True)
    return EventSender(
        writer.box,
        is_authenticated=(vouched and (writer.is_sender or named) and not writer.by_form)
        or (writer.is_sender and _is_proved(heads, sender, authserv_ids)),
        by_form=writer.by_form,
        senders=tuple(filter(None, (sender.address, given, *heads.programs()))),
    )


def _writer(heads: "_Heads", sender: Mailbox, text: str) -> Writer:
    return writer_of(sender, heads.reply_to(), tuple(heads.recipients()), text)


def _is_proved(heads: "_Heads", sender: Mailbox, authserv_ids: Iterable[str]) -> bool:
    """Return True if a trusted mail server authenticated the email's sender.

    Return False if the email has several senders, or if its headers are truncated, because
    truncated headers can hide a second From header.
    """
    froms, found = heads.headers.certain("from"), heads.headers.certain_anywhere(RESULTS)
    signatures = heads.headers.certain_anywhere(SIGNATURE)
    if froms is None or found is None or signatures is None or len(froms) > 1:
        return False
    author = only_mailbox(froms[0] if froms else heads.headers.view.get("from"))
    if author is None or not _same(author.address, sender.address):
        return False
    is_signed_whole = without_length(signatures)
    return is_signed_whole and is_proved(sender.address or "", found[:_MAX_RESULTS], authserv_ids)


@dataclass(frozen=True, slots=True)
class _Heads:
    """The mailboxes in an email's headers and in the corresponding payload fields."""

    headers: MailHeaders

    def sender(self) -> Mailbox:
        """Return the sender's mailbox from the `from` or `from_full` field or from the From header.
        If there is none, return an empty mailbox."""
        found = mailboxes(self.headers.view.get("from")) or mailboxes(
            self.headers.view.get("from_full")
        )
        return next(iter(found or self._boxes("from")), Mailbox())

    def programs(self) -> Iterator[str]:
        boxes = (*self._boxes("from"), *self._boxes("sender"))
        return (box.address for box in boxes if box.address)

    def reply_to(self) -> tuple[Mailbox, ...]:
        return mailboxes(self.headers.view.get("reply_to")) or self._boxes("reply-to")

    def recipients(self) -> Iterator[str]:
        found = [box for path in _RECIPIENTS for box in mailboxes(self.headers.view.get(path))]
        found += [box for name in _RECIPIENT_HEADERS for box in self._boxes(name)]
        return (box.address for box in found if box.address)

    def _boxes(self, header: str) -> tuple[Mailbox, ...]:
        values = self.headers.values(header)[:_MAX_VALUES]
        return tuple(box for value in values for box in mailboxes(value))


def _address_in(view: PayloadView) -> str | None:
    found = (checked_address(scalar_text(view.get(path)) or "") for path in EMAIL_ADDRESS)
    return next((address for address in found if address), None)


def _same(one: str | None, other: str | None) -> bool:
    return is_same_customer(one, other)
