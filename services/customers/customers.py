"""Lists of a client's customers, and the data for a customer's page."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.analytics.churn import ChurnLevel
from domain.core.ids import TenantId
from domain.customers.customer import (
    AgentRefund,
    CustomerConversation,
    CustomerDetails,
    CustomerFigures,
    ListedCustomer,
)
from domain.customers.customer_orders import CustomerOrder, merged_orders, spent_on, summed
from domain.intake.customer_email import customer_key
from domain.tenants.actor import ANYONE, Actor
from store.customers.customer_lists import CustomerLists, CustomerPlace
from store.customers.customer_records import Contacts, CustomerRecords, KnownOrders
from store.runs.conversation_reading import ConversationReader
from store.runs.internal_notes import InternalNoteRepository

LISTED_RECORDS: Final = 20
"""Maximum number of messages and orders read for each customer in a list."""

SHOWN_RECORDS: Final = 200
"""Maximum number of messages, orders and refunds read for one customer's page."""

SHOWN_CONVERSATIONS: Final = 50
_SHOWN_NOTES: Final = 20
_NO_CONTACTS: Final = Contacts(0, None)


async def list_customers(
    connection: AsyncConnection,
    tenant: TenantId,
    actor: Actor,
    text: str,
    *,
    after: CustomerPlace | None,
    limit: int,
) -> tuple[list[ListedCustomer], CustomerPlace | None]:
    """Return a page of customers that match `text`, latest contact first, and the cursor for the
    next page, as `CustomerLists.page` does. Raises RoleRequired."""
    actor.require(ANYONE)
    found, behind = await CustomerLists(connection, tenant).page(text, after=after, limit=limit)
    records = CustomerRecords(connection, tenant)
    figures = await _figures(records, [one.email for one in found])
    listed = [ListedCustomer(**one.model_dump(), figures=figures[one.email]) for one in found]
    return listed, behind


async def read_customer(
    connection: AsyncConnection, tenant: TenantId, actor: Actor, customer_id: str
) -> CustomerDetails:
    """Return the data for a customer's page. Raises RoleRequired, CustomerNotFound."""
    actor.require(ANYONE)
    customer = await CustomerLists(connection, tenant).read(customer_id)
    records = CustomerRecords(connection, tenant)
    known = await records.conversations(
        customer.email, examined=SHOWN_RECORDS, limit=SHOWN_CONVERSATIONS + 1
    )
    shown = dict(list(known.items())[:SHOWN_CONVERSATIONS])
    talks = await ConversationReader(connection, tenant).some(list(shown))
    found = (await records.orders([customer.email], SHOWN_RECORDS)).get(
        customer.email, KnownOrders()
    )
    orders = merged_orders(found.orders)
    refunds = await records.refunds(customer.email, SHOWN_RECORDS)
    contacts = (await records.contacts([customer.email], SHOWN_RECORDS)).get(
        customer.email, _NO_CONTACTS
    )
    risks = await records.risks([customer.email])
    notes = await InternalNoteRepository(connection, tenant).latest(list(shown), _SHOWN_NOTES)
    return CustomerDetails(
        **customer.model_dump(),
        figures=_figures_of(contacts, orders, risks.get(customer.email), has_more=found.has_more),
        conversations=tuple(
            CustomerConversation(**one.model_dump(), is_verified=shown[one.id]) for one in talks
        ),
        orders=orders,
        refunds=tuple(_named(refunds, orders)),
        refunded=summed(one.amount for one in refunds),
        notes=notes,
        is_complete=len(known) <= SHOWN_CONVERSATIONS,
    )


async def customer_names(
    connection: AsyncConnection, tenant: TenantId, actor: Actor, addresses: Iterable[str | None]
) -> Mapping[str, str]:
    """Return the known names of the customers with these addresses, by address. Raises
    RoleRequired."""
    actor.require(ANYONE)
    keys = {one: key for one in addresses if one and (key := customer_key(one))}
    if not keys:
        return {}
    known = await CustomerLists(connection, tenant).by_keys(sorted({*keys.values()}))
    found = ((address, known.get(key)) for address, key in keys.items())
    return {address: one.name for address, one in found if one is not None and one.name}


async def customer_of(
    connection: AsyncConnection, tenant: TenantId, actor: Actor, address: str | None
) -> ListedCustomer | None:
    """Return the customer with this address and their statistics, or None if unknown. Raises
    RoleRequired."""
    actor.require(ANYONE)
    key = customer_key(address)
    known = await CustomerLists(connection, tenant).by_keys([key]) if key else {}
    if not known:
        return None
    (customer,) = known.values()
    figures = await _figures(CustomerRecords(connection, tenant), [customer.email])
    return ListedCustomer(**customer.model_dump(), figures=figures[customer.email])


async def _figures(records: CustomerRecords, keys: Sequence[str]) -> dict[str, CustomerFigures]:
    """Return the statistics for each customer in a list, by address."""
    contacts = await records.contacts(keys, LISTED_RECORDS)
    orders = await records.orders(keys, LISTED_RECORDS)
    risks = await records.risks(keys)
    return {
        key: _figures_of(
            contacts.get(key, _NO_CONTACTS),
            merged_orders(orders[key].orders if key in orders else ()),
            risks.get(key),
            has_more=key in orders and orders[key].has_more,
        )
        for key in keys
    }


def _figures_of(
    contacts: Contacts,
    orders: Sequence[CustomerOrder],
    risk: ChurnLevel | None,
    *,
    has_more: bool,
) -> CustomerFigures:
    return CustomerFigures(
        conversations=contacts.conversations,
        orders=len(orders),
        spent=spent_on(orders),
        has_more_orders=has_more,
        sentiment=contacts.sentiment,
        risk=risk,
    )


def _named(
    refunds: Iterable[AgentRefund], orders: Iterable[CustomerOrder]
) -> Iterable[AgentRefund]:
    """Yield the refunds, with order numbers where they are known."""
    numbers = {key: one.number for one in orders for key in one.keys}
    for one in refunds:
        number = numbers.get(one.order_key) if one.order_key else None
        yield one.model_copy(update={"order_number": number})
