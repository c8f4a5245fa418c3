"""The SQL that determines a run's outcome, shared by metrics and lists of runs, so that a list
contains exactly the runs counted.

In each condition, the run's alias is `run`. Automatic emails need no answer, and a message that
joined an open review is part of a counted ticket: neither is a request.

`OFFSET 0` makes PostgreSQL look up records by a key of each run. Without it, a plan could read all
of the client's records.
"""

from typing import Final

from domain.runs.run import RunStatus
from store.runs.refunds import EXECUTED_REFUND

_AUTOMATIC: Final = (
    "({0}.joined_review IS NULL AND {0}.status = 'completed' AND {0}.response = '' "
    "AND {0}.plan = '[]')"
)
_OTHER_IS_AUTOMATIC: Final = _AUTOMATIC.format("other")

IS_REQUEST: Final = f"""(run.joined_review IS NULL AND {_AUTOMATIC.format("run")} IS NOT TRUE)"""
"""The SQL condition for a request, except for escalated runs. An escalated run is always a request,
even if it does not meet this condition (`IS_ASKED`)."""

IS_ESCALATED: Final = """EXISTS (
    SELECT FROM escalation_tickets AS ticket
    WHERE ticket.client_id = run.client_id AND ticket.run_id = run.id OFFSET 0)"""
IS_ASKED: Final = f"({IS_REQUEST} OR {IS_ESCALATED})"
IS_COMPLETED: Final = f"run.status = '{RunStatus.COMPLETED}'"

CLOSED_AT: Final = "coalesce(run.finished_at, run.answered_at, run.received_at)"

IS_REFUNDED: Final = f"""EXISTS (
    SELECT FROM action_ledger
    WHERE client_id = run.client_id AND run_id = run.id AND {EXECUTED_REFUND} OFFSET 0)"""

INBOUND: Final = """LEFT JOIN LATERAL (
        SELECT conversation_id, customer_key, channel FROM engine_messages
        WHERE client_id = run.client_id AND event_id = run.event_id AND direction = 'inbound'
        OFFSET 0
    ) AS inbound ON true"""
"""The join of a run with the customer's message, as `inbound`."""

CAME_BACK: Final = f"""(EXISTS (
           SELECT FROM engine_messages AS later
           CROSS JOIN LATERAL (
               SELECT count(*) > 0 AS is_automatic FROM engine_runs AS other
               WHERE other.client_id = run.client_id AND other.event_id = later.event_id
                 AND {_OTHER_IS_AUTOMATIC}
           ) AS its
           WHERE later.client_id = run.client_id AND later.direction = 'inbound'
             AND later.conversation_id = inbound.conversation_id
             AND later.created_at > {CLOSED_AT}
             AND later.created_at <= {CLOSED_AT} + :durable
             AND NOT its.is_automatic OFFSET 0
       ) OR EXISTS (
           SELECT FROM engine_messages AS later
           CROSS JOIN LATERAL (
               SELECT count(*) > 0 AS is_alike FROM engine_runs AS other
               WHERE other.client_id = run.client_id AND other.event_id = later.event_id
                 AND other.classification = run.classification
                 AND {_OTHER_IS_AUTOMATIC} IS NOT TRUE
           ) AS its
           WHERE later.client_id = run.client_id AND later.direction = 'inbound'
             AND later.customer_key = inbound.customer_key
             AND later.created_at > {CLOSED_AT}
             AND later.created_at <= {CLOSED_AT} + :durable
             AND its.is_alike OFFSET 0
       ))"""  # noqa: S608 - our own names
"""The SQL condition that the customer of a resolved run sent another message within the period
`:durable` after the run closed. Requires `INBOUND`."""
