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
    now: datetime | None = None,
) -> RunRef:
    """One more message of the conversation with this key, admitted and filed."""
    at = now or utc_now()
    admitted = await try_to_admit(database, shop, customer_email=CUSTOMER, message=text, now=at)
    assert isinstance(admitted, Admitted)
    ref = admitted.ref
    async with database.tenant(shop.tenant) as connection:
        conversation_id = await ConversationRepository(connection, shop.tenant).open(
            key,
            conversation_id=new_ulid(),
            channel=Channel.API,
            customer_email=CUSTOMER,
            now=at,
        )
        await EventRepository(connection, shop.tenant).save_unified(
            ref.event_id,
            UnifiedEvent(channel=Channel.API, customer_email=CUSTOMER, text=text),
            conversation_id=conversation_id,
        )
    return ref
