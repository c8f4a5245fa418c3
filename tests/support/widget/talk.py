"""Messages of widget visitors and their shops, as admission and persist leave them."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import new_ulid, utc_now
from domain.core.contracts import RunRef
from domain.widget.widget_session import VerifiedBy
from services.intake.admission import Admitted
from store.core.database import Database
from store.intake.events import EventRepository
from store.runs.tables import engine_messages
from store.widget.session_messages import SessionMessageRepository
from store.widget.visitor_sessions import WidgetSessionRepository
from tests.support.intake.admission import try_to_admit
from tests.support.tenants.shop import Shop

VERIFIED = "camille@free.example"


async def begin(
    database: Database,
    shop: Shop,
    *,
    email: str | None = None,
    now: datetime | None = None,
    session_id: str = "",
) -> str:
    """Create a session, and return its id. `email` is an address that a code has verified."""
    session_id, at = session_id or new_ulid(), now or utc_now()
    async with database.tenant(shop.tenant) as connection:
        sessions = WidgetSessionRepository(connection, shop.tenant)
        await sessions.open(session_id, "en", at)
        if email is not None:
            await sessions.verify(session_id, email, VerifiedBy.CODE, at)
    return session_id


async def ask(
    database: Database,
    shop: Shop,
    session_id: str,
    text: str = "question",
    *,
    now: datetime | None = None,
    **event: Any,
) -> RunRef:
    """Create a visitor's message."""
    done = await try_to_admit(database, shop, message=text, now=now, **event)
    assert isinstance(done, Admitted)
    await put_into(database, shop, session_id, done.ref)
    return done.ref


async def put_into(database: Database, shop: Shop, session_id: str, ref: RunRef) -> None:
    """Put an admitted event's message into a session."""
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_messages)
            .where(engine_messages.c.event_id == ref.event_id)
            .values(widget_session_id=session_id)
        )
        await SessionMessageRepository(connection, shop.tenant).number(ref.event_id, "inbound")


async def answer(
    database: Database,
    shop: Shop,
    ref: RunRef,
    text: str = "answer",
    *,
    author: str = "agent",
    now: datetime | None = None,
) -> int | None:
    """Create the answer to a message. Returns its number."""
    async with database.tenant(shop.tenant) as connection:
        return await answer_on(connection, shop, ref, text, author=author, now=now)


async def answer_on(
    connection: AsyncConnection,
    shop: Shop,
    ref: RunRef,
    text: str = "answer",
    *,
    author: str = "agent",
    now: datetime | None = None,
) -> int | None:
    await EventRepository(connection, shop.tenant).store_reply(
        ref.event_id, message_id=new_ulid(), author=author, body=text, now=now or utc_now()
    )
    return await SessionMessageRepository(connection, shop.tenant).number(ref.event_id, "outbound")
