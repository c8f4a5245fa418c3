"""The widget session of a visitor's message, and the address verified in this session."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.errors import OverBudget
from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.identity.address import sign_in_address
from domain.intake.event import InboundEvent
from domain.widget.errors import InvalidUserSignature
from domain.widget.share import WidgetShare
from domain.widget.signed_user import is_itself, is_signed
from domain.widget.visit import WidgetVisit, goes_on, needs_verification
from domain.widget.widget import Widget, unseal_widget_secret
from domain.widget.widget_session import HeldSession, VerifiedBy, may_begin
from services.core.cpu_guard import limited
from store.widget.visitor_sessions import WidgetSessionRepository


@dataclass(frozen=True, slots=True)
class Shown:
    """The values in a request that determine its widget session.

    `session` is from a token signed by the service. `signed_email` is the result of
    `signed_address`. `fresh_id` is the id for a new session.
    """

    session: HeldSession | None
    signed_email: str | None
    language: str
    fresh_id: str


def signed_address(
    widget: Widget, sealer: Sealer, tenant: TenantId, *, email: str, signature: str, now: datetime
) -> str:
    """Return the visitor's signed address in normalized form. Raises InvalidAddress.

    Raises InvalidUserSignature for an invalid signature, or if normalization changes the address.
    """
    sealed = widget.sealed_secrets(now)
    secrets = [unseal_widget_secret(sealer, tenant, one) for one in sealed]
    if not (is_itself(email) and is_signed(secrets, email, signature)):
        raise InvalidUserSignature
    return sign_in_address(email)


def waits_for_verification(event: InboundEvent) -> bool:
    """Return True if the visitor must verify an address before the message is answered.

    Return False if the message is too expensive to read on the event loop. The worker then hands it
    to a human.
    """
    try:
        return limited(lambda: needs_verification(event))
    except OverBudget:
        return False


async def visit_of(
    connection: AsyncConnection, tenant: TenantId, shown: Shown, widget: Widget, now: datetime
) -> WidgetVisit:
    """Return the session in the page's token, or a new one if it has ended or belongs to another
    visitor."""
    share = WidgetShare(widget.hourly_messages, widget.monthly_tickets)
    fresh = WidgetVisit(shown.fresh_id, shown.language, share, shown.signed_email)
    if shown.session is None:
        return fresh
    session_id = shown.session.id
    session = await WidgetSessionRepository(connection, tenant).find(session_id, now)
    if session is None:
        begins = may_begin(session_id, now)
        return (
            WidgetVisit(session_id, shown.language, share, shown.signed_email) if begins else fresh
        )
    # A merchant's signature for the session's address also permits the visitor to open the session.
    may_open = shown.session.opens(session.verified_email) or shown.signed_email is not None
    if not (may_open and goes_on(session, shown.signed_email)):
        return fresh
    coded = session.verified_email if session.verified_by is VerifiedBy.CODE else None
    return WidgetVisit(session.id, shown.language, share, shown.signed_email, coded)
