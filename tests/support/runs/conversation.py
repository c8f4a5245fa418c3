"""Messages of one conversation, as normalization leaves them."""

from datetime import datetime, timedelta

from adapters.system import new_ulid, utc_now
from domain.core.contracts import RunRef
from domain.intake.event import Channel, UnifiedEvent
from domain.runs.conversation import THREAD_LASTS, memory_key
from services.intake.admission import Admitted
from store.core.database import Database
from store.customers.customer_index import CustomerIndex
from store.intake.events import EventRepository
from store.runs.conversations import ConversationRepository, Opened
from tests.support.intake.admission import try_to_admit
from tests.support.intake.proof import proved
from tests.support.tenants.shop import Shop

CUSTOMER = "a@b.example"
KEY = f"email:{CUSTOMER}"


async def write(
    database: Database,
    shop: Shop,
    text: str = "question",
    *,
    key: str = KEY,
    customer: str | None = CUSTOMER,
    now: datetime | None = None,
    channel: Channel = Channel.API,
) -> RunRef:
    """Create another message in the conversation with this key, admitted and assigned."""
    at = now or utc_now()
    ref = await admitted(database, shop, text, customer=customer, now=at)
    await filed(database, shop, ref, text, key=key, customer=customer, now=at, channel=channel)
    return ref


async def admitted(
    database: Database, shop: Shop, text: str = "question", *, customer: str | None, now: datetime
) -> RunRef:
    done = await try_to_admit(database, shop, customer_email=customer, message=text, now=now)
    assert isinstance(done, Admitted)
    return done.ref


async def filed(
    database: Database,
    shop: Shop,
    ref: RunRef,
    text: str = "question",
    *,
    key: str = KEY,
    customer: str | None = CUSTOMER,
    now: datetime,
    lasts: timedelta = THREAD_LASTS,
    channel: Channel = Channel.API,
) -> Opened:
    """Return the conversation of an admitted message."""
    event = UnifiedEvent(
        channel=channel, customer_email=customer, text=text, proved=proved(customer)
    )
    async with database.tenant(shop.tenant) as connection:
        opened = await ConversationRepository(connection, shop.tenant).open(
            key,
            event_id=ref.event_id,
            conversation_id=new_ulid(),
            channel=channel,
            customer_email=customer,
            memory_key=memory_key(event),
            now=now,
            lasts=lasts,
        )
        await EventRepository(connection, shop.tenant).save_unified(
            ref.event_id, event, conversation_id=opened.id
        )
        await CustomerIndex(connection, shop.tenant).keep(
            customer, None, is_verified=event.may_act, new_id=new_ulid, at=now
        )
    return opened


async def say(
    database: Database, shop: Shop, ref: RunRef, at: datetime, author: str = "agent"
) -> None:
    """Store the answer and then the memory, as persist does."""
    async with database.tenant(shop.tenant) as connection:
        await EventRepository(connection, shop.tenant).store_reply(
            ref.event_id, message_id=new_ulid(), author=author, body="answer", now=at
        )
        await ConversationRepository(connection, shop.tenant).remember(ref.event_id, at)
