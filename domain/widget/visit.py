"""A visit: the session that a message belongs to, and its visitor.

A session stays with the visitor it was verified for. A new session starts for a page that names
another user, or no user after the merchant's signature verified the last one: it may be a shared
computer.
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
    """`signed_email`: the address that the merchant signed with this message. `coded_email`: the
    address that a code verified in this session."""

    session_id: str
    language: str
    share: WidgetShare
    signed_email: str | None = None
    coded_email: str | None = None

    @property
    def verified_email(self) -> str | None:
        """The address that is verified for this message, by signature or by code."""
        return self.signed_email or self.coded_email

    def may_enter(self, session: WidgetSession) -> bool:
        """Return whether the session, in its present state, is still this visitor's."""
        return goes_on(session, self.signed_email) and self.coded_email in (
            None,
            session.verified_email,
        )


def goes_on(session: WidgetSession, signed_email: str | None) -> bool:
    """Return whether the session is this visitor's. `signed_email`: the signed address, if any."""
    if session.verified_email is None:
        return True
    if signed_email is not None:
        return session.verified_email == signed_email
    return session.verified_by is VerifiedBy.CODE


@dataclass(frozen=True, slots=True)
class Said:
    """A visitor's message, its page, and the address that the visitor typed, which proves
    nothing."""

    message: str
    page_url: str | None = None
    stated_email: str | None = None

    def event(self, visit: WidgetVisit) -> InboundEvent:
        """Return the event. Only a verified address becomes the customer's: a typed one must
        neither use up another customer's limit, nor open their memory or their orders."""
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
    """Return whether an unverified visitor asks about an order: the agent could not answer that."""
    if event.customer_email is not None:
        return False
    return speaks_of_order(normalize(event, fallback_ticket_id=""))
