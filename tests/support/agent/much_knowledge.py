"""A client with more knowledge than a language model's prompt contains."""

from adapters.system import new_ulid, utc_now
from domain.agent.size_limits import WHOLE_KNOWLEDGE_CHARS
from store.content.content import ContentRepository
from tests.support.core.engine import LiveEngine
from tests.support.tenants.shop import Shop

SHEDDING = "A new blanket sheds a little wool during the first month."


async def know_much(engine: LiveEngine, shop: Shop) -> None:
    """Store more knowledge than a prompt contains. One entry has other words than the customer."""
    about = {f"Garden tool {number}": "A tool for the garden. " * 400 for number in range(6)}
    assert sum(map(len, about.values())) > WHOLE_KNOWLEDGE_CHARS
    async with engine.database.tenant(shop.tenant) as connection:
        content = ContentRepository(connection, shop.tenant)
        for title, body in {**about, "Shedding of wool": SHEDDING}.items():
            await content.add_knowledge(
                entry_id=new_ulid(), title=title, body=body, language="en", now=utc_now()
            )
