"""The full database: all clients and messages at full scale, with all related rows.

The rows look as if the service had written them, in chronological order. Foreign keys are not
checked, and large tables' indexes are built at the end, four times as fast.
"""

import secrets
from datetime import datetime
from typing import Final

import psycopg
from psycopg import sql

from adapters.system import new_ulid
from bench.load import LoadShop
from domain.tenants.api_key import key_material, key_value
from domain.tenants.client import Plan

CLIENTS: Final = 10_000
MESSAGES: Final = 1_000_000
RECENT: Final = 100
"""Number of messages that each calling shop has already sent in the last hour: half of its
limit."""


def fill(
    owner_url: str,
    shops: tuple[LoadShop, ...],
    *,
    now: datetime,
    clients: int = CLIENTS,
    messages: int = MESSAGES,
) -> tuple[LoadShop, ...]:
    """Fill the database up to the given numbers of clients and messages, and return all clients.

    `shops` exist already. New clients get copies of the first client's content. Messages are spread
    over 90 days, and each of `shops` gets `RECENT` in the last hour.
    """
    made = tuple(_client() for _ in range(len(shops), clients))
    values = {
        "now": now, "shops": len(shops), "clients": clients, "messages": messages,
        "recent": RECENT, "first": shops[0].client_id, "plans": [str(plan) for plan in Plan],
    }  # fmt: skip
    with psycopg.connect(owner_url, autocommit=True, cursor_factory=psycopg.ClientCursor) as owner:
        owner.execute(_SETTINGS)
        owner.execute(_FILLED)
        with owner.cursor().copy(
            "COPY filled (number, client_id, digest, prefix) FROM STDIN"
        ) as to:
            for number, shop in enumerate((*shops, *made)):
                material = key_material(shop.key)
                assert material is not None  # noqa: S101 - the key is well-formed
                to.write_row((number, shop.client_id, material.digest, material.prefix))
        owner.execute(_INDEXES_REST, {"tables": list(_LARGE)})
        for statement in (*_CLIENTS, *_HISTORY):
            owner.execute(sql.SQL(statement), values)
        for table in _LARGE:
            owner.execute(sql.SQL("REINDEX TABLE {}").format(sql.Identifier(table)))
        for table in _SWEPT:
            owner.execute(sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier(table)))
        owner.execute("CHECKPOINT")
    return (*shops, *made)


def _client() -> LoadShop:
    return LoadShop(client_id=new_ulid(), key=key_value(secrets.token_bytes(16)))


_SETTINGS: Final = """
    SET session_replication_role = replica;
    SET work_mem = '256MB';
    SET maintenance_work_mem = '256MB';
    SET temp_buffers = '256MB';
    SET synchronous_commit = off;
    SET jit = off;
"""
_LARGE: Final = (
    "engine_events",
    "engine_messages",
    "engine_runs",
    "usage_ledger",
    "ai_conversations",
    "knowledge_entries",
    "response_templates",
)
# These indexes are not updated or used until REINDEX builds them.
_INDEXES_REST: Final = """
    UPDATE pg_index SET indisready = false, indisvalid = false
    WHERE indrelid = ANY (%(tables)s::regclass[])
"""
_FILLED: Final = """
    CREATE TEMP TABLE filled (
        number int PRIMARY KEY, client_id text NOT NULL, digest bytea NOT NULL, prefix text NOT NULL
    );
    CREATE FUNCTION pg_temp.ulid(at timestamptz, what text) RETURNS text LANGUAGE sql STABLE
    RETURN upper(lpad(to_hex((date_part('epoch', at) * 1000)::bigint), 12, '0')
        || substr(md5(what), 1, 14));
"""

# `made`: the clients to create.
_CLIENTS: Final = (
    """CREATE TEMP VIEW made AS
    SELECT number, client_id, digest, prefix, pg_temp.ulid(%(now)s, 'user' || number) AS user_id
    FROM filled WHERE number >= %(shops)s ORDER BY number""",
    """INSERT INTO users (id, email, created_at)
    SELECT user_id, 'owner@' || number || '.example', %(now)s FROM made""",
    """INSERT INTO clients (id, owner_user_id, brand_name, plan, created_at)
    SELECT client_id, user_id, 'Shop ' || number,
           (%(plans)s::text[])[1 + number %% cardinality(%(plans)s::text[])], %(now)s FROM made""",
    """INSERT INTO client_users (client_id, user_id, role, created_at)
    SELECT client_id, user_id, 'owner', %(now)s FROM made""",
    """INSERT INTO api_keys (client_id, id, digest, prefix, label, created_at)
    SELECT client_id, pg_temp.ulid(%(now)s, 'key' || number), digest, prefix, 'bench', %(now)s
    FROM made""",
    """INSERT INTO playbooks (client_id, id, version, is_active, created_at)
    SELECT made.client_id, pg_temp.ulid(%(now)s, made.client_id || id), version, is_active,
           created_at
    FROM made, playbooks AS first WHERE first.client_id = %(first)s""",
    """INSERT INTO playbook_versions
        (client_id, playbook_id, version, name, event_type, threshold, created_at)
    SELECT made.client_id, pg_temp.ulid(%(now)s, made.client_id || playbook_id), version, name,
           event_type, threshold, created_at
    FROM made, playbook_versions AS first WHERE first.client_id = %(first)s""",
    """INSERT INTO response_templates
        (client_id, id, name, category, language, body, intent, not_for, is_active, created_at)
    SELECT made.client_id, pg_temp.ulid(%(now)s, made.client_id || id), name, category, language,
           body, intent, not_for, is_active, created_at
    FROM made, response_templates AS first WHERE first.client_id = %(first)s""",
    """INSERT INTO knowledge_entries
        (client_id, id, title, body, language, search_text, created_at)
    SELECT made.client_id, pg_temp.ulid(%(now)s, made.client_id || id), title, body, language,
           search_text, created_at
    FROM made, knowledge_entries AS first WHERE first.client_id = %(first)s""",
)

