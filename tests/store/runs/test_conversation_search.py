"""Searches for words in conversations: the words that are found, and the limits of a search."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import utc_now
from store.core.database import Database
from store.runs import conversation_search
from store.runs.conversation_search import (
    LOOKED_THROUGH,
    MESSAGES_OF_ONE,
    READ_CHARS,
    ConversationSearch,
    ConversationSearcher,
)
from store.runs.tables import engine_messages
from tests.support.runs.conversation import write
from tests.support.runs.many_messages import Many, insert_many
from tests.support.tenants.shop import Shop

_WORDS: Final = "Le parcours du colis est suivi, mais la livraison prévue a été annoncée. "
LONG: Final = (_WORDS * READ_CHARS)[:READ_CHARS]
# The stem of each word differs from its beginning.
_HARD: Final = (
    "achète siècles célèbre règlent fréquence évidemment constamment heureuses journaux "
    "publication possibilité première yeux dying skies parties hoping probability relational "
    "ENTIÈREMENT remboursées commençons"
)


async def all_pages(
    database: Database, shop: Shop, wanted: ConversationSearch, *, limit: int = 5
) -> tuple[list[str], int]:
    """Return the ids of all matches, and the number of searches."""
    found: list[str] = []
    before: str | None = None
    for searches in range(1, 1000):
        async with database.reading(shop.tenant) as connection:
            page = await ConversationSearcher(connection, shop.tenant).search(
                wanted, before=before, limit=limit
            )
        shown = [one.id for one in page.conversations]
        found += shown
        behind = shown[-1] if len(shown) == limit else page.until
        if behind is None:
            return found, searches
        assert before is None or behind < before
        before = behind
    raise AssertionError("the search does not end")


@asynccontextmanager
async def filling(database: Database, shop: Shop) -> AsyncIterator[AsyncConnection]:
    async with database.tenant(shop.tenant, patience_s=300) as connection:
        await connection.execute(sa.text("SET LOCAL statement_timeout = 0"))
        yield connection


@pytest.mark.alone
async def test_one_search_reads_three_long_messages_of_a_thousand_conversations(
    database: Database, shop: Shop
) -> None:
    """Earlier, such a search always reached the statement timeout."""
    async with filling(database, shop) as connection:
        many = Many(LOOKED_THROUGH, 3, LONG)
        oldest, *_ = await insert_many(connection, shop, many, utc_now())
        await connection.execute(
            sa.update(engine_messages)
            .where(engine_messages.c.conversation_id == oldest)
            .values(body=f"{LONG[:3_000]} porcelaines")
        )

    found, searches = await all_pages(database, shop, ConversationSearch("porcelaine"))

    assert found == [oldest]
    assert searches <= 2


async def test_texts_that_all_look_like_matches_are_parsed_page_by_page(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each text contains the beginnings of the words, and only one contains the words."""
    monkeypatch.setattr(conversation_search, "_PARSED_BYTES", 10_000)
    async with filling(database, shop) as connection:
        many = Many(40, 2, "remboue livraison " * 50)
        ids = await insert_many(connection, shop, many, utc_now())
        await connection.execute(
            sa.update(engine_messages)
            .where(engine_messages.c.conversation_id.in_((ids[3], ids[30])))
            .values(body="Remboursements et livraisons")
        )

    wanted = ConversationSearch("remboursement livraison")
    found, searches = await all_pages(database, shop, wanted)

    assert found == [ids[30], ids[3]]
    assert searches > 5


async def test_a_search_ends_at_its_size_and_the_next_one_goes_on(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation_search, "_EXAMINED_BYTES", 5_000)
    async with filling(database, shop) as connection:
        ids = await insert_many(connection, shop, Many(30, 3, "Un colis" + " b" * 200), utc_now())

    found, searches = await all_pages(database, shop, ConversationSearch("colis"))

    assert found == ids[::-1]
    assert searches > 5


def test_every_search_makes_progress() -> None:
    largest = MESSAGES_OF_ONE * (4 * READ_CHARS + conversation_search._OF_A_TEXT)
    assert largest < min(conversation_search._PARSED_BYTES, conversation_search._EXAMINED_BYTES)


async def test_the_newest_messages_of_a_long_conversation_are_searched(
    database: Database, shop: Shop
) -> None:
    async with filling(database, shop) as connection:
        talk, *_ = await insert_many(connection, shop, Many(1, MESSAGES_OF_ONE + 1), utc_now())
        messages = (
            await connection.scalars(
                sa.select(engine_messages.c.id)
                .where(engine_messages.c.conversation_id == talk)
                .order_by(engine_messages.c.created_at)
            )
        ).all()
        for message_id, body in ((messages[0], "ancien"), (messages[1], "récent")):
            await connection.execute(
                sa.update(engine_messages)
                .where(engine_messages.c.id == message_id)
                .values(body=body)
            )

    assert await all_pages(database, shop, ConversationSearch("ancien")) == ([], 1)
    assert await all_pages(database, shop, ConversationSearch("récent")) == ([talk], 1)


async def test_words_and_customer_are_both_required(database: Database, shop: Shop) -> None:
    now = utc_now()
    for place, (text, name) in enumerate((("le colis", "a"), ("le colis", "b"), ("non", "a"))):
        await write(
            database,
            shop,
            text,
            key=f"email:{place}",
            customer=f"{name}@b.example",
            now=now + timedelta(seconds=place),
        )

    found, _ = await all_pages(database, shop, ConversationSearch("colis", "A@b.example"))

    assert len(found) == 1


@pytest.mark.parametrize("language", ["french", "english"])
async def test_a_words_pattern_matches_the_word(
    database: Database, shop: Shop, language: str
) -> None:
    async with database.reading(shop.tenant) as connection:
        for word in _HARD.split():
            stems = await connection.scalar(
                sa.text(f"SELECT tsvector_to_array(to_tsvector('{language}', :word))"),
                {"word": word},
            )
            patterns = conversation_search._patterns(stems)
            assert patterns is None or await connection.scalar(
                sa.text("SELECT lower(:word) LIKE ALL (CAST(:patterns AS text[]))"),
                {"word": word, "patterns": patterns},
            ), (word, patterns)


@given(stem=st.text(min_size=1, max_size=12))
def test_a_pattern_has_no_wildcards_of_the_word(stem: str) -> None:
    inside = conversation_search._pattern(stem)[1:-1]
    plain = inside.replace("\\\\", "").replace("\\%", "").replace("\\_", "")
    assert "%" not in plain
    assert plain.count("_") <= sum(one in "eéèêë" for one in stem)
