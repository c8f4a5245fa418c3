"""The authors of a review's messages: the users who typed them, and the creators of the API keys
that sent them."""

from typing import Final

import sqlalchemy as sa

from domain.tenants.actor import OPERATOR_PREFIX
from store.core.repository import TenantRepository

# The query selects the review's own message, the messages that joined the review, and the other
# messages in its conversation.
_MESSAGES: Final = """
    WITH first AS MATERIALIZED (
        SELECT message.client_id, message.event_id, message.conversation_id
        FROM escalation_tickets AS review
        JOIN engine_runs AS run
          ON run.client_id = review.client_id AND run.id = review.run_id
        JOIN engine_messages AS message
          ON message.client_id = run.client_id AND message.event_id = run.event_id
         AND message.direction = 'inbound'
        WHERE review.client_id = :client_id AND review.id = :review_id
    ), messages AS MATERIALIZED (
        SELECT client_id, event_id FROM first
        UNION
        SELECT other.client_id, other.event_id
        FROM first JOIN engine_messages AS other
          ON other.client_id = first.client_id AND other.conversation_id = first.conversation_id
        WHERE other.direction = 'inbound'
        UNION
        SELECT joined.client_id, joined.event_id FROM engine_runs AS joined
        WHERE joined.client_id = :client_id AND joined.joined_review = :review_id
    )
"""

_MOVES_MONEY: Final = """EXISTS (
    SELECT FROM escalation_tickets AS review
    WHERE review.client_id = :client_id AND review.id = :review_id
      AND (review.needs_second OR review.amount IS NOT NULL))
"""

AUTHORS: Final = sa.text(f"""{_MESSAGES}
    SELECT DISTINCT event.author
    FROM messages JOIN engine_events AS event
      ON event.client_id = messages.client_id AND event.id = messages.event_id
    WHERE event.author IS NOT NULL
    ORDER BY event.author
""")  # noqa: S608 - our own names

_KEY_MAKERS: Final = sa.text(f"""{_MESSAGES}
    SELECT DISTINCT key.created_by
    FROM messages JOIN engine_events AS event
      ON event.client_id = messages.client_id AND event.id = messages.event_id
    JOIN api_keys AS key ON key.client_id = event.client_id AND key.id = event.key_id
    WHERE key.created_by IS NOT NULL AND NOT starts_with(key.created_by, :operators)
      AND {_MOVES_MONEY}
""")  # noqa: S608 - our own names

_CUSTOMERS: Final = sa.text(f"""{_MESSAGES}
    SELECT DISTINCT event.unified ->> 'customer_email'
    FROM messages JOIN engine_events AS event
      ON event.client_id = messages.client_id AND event.id = messages.event_id
    WHERE event.unified ->> 'customer_email' IS NOT NULL AND {_MOVES_MONEY}
""")  # noqa: S608 - our own names


class RequestAuthors(TenantRepository):
    async def key_makers(self, review_id: str) -> frozenset[str]:
        """Return the members whose API keys sent messages of a review, in the form used by audit
        entries. The result is empty unless the review moves money or needs two approvals."""
        this = {
            "client_id": self._tenant,
            "review_id": review_id,
            "operators": OPERATOR_PREFIX,
        }
        return frozenset(await self._connection.scalars(_KEY_MAKERS, this))

    async def customers(self, review_id: str) -> frozenset[str]:
        """Return the customers' addresses in the messages of a review. The result is empty unless
        the review moves money or needs two approvals."""
        this = {"client_id": self._tenant, "review_id": review_id}
        return frozenset(await self._connection.scalars(_CUSTOMERS, this))
