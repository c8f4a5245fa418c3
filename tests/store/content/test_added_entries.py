"""Knowledge entries that are added from a file."""

import threading

import pytest

from adapters.system import new_ulid, utc_now
from domain.content.knowledge_file import FileEntry
from store.content import content
from store.content.content import ContentRepository, search_text
from store.content.tables import knowledge_entries
from store.core.database import Database
from tests.support.core.rows import rows
from tests.support.tenants.shop import Shop


async def test_the_texts_of_a_file_are_folded_in_a_thread(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folding half a million characters takes up to half a second."""
    on_loop = set[bool]()

    def folded(title: str, body: str) -> str:
        on_loop.add(threading.current_thread() is threading.main_thread())
        return search_text(title, body)

    monkeypatch.setattr(content, "search_text", folded)
    entries = [FileEntry(line=one, title=f"T{one}", body="Été", language="fr") for one in (1, 2)]
    async with database.tenant(shop.tenant) as connection:
        await ContentRepository(connection, shop.tenant).add_entries(entries, utc_now(), new_ulid)

    assert on_loop == {False}
    stored = await rows(database, knowledge_entries, of=shop)
    assert {one["search_text"] for one in stored} == {"t1\nete", "t2\nete"}