# Every client has 25 customers, each with one conversation.
_HISTORY: Final = (
    """CREATE TEMP TABLE history AS
    SELECT n, client_id, at,
           pg_temp.ulid(at, 'event' || n) AS event_id,
           'customer' || customer || '@' || number || '.example' AS customer,
           pg_temp.ulid(%(now)s, client_id || customer) AS conversation_id
    FROM (
        SELECT n, n %% %(clients)s AS number, n / %(clients)s %% 25 AS customer,
               %(now)s::timestamptz - interval '90 days' * (1 - n / %(messages)s::float) AS at
        FROM generate_series(0, %(messages)s - 1) AS n
        UNION ALL
        SELECT %(messages)s + n, n %% %(shops)s, n / %(shops)s %% 25,
               %(now)s::timestamptz
               - interval '50 minutes' * (1 - n / (%(shops)s * %(recent)s)::float)
        FROM generate_series(0, %(shops)s * %(recent)s - 1) AS n
    ) AS messages JOIN filled USING (number)
    ORDER BY at""",
    "ANALYZE history",
    """INSERT INTO ai_conversations
        (client_id, id, key, memory_key, channel, customer_email, turns, summary, created_at,
         last_message_at)
    SELECT client_id, conversation_id, 'email:' || customer, 'email:' || customer, 'shopify',
           customer,
           '[{"author": "customer", "body": "Bonjour, où en est ma commande ?"}]', '',
           min(at), max(at)
    FROM history GROUP BY client_id, conversation_id, customer ORDER BY min(at)""",
    """INSERT INTO customer_memories (client_id, key, summary, updated_at)
    SELECT client_id, 'email:' || customer, 'order_status: answered', max(at)
    FROM history GROUP BY client_id, customer""",
    """INSERT INTO customers
        (client_id, id, key, name, is_verified, first_contact_at, last_contact_at)
    SELECT client_id, conversation_id, customer, 'Camille Martin', true, min(at), max(at)
    FROM history GROUP BY client_id, conversation_id, customer""",
    """INSERT INTO customer_words (client_id, word, customer_id)
    SELECT client_id, word, id
    FROM customers, LATERAL (VALUES ('camille'), ('martin'), (key)) AS words (word)""",
    """INSERT INTO engine_events
        (client_id, id, source, event_type, customer_email, message, text, payload, unified,
         outcome, received_at)
    SELECT client_id, event_id, 'shopify', 'shopify.ticket_created', customer, said, said,
           jsonb_build_object('order_number', n),
           jsonb_build_object('channel', 'shopify', 'customer_email', customer), 'run', at
    FROM history, LATERAL (
        SELECT 'Bonjour, où en est ma commande n° ' || n || ' ? Je l''attends depuis lundi.'
    ) AS customers (said)""",
    """INSERT INTO engine_messages
        (client_id, id, event_id, conversation_id, direction, channel, customer_key, normalized_key,
         author, body, created_at)
    SELECT client_id, pg_temp.ulid(at, 'message' || n), event_id, conversation_id, 'inbound',
           'shopify', customer, customer, 'customer',
           'Bonjour, où en est ma commande n° ' || n || ' ? Je l''attends depuis lundi.', at
    FROM history""",
    """INSERT INTO engine_runs
        (client_id, id, event_id, playbook_id, playbook_version, status, classification, confidence,
         language, draft, response, answer, duration_ms, received_at, answered_at, finished_at)
    SELECT client_id, pg_temp.ulid(at, 'run' || n), event_id, playbook.id, playbook.version,
           'completed', 'order_status', 0.9, 'fr', said, said,
           jsonb_build_object('event_id', event_id, 'status', 'completed', 'response', said),
           60, at, at, at
    FROM history JOIN (
        SELECT DISTINCT ON (client_id) client_id, id, version FROM playbooks ORDER BY client_id, id
    ) AS playbook USING (client_id), LATERAL (
        SELECT 'Bonjour, votre commande n° ' || n || ' est en route ; elle arrive demain.'
    ) AS answers (said)""",
    """INSERT INTO usage_ledger (client_id, event_id, period, paid_by, created_at)
    SELECT client_id, event_id, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM'), 'quota', at
    FROM history""",
    """INSERT INTO usage_counters (client_id, period, tickets_used)
    SELECT client_id, period, count(*) FROM usage_ledger GROUP BY client_id, period""",
)

_SWEPT: Final = (
    "users", "clients", "client_users", "api_keys", "playbooks", "playbook_versions",
    "response_templates", "knowledge_entries", "ai_conversations", "customer_memories",
    "customers", "customer_words", "engine_events",
    "engine_messages", "engine_runs", "usage_ledger", "usage_counters",
)  # fmt: skip
