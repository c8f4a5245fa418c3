"""A visit: the session to which a message belongs, and the session's visitor.

A session stays with the visitor for whom it was verified. A page that names another user starts a
new session. So does a page that names no user after the merchant's signature verified the last one:
the computer may be shared.
"""

from dataclasses import dataclass
from typing import Final

from domain.intake.event import InboundEvent
from domain.intake.normalization import normalize
from domain.intake.order_number import speaks_of_order
from domain.widget.share import WidgetShare
from domain.widget.widget_session import VerifiedBy, WidgetSession

EVENT_TYPE: Final = "widget.chat.message"
SOURCE: Final = "widget"


@dataclass(frozen=True, slots=True)
class WidgetVisit:
    """A visitor's identity for one message. `signed_email`: the address that the merchant signed
    with this message. `coded_email`: the address that a code verified in this session."""

    session_id: str
    language: str
    share: WidgetShare
    signed_email: str | None = None
    coded_email: str | None = None

    @property
    def verified_email(self) -> str | None:
        """The address verified for this message, by signature or by code."""
        return self.signed_email or self.coded_email

    def may_enter(self, session: WidgetSession) -> bool:
        """Return whether the session, in its current state, still belongs to this visitor."""
        return goes_on(session, self.signed_email) and self.coded_email in (
            None,
            session.verified_email,
        )


def goes_on(session: WidgetSession, signed_email: str | None) -> bool:
    """Return whether the session belongs to this visitor. `signed_email`: the signed address, if
    any."""
    if session.verified_email is None:
        return True
    if signed_email is not None:
        return session.verified_email == signed_email
    return session.verified_by is VerifiedBy.CODE


@dataclass(frozen=True, slots=True)
class Said:
    """A visitor's message, the page it was sent from, and the address that the visitor typed, which
    proves nothing."""

    message: str
    page_url: str | None = None
    stated_email: str | None = None

    def event(self, visit: WidgetVisit) -> InboundEvent:
        """Return the message as an event.

        Only a verified address becomes the customer's: a typed address must neither use up another
        customer's limit, nor give access to that customer's memory or orders.
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
    """Return whether an unverified visitor asks about an order, which the agent cannot answer."""
    if event.customer_email is not None:
        return False
    return speaks_of_order(normalize(event, fallback_ticket_id=""))
