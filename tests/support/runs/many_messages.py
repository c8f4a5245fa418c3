"""Many conversations and messages of a client, inserted at once."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from tests.support.analytics.days import ulid_at
from tests.support.tenants.shop import Shop

_CONVERSATIONS: Final = sa.text("""
    INSERT INTO ai_conversations (client_id, id, key, channel, summary, created_at, last_message_at)
    SELECT :client_id, :first || lpad(talk::text, 12, '0'), :first || talk, 'api', '', :at, :at
    FROM generate_series(1, :conversations) AS talk
""")
_EVENTS: Final = sa.text("""
    INSERT INTO engine_events (client_id, id, event_type, received_at, outcome)
    SELECT :client_id, :first || lpad(talk::text, 6, '0') || lpad(said::text, 6, '0'), 'x', :at,
           'run'
    FROM generate_series(1, :conversations) AS talk, generate_series(1, :messages) AS said
""")
_MESSAGES: Final = sa.text("""
    INSERT INTO engine_messages
        (client_id, id, event_id, conversation_id, direction, author, body, created_at)
    SELECT :client_id, :first || lpad(talk::text, 6, '0') || lpad(said::text, 6, '0'),
           :first || lpad(talk::text, 6, '0') || lpad(said::text, 6, '0'),
           :first || lpad(talk::text, 12, '0'), 'inbound', 'customer', :body,
           CAST(:at AS timestamptz) + said * interval '1 second'
    FROM generate_series(1, :conversations) AS talk, generate_series(1, :messages) AS said
""")
_RUNS: Final = sa.text("""
    INSERT INTO engine_runs
        (client_id, id, event_id, playbook_id, playbook_version, status, received_at)
    SELECT :client_id, :first || lpad(talk::text, 6, '0') || lpad(said::text, 6, '0'),
           :first || lpad(talk::text, 6, '0') || lpad(said::text, 6, '0'), :playbook_id, 1,
           'completed', :at
    FROM generate_series(1, :conversations) AS talk, generate_series(1, :messages) AS said
""")


@dataclass(frozen=True)
class Many:
    """`conversations` conversations of `messages` messages each, all with the same `body`."""

    conversations: int
    messages: int
    body: str = "b"
    with_runs: bool = False


async def insert_many(
    connection: AsyncConnection, shop: Shop, many: Many, at: datetime
) -> list[str]:
    """Insert the conversations at a time, and return their ids, oldest first."""
    first = ulid_at(at)[:14]
    given = {"client_id": shop.client_id, "first": first, "at": at}
    sizes = {"conversations": many.conversations, "messages": many.messages}
    await connection.execute(_CONVERSATIONS, {**given, "conversations": many.conversations})
    await connection.execute(_EVENTS, {**given, **sizes})
    await connection.execute(_MESSAGES, {**given, **sizes, "body": many.body})
    if many.with_runs:
        await connection.execute(_RUNS, {**given, **sizes, "playbook_id": shop.playbook_id})
    return [f"{first}{number:012}" for number in range(1, many.conversations + 1)]
