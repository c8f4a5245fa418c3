"""Messages of one conversation, as normalization leaves them."""

from datetime import datetime

from adapters.system import new_ulid, utc_now
from domain.core.contracts import RunRef
from domain.intake.event import Channel, UnifiedEvent
from services.intake.admission import Admitted
from store.core.database import Database
from store.intake.events import EventRepository
from store.runs.conversations import ConversationRepository
from tests.support.intake.admission import try_to_admit
from tests.support.tenants.shop import Shop

CUSTOMER = "a@b.example"


async def write(
    database: Database,
    shop: Shop,
    text: str = "question",
    *,
    key: str = f"email:{CUSTOMER}",
    customer: str = CUSTOMER,
    now: datetime | None = None,
) -> RunRef:
    """One more message of the conversation with this key, admitted and filed."""
    at = now or utc_now()
    admitted = await try_to_admit(database, shop, customer_email=customer, message=text, now=at)
    assert isinstance(admitted, Admitted)
    ref = admitted.ref
    async with database.tenant(shop.tenant) as connection:
        opened = await ConversationRepository(connection, shop.tenant).open(
            key,
            event_id=ref.event_id,
            conversation_id=new_ulid(),
            channel=Channel.API,
            customer_email=customer,
            memory_key=f"email:{customer}",
            now=at,
        )
        await EventRepository(connection, shop.tenant).save_unified(
            ref.event_id,
            UnifiedEvent(channel=Channel.API, customer_email=customer, text=text),
            conversation_id=opened.id,
        )
    return ref
