"""The customer shown next to a ticket."""

from api.dashboard.page import Page
from domain.customers.customer import ListedCustomer
from services.customers.customers import customer_of


async def ticket_customer(page: Page, address: str | None) -> ListedCustomer | None:
    """Return the customer with this address, or None if the customer is unknown."""
    async with page.resources.database.reading(page.tenant) as connection:
        return await customer_of(connection, page.tenant, page.actor, address)
