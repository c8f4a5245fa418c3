"""Daily counts for a page of clients, computed by one statement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.analytics.latencies import COARSE, WIDTH
from domain.analytics.metrics import DURABLE_AFTER, Breakdown, DayCounts, Slice, midnight
from domain.core.ids import first_ulid
from store.analytics.first_answer_counts import PartKey, count_first_answers
from store.runs.outcomes import CAME_BACK, CLOSED_AT, INBOUND, IS_REQUEST
from store.runs.refunds import EXECUTED_REFUND

# An id is slightly earlier than its row's timestamp if the insert waits for a lock. The range of
# ids must therefore be wider than the day.
_MARGIN: Final = timedelta(hours=1)
_DIGITS: Final = 6

DAY_PATIENCE_S: Final = 15.0
"""Time limit for computing one day for a page of clients, in seconds, below the activity's
heartbeat timeout. The query reads customers' messages for 7 days after each run."""
_PATIENCE: Final = f"SET LOCAL statement_timeout = '{DAY_PATIENCE_S - 1:.0f}s'"
# Maps each GROUP BY column to the field that contains its breakdown.
_PARTS: Final = {
    "classification": "by_class",
    "playbook_id": "by_playbook",
    "channel": "by_channel",
}

_OF_RUNS_ALONE: Final = (
    *("runs", "completed", "needs_review", "failed", "escalated", "reviewed", "asked", "handled"),
    *("resolved", "resolved_alone", "reopened", "durable", "cost_micros"),
)
_PLAIN: Final = (
    *("events", "no_playbook", "messages_in", "messages_out", "customers", "latency_p50_ms"),
    *("latency_p95_ms", "sentiment_mean", "sentiment_count", "rated", "satisfied", "rating_mean"),
)


@dataclass(frozen=True, slots=True)
class ClientDay:
    """A client's counts for one day. `retention` are the client's retention periods
    (`domain/privacy/retention.py`)."""

    client_id: str
    retention: Mapping[str, object]
    counts: DayCounts


# Runs are read by primary key, and rows of other tables by keys from each run. The cost therefore
# depends on the day's runs, not on the client's history. Joins run row by row because the same plan
# must suit idle and busy clients. `came_back` is null for unresolved runs, and until 7 days after
# the day's end.
_LOOKED_AT: Final = f"""
    SELECT run.client_id, run.status, run.duration_ms, run.cost_micros,
           coalesce(run.classification, '') AS classification, run.playbook_id,
           coalesce(inbound.channel, '') AS channel,
           human.reason, human.decided, human.reason IS NOT NULL AS escalated,
           past.asks, past.asks AND run.status = 'completed' AS resolved,
           past.closed_at,
           CASE WHEN past.asks THEN money.refunded END AS refunded,
           CASE WHEN past.asks AND run.status = 'completed' AND :ends <= :now - :durable
                THEN {CAME_BACK} END AS came_back
    FROM clients AS client
    CROSS JOIN LATERAL (
        SELECT * FROM engine_runs
        WHERE client_id = client.id AND id >= :first_id AND id < :end_id
          AND received_at >= :begins AND received_at < :ends OFFSET 0
    ) AS run
    CROSS JOIN LATERAL (
        SELECT (array_agg(ticket.reason ORDER BY ticket.round))[1] AS reason,
               coalesce(bool_or(ticket.status IN ('approved', 'edited', 'rejected')), false)
                   AS decided
        FROM escalation_tickets AS ticket
        WHERE ticket.client_id = run.client_id AND ticket.run_id = run.id
    ) AS human
    CROSS JOIN LATERAL (
        SELECT jsonb_object_agg(currency, minor) AS refunded FROM (
            SELECT currency, sum(amount) AS minor FROM action_ledger
            WHERE client_id = run.client_id AND run_id = run.id AND {EXECUTED_REFUND}
            GROUP BY currency
        ) AS sums
    ) AS money
    {INBOUND}
    CROSS JOIN LATERAL (
        SELECT human.reason IS NOT NULL OR {IS_REQUEST} AS asks, {CLOSED_AT} AS closed_at
        OFFSET 0
    ) AS past
    WHERE client.id = ANY(:client_ids) AND client.closed_at IS NULL
"""  # noqa: S608 - constants

