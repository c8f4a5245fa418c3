"""The actions that the agent executed, and those that the policy refused. A single query uses an
index and reads a limited number of the latest records."""

from collections import defaultdict
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from domain.agent.plan import ON_ORDERS, ActionKind, StepState
from domain.agent.policy_decision import Ruling
from domain.core.ids import first_ulid
from domain.core.money import MAX_MINOR, Money
from domain.playbooks.policy_figures import ActionFigures, PolicyFigures
from store.core.repository import TenantRepository

EXAMINED: Final = 2_000
"""Maximum number of the latest tickets, and of the latest order actions, that are examined."""

# Actions on orders are counted from the ledger, which stores their amounts. The conditions match
# the ledger's partial index. All other actions, and refusals, are counted from the runs.
_FIGURES: Final = sa.text(f"""
    WITH run AS MATERIALIZED (
        SELECT steps, verdicts FROM engine_runs
        WHERE client_id = :client_id AND id >= :first_id
        ORDER BY id DESC LIMIT :examined + 1
    ), acted AS MATERIALIZED (
        SELECT action, state, amount, currency FROM action_ledger
        WHERE client_id = :client_id AND planned_at >= :since
          AND order_key IS NOT NULL AND state <> '{StepState.FAILED}'
        ORDER BY planned_at DESC LIMIT :examined + 1
    ), partial AS (
        SELECT greatest((SELECT count(*) FROM run), (SELECT count(*) FROM acted)) > :examined AS it
    )
    SELECT partial.it AS is_partial, found.what, found.kind, found.currency, found.number,
           found.minor
    FROM partial LEFT JOIN (
        SELECT 'done' AS what, step ->> 'kind' AS kind, '' AS currency, count(*) AS number,
               0 AS minor
        FROM run, jsonb_array_elements(steps) AS step
        WHERE step ->> 'state' = '{StepState.DONE}'
          AND NOT step ->> 'kind' = ANY(CAST(:on_orders AS text[]))
        GROUP BY step ->> 'kind'
        UNION ALL
        SELECT 'refused', verdict ->> 'kind', '', count(*), 0
        FROM run, jsonb_array_elements(verdicts) AS verdict
        WHERE verdict ->> 'ruling' = '{Ruling.REFUSED}'
        GROUP BY verdict ->> 'kind'
        UNION ALL
        SELECT 'done', action, coalesce(currency, ''), count(*), coalesce(sum(amount), 0)
        FROM acted
        WHERE state = '{StepState.DONE}' AND action = ANY(CAST(:on_orders AS text[]))
        GROUP BY action, coalesce(currency, '')
    ) AS found ON true
    ORDER BY found.currency
""")  # noqa: S608 - our own names


class PolicyFiguresReader(TenantRepository):
    async def since(self, since: datetime) -> PolicyFigures:
        """Return the metrics for tickets and actions since `since`, an aware time."""
        given: dict[str, Any] = {
            "client_id": self._tenant,
            "since": since,
            "first_id": first_ulid(since),
            "examined": EXAMINED,
            "on_orders": [kind.value for kind in ON_ORDERS],
        }
        done: defaultdict[ActionKind, int] = defaultdict(int)
        refused: defaultdict[ActionKind, int] = defaultdict(int)
        amounts: defaultdict[ActionKind, list[Money]] = defaultdict(list)
        is_partial = False
        for row in await self._connection.execute(_FIGURES, given):
            is_partial = row.is_partial
            if row.kind is None:  # The query found no action or refusal.
                continue
            kind = ActionKind(row.kind)
            (done if row.what == "done" else refused)[kind] += row.number
            if row.currency:
                minor = min(int(row.minor), MAX_MINOR)
                amounts[kind].append(Money(minor=minor, currency=row.currency))
        return PolicyFigures(
            {
                kind: ActionFigures(done[kind], refused[kind], tuple(amounts[kind]))
                for kind in {*done, *refused}
            },
            is_partial,
        )
