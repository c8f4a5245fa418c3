"""A visit: the session of a visitor's message, and the identity of the visitor.

A page that identifies another user starts a new session. So does a page that identifies none after
a user with a merchant's signature, because the computer may be shared.
"""

from dataclasses import dataclass
from typing import Final

from domain.intake.event import InboundEvent
from domain.intake.normalization import normalize
from domain.intake.order_number import speaks_of_order
from domain.intake.shop_question import asks_of_shop
from domain.widget.share import WidgetShare
from domain.widget.widget_session import VerifiedBy, WidgetSession

EVENT_TYPE: Final = "widget.chat.message"
SOURCE: Final = "widget"


@dataclass(frozen=True, slots=True)
class WidgetVisit:
    """A visitor's identity for one message: the address signed by the merchant (`signed_email`),
    and the address verified by a code in this session (`coded_email`)."""

    session_id: str
    language: str
    share: WidgetShare
    signed_email: str | None = None
    coded_email: str | None = None

    @property
    def verified_email(self) -> str | None:
        """Return the address verified by a signature or a code for this message, or None."""
        return self.signed_email or self.coded_email

    def may_enter(self, session: WidgetSession) -> bool:
        """Return True if the session, in its current state, still belongs to this visitor. An
        unverified visitor may enter only an unverified session because another visitor may have
        verified the session since the visit was read."""
        if session.verified_email is None:
            return self.coded_email is None
        return goes_on(session, self.signed_email) and session.verified_email == self.verified_email


def goes_on(session: WidgetSession, signed_email: str | None) -> bool:
    """Return True if a visitor may continue the session. `signed_email` is the address that the
    merchant signed, or None."""
    if session.verified_email is None:
        return True
    if signed_email is not None:
        return session.verified_email == signed_email
    return session.verified_by is VerifiedBy.CODE


@dataclass(frozen=True, slots=True)
class Said:
    """A visitor's message. `page_url` is the page from which it was sent. `stated_email` is typed
    and unverified."""

    message: str
    page_url: str | None = None
    stated_email: str | None = None

    def event(self, visit: WidgetVisit) -> InboundEvent:
        """Return the message as an inbound event.

        Only a verified address becomes the customer's address. A typed address must not use up
        another customer's limit, or give access to memory and orders.
        """
        known = visit.verified_email
        stated = None if known else self.stated_email
        noted = {"page_url": self.page_url, "stated_email": stated}
        return InboundEvent(
            event_type=EVENT_TYPE,
            source=SOURCE,
            customer_email=known,
            message=self.message,
            payload={
                "session_id": visit.session_id,
                "customer_verified": known is not None,
                **{name: value for name, value in noted.items() if value is not None},
            },
        )


def needs_verification(event: InboundEvent) -> bool:
    """Return True if an unverified visitor asks about an order, which the agent cannot answer.
    Questions about the shop in general need no verification."""
    if event.customer_email is not None:
        return False
    read = normalize(event, fallback_ticket_id="")
    return speaks_of_order(read) and not asks_of_shop(read)