_OF_RUNS: Final = """
    SELECT client_id AS whose, count(*) AS runs,
           count(*) FILTER (WHERE status = 'completed') AS completed,
           count(*) FILTER (WHERE status = 'needs_review') AS needs_review,
           count(*) FILTER (WHERE status = 'failed') AS failed,
           count(*) FILTER (WHERE escalated) AS escalated,
           count(*) FILTER (WHERE decided) AS reviewed,
           count(*) FILTER (WHERE asks) AS asked,
           count(*) FILTER (WHERE asks AND status <> 'received') AS handled,
           count(*) FILTER (WHERE resolved) AS resolved,
           count(*) FILTER (WHERE resolved AND NOT escalated) AS resolved_alone,
           count(*) FILTER (WHERE came_back) AS reopened,
           count(*) FILTER (WHERE NOT came_back) AS durable,
           max(closed_at) FILTER (WHERE resolved) AS closed_at,
           coalesce(sum(cost_micros), 0)::bigint AS cost_micros,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_ms) AS latency_p50_ms,
           percentile_cont(0.95) WITHIN GROUP (ORDER BY duration_ms) AS latency_p95_ms
    FROM looked_at GROUP BY client_id
"""
# The query returns one row for each value of each breakdown, and one row for each latency bucket
# (`bucket`) of such a value. In rows that have a `reason`, `step` or `bucket`, only `number` is
# used.
_OF_PARTS: Final = f"""
    SELECT client_id AS whose, jsonb_agg(jsonb_build_object(
        'part', CASE WHEN classification IS NOT NULL THEN 'classification'
                     WHEN playbook_id IS NOT NULL THEN 'playbook_id'
                     WHEN channel IS NOT NULL THEN 'channel'
                     WHEN reason IS NOT NULL THEN 'reason' ELSE 'step' END,
        'value', coalesce(classification, playbook_id, channel, reason, step::text),
        'bucket', bucket::text,
        'number', number, 'asked', asked, 'resolved', resolved, 'resolved_alone', resolved_alone,
        'escalated', escalated, 'refunds', refunds, 'reopened', reopened, 'durable', durable,
        'cost_micros', cost_micros)) AS parts
    FROM (
        SELECT client_id, classification, playbook_id, channel, reason, step, bucket,
               grouping(bucket) AS is_whole,
               count(*) AS number,
               count(*) FILTER (WHERE asks) AS asked,
               count(*) FILTER (WHERE resolved) AS resolved,
               count(*) FILTER (WHERE resolved AND NOT escalated) AS resolved_alone,
               count(*) FILTER (WHERE escalated) AS escalated,
               count(refunded) AS refunds,
               count(*) FILTER (WHERE came_back) AS reopened,
               count(*) FILTER (WHERE NOT came_back) AS durable,
               coalesce(sum(cost_micros), 0)::bigint AS cost_micros
        FROM (
            SELECT *, (step / {COARSE}) * {COARSE} + {COARSE // 2} AS bucket FROM (
                SELECT *, CASE WHEN duration_ms IS NOT NULL
                    THEN floor(ln(greatest(duration_ms, 1)) / ln(:width))::int END AS step
                FROM looked_at
            ) AS stepped
        ) AS bucketed
        GROUP BY GROUPING SETS ((client_id, classification), (client_id, playbook_id),
                                (client_id, channel), (client_id, reason), (client_id, step),
                                (client_id, classification, bucket),
                                (client_id, playbook_id, bucket), (client_id, channel, bucket))
    ) AS grouped
    WHERE coalesce(classification, playbook_id, channel, reason, step::text) IS NOT NULL
      AND (is_whole = 1 OR bucket IS NOT NULL)
    GROUP BY client_id
"""  # noqa: S608 - constants
# The query selects the refunds for each value of each breakdown, by currency.
_OF_REFUNDS: Final = """
    SELECT client_id AS whose, jsonb_agg(jsonb_build_object(
        'part', CASE WHEN classification IS NOT NULL THEN 'classification'
                     WHEN playbook_id IS NOT NULL THEN 'playbook_id' ELSE 'channel' END,
        'value', coalesce(classification, playbook_id, channel),
        'currency', currency, 'minor', minor)) AS refunds
    FROM (
        SELECT client_id, classification, playbook_id, channel, one.key AS currency,
               sum(one.value::bigint)::bigint AS minor
        FROM looked_at CROSS JOIN LATERAL jsonb_each_text(refunded) AS one
        WHERE refunded IS NOT NULL
        GROUP BY GROUPING SETS ((client_id, classification, one.key),
                                (client_id, playbook_id, one.key), (client_id, channel, one.key))
    ) AS grouped
    GROUP BY client_id
"""
# The query selects the ratings given on the day, for each value of each breakdown. The rated run
# may be older.
_OF_RATINGS: Final = f"""
    SELECT client_id AS whose, jsonb_agg(jsonb_build_object(
        'part', CASE WHEN classification IS NOT NULL THEN 'classification'
                     WHEN playbook_id IS NOT NULL THEN 'playbook_id' ELSE 'channel' END,
        'value', coalesce(classification, playbook_id, channel),
        'rated', rated, 'satisfied', satisfied)) AS ratings
    FROM (
        SELECT given.client_id, run.classification, run.playbook_id, run.channel,
               count(*) AS rated, count(*) FILTER (WHERE given.score >= 4) AS satisfied
        FROM clients AS client
        CROSS JOIN LATERAL (
            SELECT client_id, run_id, score FROM ratings
            WHERE client_id = client.id AND created_at >= :begins AND created_at < :ends OFFSET 0
        ) AS given
        CROSS JOIN LATERAL (
            SELECT coalesce(run.classification, '') AS classification, run.playbook_id,
                   coalesce(inbound.channel, '') AS channel
            FROM engine_runs AS run {INBOUND}
            WHERE run.client_id = given.client_id AND run.id = given.run_id OFFSET 0
        ) AS run
        WHERE client.id = ANY(:client_ids) AND client.closed_at IS NULL
        GROUP BY GROUPING SETS ((given.client_id, run.classification),
                                (given.client_id, run.playbook_id), (given.client_id, run.channel))
    ) AS grouped
    GROUP BY client_id
"""  # noqa: S608 - constants
_COUNTED: Final = sa.text(f"""
    WITH looked_at AS MATERIALIZED ({_LOOKED_AT})
    SELECT client.id AS client_id, coalesce(settings.retention, '{{}}') AS retention,
           event.*, run.*, part.parts, money.refunds, opinion.ratings, sent.*, received.*,
           mood.*, rating.*
    FROM clients AS client
    LEFT JOIN client_settings AS settings ON settings.client_id = client.id
    CROSS JOIN LATERAL (
        SELECT count(*) AS events, count(*) FILTER (WHERE outcome = 'no_playbook') AS no_playbook
        FROM engine_events
        WHERE client_id = client.id AND id >= :first_id AND id < :end_id
          AND received_at >= :begins AND received_at < :ends
    ) AS event
    LEFT JOIN ({_OF_RUNS}) AS run ON run.whose = client.id
    LEFT JOIN ({_OF_PARTS}) AS part ON part.whose = client.id
    LEFT JOIN ({_OF_REFUNDS}) AS money ON money.whose = client.id
    LEFT JOIN ({_OF_RATINGS}) AS opinion ON opinion.whose = client.id
    CROSS JOIN LATERAL (
        SELECT count(*) AS messages_out
        FROM engine_messages
        WHERE client_id = client.id AND id >= :first_id AND id < :end_id
          AND direction = 'outbound' AND created_at >= :begins AND created_at < :ends
    ) AS sent
    CROSS JOIN LATERAL (
        SELECT count(*) AS messages_in, count(DISTINCT customer_key) AS customers
        FROM engine_messages
        WHERE client_id = client.id AND direction = 'inbound'
          AND created_at >= :begins AND created_at < :ends
    ) AS received
    CROSS JOIN LATERAL (
        SELECT count(*) AS sentiment_count, avg(score) AS sentiment_mean
        FROM sentiment_logs
        WHERE client_id = client.id AND event_id >= :first_id AND event_id < :end_id
          AND created_at >= :begins AND created_at < :ends
    ) AS mood
    CROSS JOIN LATERAL (
        SELECT count(*) AS rated, count(*) FILTER (WHERE score >= 4) AS satisfied,
               avg(score)::float8 AS rating_mean
        FROM ratings
        WHERE client_id = client.id AND created_at >= :begins AND created_at < :ends
    ) AS rating
    WHERE client.id = ANY(:client_ids) AND client.closed_at IS NULL
      AND (client.created_at < :ends
           OR greatest(events, messages_in, messages_out, rated) > 0)
    ORDER BY client.id
""").columns(retention=JSONB, parts=JSONB, refunds=JSONB, ratings=JSONB)  # noqa: S608 - constants


