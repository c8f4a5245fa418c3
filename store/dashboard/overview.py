"""The client data on the dashboard's overview page. A single query reads it, and each part of the
query uses an index."""

from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.core.money import Money
from domain.dashboard.overview import FirstStep, Overview, Trouble
from store.reviews.open_reviews import MOST

_MOST_TROUBLES: Final = 20
_FAILING: Final = 3
"""Number of consecutive failures after which a webhook is shown as failing."""

_STEPS: Final = """
        EXISTS (SELECT FROM knowledge_entries WHERE client_id = :client_id) AS knowledge,
        EXISTS (SELECT FROM integrations
                WHERE client_id = :client_id AND status = 'connected') AS shop,
        EXISTS (SELECT FROM saved_cases WHERE client_id = :client_id) AS "case",
        EXISTS (SELECT FROM api_keys WHERE client_id = :client_id AND is_active)
          OR EXISTS (SELECT FROM widgets
                     WHERE client_id = :client_id AND allowed_origins <> '[]') AS door,
        EXISTS (SELECT FROM engine_runs
                WHERE client_id = :client_id AND status = 'completed')
          OR EXISTS (SELECT FROM conversation_replies
                     WHERE client_id = :client_id AND state = 'sent') AS answered
"""
"""Boolean columns, named after the onboarding steps. A column is true if its step is completed."""

_FIRST_STEPS: Final = sa.text(f"SELECT {_STEPS}")

_OVERVIEW: Final = sa.text(f"""
    WITH open AS MATERIALIZED (
        SELECT created_at, amount, currency FROM escalation_tickets
        WHERE client_id = :client_id AND decided_at IS NULL AND status IN ('pending', 'claimed')
        LIMIT :counted
    ), trouble AS (
        SELECT CASE WHEN disabled_reason IS NULL THEN 'webhook_failing' ELSE 'webhook_off' END
                   AS kind, id AS record_id, label AS name, failure_count AS failures,
               '' AS reason
        FROM webhook_subscriptions
        WHERE client_id = :client_id
          AND (disabled_reason IN ('failures', 'gone') OR is_active AND failure_count >= :failing)
        UNION ALL
        SELECT 'connection', id, provider, 0, '' FROM integrations
        WHERE client_id = :client_id AND status = 'error'
        UNION ALL
        SELECT 'connection_forbidden', id, provider, 0, '' FROM integrations
        WHERE client_id = :client_id AND status = 'connected' AND error_code IS NOT NULL
        UNION ALL
        SELECT 'poll', cursor.integration_id, connection.provider, cursor.failures,
               coalesce(cursor.error_code, '')
        FROM poll_cursors AS cursor JOIN integrations AS connection
          ON connection.client_id = cursor.client_id AND connection.id = cursor.integration_id
        WHERE cursor.client_id = :client_id AND cursor.failures >= :failing
          AND connection.status = 'connected'
    )
    SELECT
        (SELECT count(*) FROM open) AS waiting,
        (SELECT min(created_at) FROM open) AS oldest,
        (SELECT jsonb_object_agg(currency, minor) FROM (
            SELECT currency, sum(amount) AS minor FROM open
            WHERE currency IS NOT NULL GROUP BY currency) AS sums) AS at_stake,
        (SELECT jsonb_agg(to_jsonb(found)) FROM (
            SELECT * FROM trouble ORDER BY kind, name LIMIT :most) AS found) AS troubles,
        (SELECT array_agg(fault ORDER BY fault) FROM model_alarms
         WHERE client_id = :client_id AND ended_at IS NULL) AS model_alarms,
        {_STEPS}
""")  # noqa: S608 - our own columns


async def read_overview(connection: AsyncConnection, tenant: TenantId) -> Overview:
    """Return the numbers on the client's overview page, read in one query."""
    given: dict[str, Any] = {
        "client_id": tenant,
        "counted": MOST + 1,
        "failing": _FAILING,
        "most": _MOST_TROUBLES,
    }
    row = (await connection.execute(_OVERVIEW, given)).mappings().one()
    return Overview(
        waiting=row["waiting"],
        oldest=row["oldest"],
        at_stake=tuple(
            Money(minor=int(minor), currency=currency)
            for currency, minor in sorted((row["at_stake"] or {}).items())
        ),
        troubles=tuple(Trouble(**one) for one in row["troubles"] or ()),
        done=_completed(row),
        model_alarms=tuple(row["model_alarms"] or ()),
    )


async def read_first_steps(connection: AsyncConnection, tenant: TenantId) -> frozenset[FirstStep]:
    """Return the onboarding steps that the client has completed."""
    rows = await connection.execute(_FIRST_STEPS, {"client_id": tenant})
    return _completed(rows.mappings().one())


def _completed(row: sa.RowMapping) -> frozenset[FirstStep]:
    return frozenset(step for step in FirstStep if row[step.value])
