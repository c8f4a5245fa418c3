"""The end of a delivery: what it does to its webhook, in one statement under the webhook's lock.

Everything that ends or adds deliveries by hand locks the webhook's row first, as a statement of its
own: what the next one reads is then as fresh as the lock. Hence the count is exact, however many
deliveries of a webhook end at once, and only one of them is the one that disables it.
"""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.webhooks.webhook import DISABLED_AT, KEPT_DELIVERIES, WARNED_AT

# NO KEY: deliveries that point to it can be written meanwhile.
_LOCK: Final = sa.text("""
    SELECT is_active FROM webhook_subscriptions
    WHERE client_id = :client_id AND id = :webhook_id
    FOR NO KEY UPDATE
""")

# What a try's result is made of.
_RESULT: Final = "status, attempt, next_attempt_at, failure_count_after, disabled_webhook"

# Whoever ends a try first has ended it: a repetition finds that its number has been reached.
_NOT_ENDED: Final = """
    client_id = :client_id AND id = :delivery_id AND status = 'pending' AND attempt < :attempt
"""
_RECORD: Final = """
    attempt = :attempt, url = :url, failure_kind = :failure_kind, error = :error,
    response_status = :response_status, response_body = :response_body, remote_ip = :remote_ip,
    request_headers = :request_headers, duration_ms = :duration_ms, dns_ms = :dns_ms,
    connect_ms = :connect_ms, first_byte_ms = :first_byte_ms, sent_at = :sent_at
"""


def _ending(change: str) -> str:
    """The statement that ends a delivery with `change` of its row.

    `counted` is empty for a test, and for a webhook that is disabled already. The one that ends now
    is always among those that are kept, or a repetition of it would not find its result. One that
    the owner must hear of is kept for a day beside them: many others may end, being skipped, before
    a worker that died is noticed, or while the mail server is away.
    """
    return f"""
    WITH counted AS (
        SELECT CASE WHEN :succeeded THEN 0 ELSE failure_count + 1 END AS failure_count,
               NOT :succeeded AND (:gone OR failure_count + 1 >= :most) AS disables
        FROM webhook_subscriptions
        WHERE client_id = :client_id AND id = :webhook_id AND is_active AND :counts
    ), ended AS (
        UPDATE webhook_deliveries
        SET {change}, next_attempt_at = NULL, finished_at = :now,
            failure_count_after = (SELECT failure_count FROM counted),
            disabled_webhook = COALESCE((SELECT disables FROM counted), false)
        WHERE {_NOT_ENDED}
        RETURNING event_id, {_RESULT}
    ), webhook AS (
        UPDATE webhook_subscriptions AS webhook
        SET failure_count = counted.failure_count,
            is_active = NOT counted.disables,
            disabled_at = CASE WHEN counted.disables THEN CAST(:now AS timestamptz) END,
            disabled_reason = CASE
                WHEN counted.disables AND counted.failure_count >= :most THEN 'failures'
                WHEN counted.disables THEN 'gone'
            END
        FROM counted, ended
        WHERE webhook.client_id = :client_id AND webhook.id = :webhook_id
    ), pruned AS (
        DELETE FROM webhook_deliveries
        WHERE client_id = :client_id AND EXISTS (SELECT FROM ended) AND id IN (
            SELECT id FROM webhook_deliveries
            WHERE client_id = :client_id AND webhook_id = :webhook_id AND status <> 'pending'
            ORDER BY finished_at DESC, id DESC
            OFFSET :kept - 1
        ) AND NOT (
            (disabled_webhook OR COALESCE(failure_count_after = ANY(:warned), false))
            AND finished_at > CAST(:now AS timestamptz) - interval '1 day'
        )
    ), missed AS (
        INSERT INTO webhook_misses (client_id, webhook_id, event_id, created_at)
        SELECT :client_id, :webhook_id, event.id, event.created_at
        FROM ended
        JOIN outbox AS event ON event.client_id = :client_id AND event.id = ended.event_id
        WHERE NOT :succeeded AND event.body IS NOT NULL
        ON CONFLICT DO NOTHING
    ), got AS (
        DELETE FROM webhook_misses AS miss USING ended
        WHERE :succeeded AND miss.client_id = :client_id AND miss.webhook_id = :webhook_id
          AND miss.event_id = ended.event_id
    )
    SELECT {_RESULT} FROM ended
    """  # noqa: S608 - of constants


_HEADERS: Final = sa.bindparam("request_headers", type_=JSONB)
_LIMITS: Final = {"most": DISABLED_AT, "warned": list(WARNED_AT), "kept": KEPT_DELIVERIES}

END: Final = sa.text(_ending(f"status = :status, {_RECORD}")).bindparams(_HEADERS, **_LIMITS)
SKIP: Final = sa.text(_ending("status = 'skipped'")).bindparams(
    succeeded=False, gone=False, counts=False, **_LIMITS
)
# A try after which another one follows touches nothing but its delivery.
RETRY: Final = sa.text(f"""
    UPDATE webhook_deliveries SET {_RECORD}, next_attempt_at = :next_attempt_at
    WHERE {_NOT_ENDED} RETURNING {_RESULT}
""").bindparams(_HEADERS)  # noqa: S608 - of constants
RESULT: Final = sa.text(f"""
    SELECT {_RESULT} FROM webhook_deliveries WHERE client_id = :client_id AND id = :delivery_id
""")  # noqa: S608 - of constants


async def lock_webhook(
    connection: AsyncConnection, tenant: TenantId, webhook_id: str
) -> bool | None:
    """Lock it until the transaction ends; whether it is active, None if there is none."""
    active: bool | None = await connection.scalar(
        _LOCK, {"client_id": tenant, "webhook_id": webhook_id}
    )
    return active