async def count_day(
    connection: AsyncConnection, client_ids: Sequence[str], day: date, now: datetime
) -> list[ClientDay]:
    """Return the counts for a UTC day, as known at `now`, for the clients that existed by its end
    or have imported records for it.

    Requires a transaction that spans clients, with a timeout of `DAY_PATIENCE_S`. Clients that are
    being erased are omitted.
    """
    begins = midnight(day)
    ends = begins + timedelta(days=1)
    await connection.exec_driver_sql(_PATIENCE)
    given: dict[str, object] = {
        "client_ids": list(client_ids),
        "begins": begins,
        "ends": ends,
        "first_id": first_ulid(begins - _MARGIN),
        "end_id": first_ulid(ends + _MARGIN),
        "now": now,
        "durable": DURABLE_AFTER,
        "width": WIDTH,
    }
    rows = (await connection.execute(_COUNTED, given)).all()
    answers = await count_first_answers(connection, client_ids, given, begins, now)
    return [_client_day(row._asdict(), answers.get(row.client_id, {}), ends, now) for row in rows]


def _client_day(
    row: dict[str, Any],
    answers: Mapping[PartKey, Mapping[str, Any]],
    ends: datetime,
    now: datetime,
) -> ClientDay:
    # Sums are rounded because the last digits of a floating-point sum depend on the order of the
    # rows.
    values: dict[str, Any] = {
        name: round(value, _DIGITS) if isinstance(value := row[name], float) else value
        for name in _PLAIN
    }
    # A client without runs has no row in the run counts.
    values |= {name: row[name] or 0 for name in _OF_RUNS_ALONE}
    is_over = now >= max(ends, row["closed_at"] or ends) + DURABLE_AFTER
    if not is_over:
        values |= {"reopened": None, "durable": None}
    parts: list[dict[str, Any]] = row["parts"] or []
    details = _details(parts, row["refunds"] or [], row["ratings"] or [], answers)
    counts = DayCounts(
        **values,
        escalations=_numbers(parts, "reason"),
        latencies=_numbers(parts, "step"),
        breakdown=Breakdown(
            **{
                name: _slices(parts, part, details, is_over=is_over)
                for part, name in _PARTS.items()
            },
            is_detailed=True,
        ),
    )
    return ClientDay(row["client_id"], row["retention"], counts)


