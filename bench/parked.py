"""The gateway with 10,000 pending reviews.

Some or all are real runs that wait in Temporal, sent through the gateway, a few per second. The
others are copied rows without a workflow.
"""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import orjson
import psycopg
from psycopg import sql

from bench.contenders import GatewayContender
from bench.driver import Exchange, Exchanged, connections
from bench.http_client import HttpClient
from bench.load import LoadShop

REVIEWS: Final = 10_000
REAL: Final = 500
"""The number of real runs, unless all reviews are real."""

_AT_ONCE: Final = 16
# This number is below the limit of 200 messages that a client may send in an hour.
_EACH: Final = 190
_GATEWAY: Final = "/api/engine/gateway"
_QUESTION: Final = "Bonjour, est-ce que vous pourriez me rappeler pour en discuter ?"


class ParkedContender(GatewayContender):
    """The service with pending reviews. After its start, `real` runs are held for review, in shops
    that are not measured."""

    def __init__(self, name: str, folder: Path, *, real: int) -> None:
        super().__init__(name, folder)
        self._real = real
        self._askers: tuple[LoadShop, ...] = ()

    async def start(self) -> None:
        await super().start()
        questions = itertools.islice(_questions(self._askers), self._real)
        async with connections(self.port) as on_one, asyncio.TaskGroup() as group:
            for _ in range(_AT_ONCE):
                group.create_task(_park(questions, on_one))
        await asyncio.to_thread(copy_up_to, self.owner_url, REVIEWS)

    async def _fill(self) -> None:
        number = -(-self._real // _EACH)
        self._askers = tuple([await self._shop(1_000 + n) for n in range(number)])


async def _park(
    questions: Iterator[tuple[LoadShop, bytes]], on_one: Callable[[Exchange], Exchanged]
) -> None:
    """Send the remaining questions, one at a time. Raises RuntimeError if a question does not
    result in a pending review."""
    for shop, body in questions:

        def ask(client: HttpClient, shop: LoadShop = shop, body: bytes = body) -> Exchanged:
            return client.post(_GATEWAY, shop.key, body)

        status, answer = await on_one(ask)
        if status != 200 or orjson.loads(answer)["status"] != "needs_review":
            raise RuntimeError(f"not parked: HTTP {status}: {answer[:300]!r}")


def _questions(shops: tuple[LoadShop, ...]) -> Iterator[tuple[LoadShop, bytes]]:
    for number, shop in enumerate(itertools.cycle(shops)):
        body = {
            "client_id": shop.client_id,
            "event_type": "shopify.ticket.created",
            "source": "shopify",
            "customer_email": f"parked-{number}@example.com",
            "message": _QUESTION,
        }
        yield shop, orjson.dumps(body)


def copy_up_to(owner_url: str, reviews: int) -> None:
    """Copy the existing reviews, with all related rows, until the total reaches the given number.
    Raises RuntimeError if the resulting number differs."""
    with psycopg.connect(owner_url, autocommit=True, cursor_factory=psycopg.ClientCursor) as owner:
        owner.execute(_SETTINGS)
        owner.execute(_COPIES, {"reviews": reviews})
        for statement in _COPY:
            owner.execute(sql.SQL(statement))
        found = owner.execute("SELECT count(*) FROM escalation_tickets").fetchone()
        if found != (reviews,):
            raise RuntimeError(f"{found} reviews, not {reviews}")
        for table in _SWEPT:
            owner.execute(sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier(table)))


# Foreign keys are not checked on insert, as in a restore from a backup.
_SETTINGS: Final = """
    SET session_replication_role = replica;
    SET synchronous_commit = off;
    CREATE FUNCTION pg_temp.copied(id text, n int) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN '0' || upper(substr(md5(id || n), 1, 25));
"""
_COPIES: Final = """
    CREATE TEMP TABLE copies AS
    WITH real AS (
        SELECT ticket.client_id, ticket.id, ticket.run_id, run.event_id
        FROM escalation_tickets AS ticket
        JOIN engine_runs AS run ON run.client_id = ticket.client_id AND run.id = ticket.run_id
    ), number AS (SELECT count(*)::int AS real FROM real)
    SELECT real.*, n FROM number, real,
        generate_series(1, %(reviews)s / number.real) AS n
    ORDER BY n LIMIT %(reviews)s - (SELECT number.real FROM number)
"""
_COPY: Final = (
    """INSERT INTO engine_events SELECT made.* FROM copies
    JOIN engine_events AS one ON one.client_id = copies.client_id AND one.id = copies.event_id,
    jsonb_populate_record(one, jsonb_build_object('id', pg_temp.copied(one.id, n))) AS made""",
    """INSERT INTO engine_messages SELECT made.* FROM copies
    JOIN engine_messages AS one USING (client_id, event_id),
    jsonb_populate_record(one, jsonb_build_object(
        'id', pg_temp.copied(one.id, n), 'event_id', pg_temp.copied(one.event_id, n))) AS made""",
    """INSERT INTO usage_ledger SELECT made.* FROM copies
    JOIN usage_ledger AS one USING (client_id, event_id),
    jsonb_populate_record(one, jsonb_build_object(
        'event_id', pg_temp.copied(one.event_id, n))) AS made""",
    """INSERT INTO engine_runs SELECT made.* FROM copies
    JOIN engine_runs AS one ON one.client_id = copies.client_id AND one.id = copies.run_id,
    jsonb_populate_record(one, jsonb_build_object(
        'id', pg_temp.copied(one.id, n), 'event_id', pg_temp.copied(one.event_id, n))) AS made""",
    """INSERT INTO escalation_tickets SELECT made.* FROM copies
    JOIN escalation_tickets AS one USING (client_id, id),
    jsonb_populate_record(one, jsonb_build_object(
        'id', pg_temp.copied(one.id, n), 'run_id', pg_temp.copied(one.run_id, n))) AS made""",
)
_SWEPT: Final = (
    "engine_events", "engine_messages", "usage_ledger", "engine_runs", "escalation_tickets"
)  # fmt: skip
