"""A conversation of any length: memory use does not grow with it, and nothing is lost."""

import csv
import io
import json
from contextlib import aclosing
from typing import Any

import psycopg
import pytest

from domain.exports.export import Section
from domain.exports.reader import RawRecord, read_export
from store.core.database import Database
from store.core.snapshot import PIECE
from store.exports.csv_form import CsvRendering
from store.exports.export import Export, Rendering
from store.exports.json_form import JsonRendering
from store.exports.pieces import TOGETHER
from tests.support.core.postgres import as_owner
from tests.support.exports.export import add_conversations
from tests.support.tenants.shop import Shop

AT = "2026-01-01T00:00:00.000Z"
FORMS = [JsonRendering(), CsvRendering()]
# Characters that a format must escape.
BODIES = (
    "Où est ma commande ?",
    'say "hi"',
    "a\r\n##b",
    "x; =1;＝2;@3\u2028## client (1)",
    "\\;-1",
)


def add_messages(
    database_url: str,
    shop: Shop,
    of: str,
    number: int,
    *,
    weight: int = 1,
    bodies: tuple[str, ...] = BODIES,
) -> None:
    """Add messages to the conversation with that key; `weight`: how often each body is repeated."""
    with psycopg.connect(as_owner(database_url)) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(
            "INSERT INTO engine_messages (client_id, id, event_id, conversation_id, direction, "
            "channel, author, body, created_at) SELECT %(client)s, m, m, c.id, 'inbound', 'api', "
            "'customer', repeat((%(bodies)s::text[])[1 + n %% %(kinds)s], %(weight)s), "
            # Two in each second: their id determines the order.
            "timestamptz '2026-01-01' + n / 2 * interval '1 second' "
            "FROM ai_conversations AS c, generate_series(1, %(number)s) AS n, "
            "lpad(n::text, 20, '0') AS zeros, concat('02', lpad(c.key, 4, '0'), zeros) AS m "
            "WHERE c.client_id = %(client)s AND c.key = %(of)s",
            {
                "client": shop.client_id,
                "bodies": list(bodies),
                "kinds": len(bodies),
                "number": number,
                "of": of,
                "weight": weight,
            },
        )


async def file_of(database: Database, shop: Shop, form: Rendering) -> bytes:
    def skipped(section: Section, sqlstate: str, error: Exception) -> None:
        raise AssertionError(f"{section}: {sqlstate}") from error

    async with (
        database.snapshot(shop.tenant) as snapshot,
        aclosing(Export(snapshot, form, skipped=skipped).pieces(AT)) as pieces,
    ):
        return b"".join([piece async for piece in pieces])


def messages_in(file: bytes, form: Rendering) -> list[list[dict[str, Any]]]:
    """Return the messages of each conversation, as a reader of the format parses them."""
    if isinstance(form, JsonRendering):
        records = [one for one in read_export(io.BytesIO(file)) if isinstance(one, RawRecord)]
        for record in records:
            record.check()
        found = json.loads(file)[Section.AI_CONVERSATIONS]
        return [record["messages"] for record in found]
    rows = list(csv.reader(io.StringIO(file.decode("utf-8-sig"), newline=""), strict=True))
    begin = next(n for n, row in enumerate(rows) if row[0].startswith("## ai_conversations"))
    number = int(rows[begin][0].partition("(")[2].rstrip(")"))
    return [json.loads(row[-1]) for row in rows[begin + 2 : begin + 2 + number]]


@pytest.mark.parametrize("form", FORMS)
async def test_every_message_once_and_in_order(
    database: Database, database_url: str, shop: Shop, form: Rendering
) -> None:
    """Around the chunk size, and for a conversation between two others."""
    numbers = [0, 1, TOGETHER - 1, TOGETHER, TOGETHER + 1, 5 * TOGETHER, 2]
    add_conversations(database_url, shop, len(numbers))
    for key, number in enumerate(numbers, start=1):
        add_messages(database_url, shop, str(key), number)

    found = messages_in(await file_of(database, shop, form), form)

    assert [len(messages) for messages in found] == numbers
    for messages in found:
        bodies = [BODIES[n % 5] for n in range(1, len(messages) + 1)]
        assert [message["body"] for message in messages] == bodies


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
async def test_a_long_conversation_leaves_in_small_pieces(
    database: Database, database_url: str, shop: Shop, form: Rendering
) -> None:
    """100,000 messages with 50 MB: no row from PostgreSQL is as large as a few chunks."""
    number = 100_000
    add_conversations(database_url, shop, 1)
    add_messages(database_url, shop, "1", number, weight=20, bodies=("Où est ma commande ? ",))
    heaviest = total = count = 0
    async with database.snapshot(shop.tenant) as snapshot:
        file = Export(snapshot, form, skipped=lambda *_: None)
        async with aclosing(file.pieces(AT)) as pieces:
            async for piece in pieces:
                heaviest = max(heaviest, len(piece))
                total += len(piece)
                count += piece.count(b"direction")

    assert count == number
    assert total > 50 * 1024 * 1024
    assert heaviest < 4 * PIECE