def _numbers(parts: Sequence[Mapping[str, Any]], part: str) -> dict[str, int]:
    return {one["value"]: one["number"] for one in parts if one["part"] == part}


def _details(
    parts: Sequence[Mapping[str, Any]],
    refunds: Sequence[Mapping[str, Any]],
    ratings: Sequence[Mapping[str, Any]],
    answers: Mapping[PartKey, Mapping[str, Any]],
) -> dict[PartKey, dict[str, Any]]:
    """Return the latencies, refunds, ratings and first answers of each slice. The keys are
    (breakdown, value), such as `("channel", "email")`."""
    found: dict[PartKey, dict[str, Any]] = {}

    def of(one: Mapping[str, Any]) -> dict[str, Any]:
        return found.setdefault((one["part"], one["value"]), {"latencies": {}, "refunded": {}})

    for one in parts:
        if one["bucket"] is not None:
            of(one)["latencies"][one["bucket"]] = one["number"]
    for one in refunds:
        of(one)["refunded"][one["currency"]] = one["minor"]
    for one in ratings:
        of(one).update(rated=one["rated"], satisfied=one["satisfied"])
    for (part, value), counted in answers.items():
        of({"part": part, "value": value}).update(counted)
    return found


_COUNTS: Final = set(Slice.model_fields) - {
    *("key", "latencies", "refunded", "rated", "satisfied"),
    *("answered", "targeted", "in_target", "answer_times"),
}


def _slices(
    parts: Sequence[Mapping[str, Any]],
    part: str,
    details: Mapping[PartKey, Mapping[str, Any]],
    *,
    is_over: bool,
) -> tuple[Slice, ...]:
    """Return the slices of a breakdown that contain at least one request or rating. Automatic
    emails are not requests."""
    names = _COUNTS - (set() if is_over else {"reopened", "durable"})
    counted: dict[str, dict[str, Any]] = {
        one["value"]: {name: one[name] for name in names}
        for one in parts
        if one["part"] == part and one["bucket"] is None and one["asked"]
    }
    rated = {key for (of, key), values in details.items() if of == part and "rated" in values}
    unfollowed = {"reopened": 0, "durable": 0} if is_over else {}
    made = (
        Slice.model_validate(
            {"key": key, **counted.get(key, unfollowed), **details.get((part, key), {})}
        )
        for key in counted.keys() | rated
    )
    return tuple(sorted(made, key=lambda one: one.key))
