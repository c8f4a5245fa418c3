"""Query and response models for the dashboard's customer routes."""

from typing import Annotated

from pydantic import BaseModel, Field

from api.schemas.core.client_query import ClientQuery
from api.schemas.core.strict_body import StrictBody
from api.schemas.runs.conversation import CURSOR, cursor_of_place, place_of
from domain.customers.customer import ListedCustomer
from store.customers.customer_lists import CustomerPlace
from store.runs.conversation_lists import TalkPlace


class CustomersQuery(ClientQuery):
    q: Annotated[
        str,
        Field(
            max_length=254,
            pattern=r"^[^\x00]*$",
            description=(
                "Beginnings of words in the customer's name or email address, or an order number."
            ),
        ),
    ] = ""
    limit: Annotated[int, Field(ge=1, le=100)] = 50
    cursor: Annotated[
        str | None,
        Field(pattern=CURSOR, description="Value of `next_cursor` from the previous page."),
    ] = None

    @property
    def after(self) -> CustomerPlace | None:
        place = place_of(self.cursor)
        return None if place is None else CustomerPlace(place.at, place.id)


class CustomerList(BaseModel):
    customers: list[ListedCustomer]
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")


class RequestDataBody(StrictBody):
    pass


def cursor_of_customer(place: CustomerPlace | None) -> str | None:
    """Return the cursor for a position in a list of customers, or None on the last page."""
    return None if place is None else cursor_of_place(TalkPlace(place.at, place.id))
