"""A visitor's message that is on its way while another visitor verifies the session."""

from datetime import datetime

import pytest

from adapters.system import new_ulid
from domain.widget.errors import SessionUnknown
from domain.widget.visit import WidgetVisit
from domain.widget.widget import Widget
from domain.widget.widget_session import HeldSession, visitor_digest
from services.widget.chat import Shown, visit_of
from store.core.database import Database
from tests.support.core.rows import row_counts
from tests.support.intake.admission import try_to_admit
from tests.support.tenants.shop import Shop
from tests.support.widget.code_chat import EVE, JEAN, Chat


@pytest.fixture
def chat(database: Database, shop: Shop) -> Chat:
    return Chat(database, shop)


async def read_visit(chat: Chat, held: HeldSession, signed: str | None = None) -> WidgetVisit:
    """Return the visit as the route reads it, before the message is admitted."""
    shown = Shown(session=held, signed_email=signed, language="fr", fresh_id=new_ulid())
    async with chat.database.reading(chat.shop.tenant) as connection:
        return await visit_of(connection, chat.shop.tenant, shown, Widget(), chat.now)


async def admit(chat: Chat, visit: WidgetVisit, now: datetime | None = None) -> None:
    await try_to_admit(chat.database, chat.shop, now=now or chat.now, visit=visit)


@pytest.mark.parametrize("has_message", [False, True])
async def test_an_anonymous_message_does_not_enter_a_session_verified_meanwhile(
    chat: Chat, *, has_message: bool
) -> None:
    session_id = new_ulid()
    if has_message:
        await admit(chat, await read_visit(chat, HeldSession(session_id)))
    before_verification = await read_visit(chat, HeldSession(session_id))
    assert before_verification.session_id == session_id

    await chat.ask(session_id)
    entered = await chat.enter(session_id)
    assert entered is not None
    assert entered.session_id == session_id
    before = await row_counts(chat.database, of=chat.shop)

    with pytest.raises(SessionUnknown):
        await admit(chat, before_verification)
    assert await row_counts(chat.database, of=chat.shop) == before

    # Read again, the same message starts its own session.
    again = await read_visit(chat, HeldSession(session_id))
    assert again.session_id != session_id
    await admit(chat, again)


async def test_the_verified_visitors_own_messages_enter(chat: Chat) -> None:
    session_id = new_ulid()
    await chat.ask(session_id)
    await chat.enter(session_id)
    held = HeldSession(session_id, visitor_digest(session_id, JEAN))

    visit = await read_visit(chat, held)

    assert (visit.session_id, visit.coded_email) == (session_id, JEAN)
    await admit(chat, visit)
    signed = await read_visit(chat, held, JEAN)
    assert signed.session_id == session_id
    await admit(chat, signed)
    assert (await read_visit(chat, held, EVE)).session_id != session_id
