"""The end of a delivery, and the effect on its webhook, in one statement under the webhook's lock.

A separate statement takes the lock before, so that this one sees current data. The failure count is
therefore exact, and only one delivery disables the webhook.
"""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.webhooks.webhook import DISABLED_AT, KEPT_DELIVERIES, WARNED_AT

# The lock mode is NO KEY, so that deliveries with a foreign key to the webhook can be inserted
# while the lock is held.
_LOCK: Final = sa.text("""
    SELECT is_active FROM webhook_subscriptions
    WHERE client_id = :client_id AND id = :webhook_id
    FOR NO KEY UPDATE
""")

_RESULT: Final = "status, attempt, next_attempt_at, failure_count_after, disabled_webhook"

# Only the first writer ends an attempt. A repeated write changes nothing because the stored attempt
# number is already equal or higher.
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
    """Return the statement that ends a delivery and applies `change` to its row. `counted` has no
    row for a test or a disabled webhook.

    The ending delivery is always kept, so that a repeated call finds its result. Deliveries about
    which the owner is notified are kept for a day, so that skipped ones do not displace them.
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
# An attempt that will be retried changes only its delivery.
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
    """Lock a webhook until the transaction ends, and return whether it is active. Return None if
    the webhook does not exist."""
    active: bool | None = await connection.scalar(
        _LOCK, {"client_id": tenant, "webhook_id": webhook_id}
    )
    return active
