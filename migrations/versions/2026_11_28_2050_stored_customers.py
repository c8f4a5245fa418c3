"""fill the index of customers from the stored messages

An id is made of the digest of the client and the address, so that the migration is repeatable. A
customer who writes again gets the words that `domain/customers/customer_words.py` makes.

Revision: d4728c15be03
Follows: 93b6ad20f7e5
"""

from alembic import op

revision = "d4728c15be03"
down_revision = "93b6ad20f7e5"
branch_labels = None
depends_on = None

# As `customer_key` does it, except for rare letters.
_KEYS = """
    UPDATE engine_messages AS message
    SET normalized_key = nullif(btrim(normalize(replace(lower(normalize(
        event.unified ->> 'customer_email', NFKC)), 'ß', 'ss'), NFKC)), '')
    FROM engine_events AS event
    WHERE event.client_id = message.client_id AND event.id = message.event_id
      AND message.direction = 'inbound' AND message.normalized_key IS NULL
      AND event.unified ->> 'customer_email' IS NOT NULL
"""
# A digest in upper-case hexadecimal after a "0" has the form of a ULID.
_CUSTOMERS = """
    INSERT INTO customers
        (client_id, id, key, name, is_verified, first_contact_at, last_contact_at)
    SELECT message.client_id,
           '0' || upper(left(md5(message.client_id || '/' || message.normalized_key), 25)),
           message.normalized_key,
           (array_agg(event.unified ->> 'customer_name'
                      ORDER BY sender.is_verified DESC, message.created_at DESC)
               FILTER (WHERE event.unified ->> 'customer_name' IS NOT NULL))[1],
           bool_or(sender.is_verified), min(message.created_at), max(message.created_at)
    FROM engine_messages AS message
    JOIN engine_events AS event
      ON event.client_id = message.client_id AND event.id = message.event_id
    CROSS JOIN LATERAL (SELECT coalesce(
        event.unified -> 'customer_verified' = 'true'
        AND coalesce(event.unified -> 'sender_authenticated', 'true') = 'true', false
    ) AS is_verified) AS sender
    WHERE message.direction = 'inbound' AND message.normalized_key IS NOT NULL
      AND message.conversation_id IS NOT NULL AND event.erased_at IS NULL
    GROUP BY message.client_id, message.normalized_key
    ON CONFLICT (client_id, key) DO NOTHING
"""
_WORDS = r"""
    INSERT INTO customer_words (client_id, word, customer_id)
    SELECT client_id, left(word, 100), id FROM customers
    CROSS JOIN LATERAL (
        SELECT key AS word UNION
        SELECT regexp_split_to_table(
            regexp_replace(
                replace(lower(normalize(coalesce(name, '') || ' ' || key, NFKD)), 'ß', 'ss'),
                '[\u0300-\u036f]', '', 'g'),
            '(?:\W|_)+')
    ) AS words
    WHERE word <> ''
    ON CONFLICT DO NOTHING
"""


def upgrade() -> None:
    op.execute("SET LOCAL ROLE engine_service")
    op.execute(_KEYS)
    op.execute(_CUSTOMERS)
    op.execute(_WORDS)
    op.execute("RESET ROLE")


def downgrade() -> None:
    op.execute("SET LOCAL ROLE engine_service")
    op.execute("DELETE FROM customers")
    op.execute("RESET ROLE")
