"""The ticket to which an event refers."""

from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

from store.intake.tables import engine_events


@dataclass(frozen=True, slots=True)
class Ticket:
    """The ticket to which an event refers: its id and its customer. `customer_email` may be
    empty."""

    ticket_id: str
    customer_email: str


# The customer's address, as normalized or, before normalization, as sent by the caller.
CUSTOMER_EMAIL: Final = sa.case(
    (engine_events.c.unified.is_(None), engine_events.c.customer_email),
    else_=engine_events.c.unified["customer_email"].astext,
).label("customer_email")

TICKET_ID: Final = sa.func.coalesce(
    engine_events.c.unified["ticket_id"].astext, engine_events.c.id
).label("ticket_id")

TICKET: Final = (TICKET_ID, sa.func.coalesce(CUSTOMER_EMAIL, "").label("customer_email"))
"""The columns of a `Ticket`."""
