"""Delete expired rows in batches, so that no lock is held for a long time."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from store.core.repository import some_of
from store.dashboard.tables import page_drafts
from store.identity.tables import sign_in_links
from store.inbound.tables import inbound_endpoints, inbound_webhooks
from store.integrations.tables import helpdesk_pauses, integrations, order_facts
from store.runs.tables import action_ledger
from store.webhooks.tables import outbox
from store.widget.tables import widget_sessions

_BATCH: Final = 5_000


async def prune_older(table: sa.Table, connection: AsyncConnection, before: datetime) -> int:
    """Delete a batch of a table's rows that were created before `before`. Return the number of rows
    deleted, or 0 if none is left."""
    old = some_of(table, _BATCH, table.c.created_at < before)
    return (await connection.execute(sa.delete(table).where(old))).rowcount


async def prune_inbound_webhooks(connection: AsyncConnection, before: datetime) -> int:
    """Delete a batch of finished webhooks that arrived before `before`. Return the number deleted,
    or 0 if none is left."""
    ended = inbound_webhooks.c.state.in_(("done", "failed"))
    old = some_of(inbound_webhooks, _BATCH, inbound_webhooks.c.created_at < before, ended)
    return (await connection.execute(sa.delete(inbound_webhooks).where(old))).rowcount


async def prune_pauses(connection: AsyncConnection, before: datetime) -> int:
    """Delete a batch of helpdesk pauses that ended before `before`. Return the number deleted, or 0
    if none is left."""
    old = some_of(helpdesk_pauses, _BATCH, helpdesk_pauses.c.until < before)
    return (await connection.execute(sa.delete(helpdesk_pauses).where(old))).rowcount


async def prune_order_facts(connection: AsyncConnection, before: datetime) -> int:
    """Delete a batch of order facts that were last updated before `before`. Return the number
    deleted, or 0 if none is left."""
    untold = order_facts.c.updated_at < before
    old = some_of(order_facts, _BATCH, untold)
    # The condition is checked again because a fact may have arrived while the statement waited for
    # the row lock.
    return (await connection.execute(sa.delete(order_facts).where(old, untold))).rowcount


async def prune_ended_endpoints(connection: AsyncConnection, before: datetime) -> int:
    """Delete a batch of endpoints, with their secrets, whose connections ended before `before`.
    Return the number deleted, or 0 if none is left."""
    ended = sa.exists().where(
        integrations.c.client_id == inbound_endpoints.c.client_id,
        integrations.c.id == inbound_endpoints.c.integration_id,
        integrations.c.disconnected_at < before,
    )
    old = some_of(inbound_endpoints, _BATCH, ended)
    return (await connection.execute(sa.delete(inbound_endpoints).where(old))).rowcount


async def forget_ended_accounts(connection: AsyncConnection, before: datetime) -> int:
    """Clear the accounts of a batch of connections that ended before `before`. Return the number of
    accounts cleared, or 0 if none is left."""
    row = integrations.c
    old = some_of(
        integrations, _BATCH, row.proved_account.is_not(None), row.disconnected_at < before
    )
    forgotten = sa.update(integrations).where(old).values(proved_account=None)
    return (await connection.execute(forgotten)).rowcount


async def forget_erased_customers(connection: AsyncConnection, before: datetime) -> int:
    """Clear the pseudonyms of erased customers, and the order numbers, on a batch of actions that
    were planned before `before`. Return the number of pseudonyms cleared, or 0 if none is left."""
    row = action_ledger.c
    # The condition has no parameters, so that PostgreSQL can use the partial index.
    pseudonym = sa.literal_column("left(action_ledger.customer_key, 7) = 'erased:'", sa.Boolean)
    old = some_of(action_ledger, _BATCH, pseudonym, row.planned_at < before)
    forgotten = sa.update(action_ledger).where(old).values(customer_key=None, order_number=None)
    return (await connection.execute(forgotten)).rowcount


async def prune_widget_sessions(connection: AsyncConnection, before: datetime) -> int:
    """Delete a batch of widget sessions last used before `before`, with their codes. Return their
    number, or 0 if none is left.

    The client keeps the messages, but visitors can no longer read them.
    """
    unused = widget_sessions.c.used_at < before
    old = some_of(widget_sessions, _BATCH, unused)
    # The condition is checked again because a session may have been used while the statement waited
    # for the row lock.
    return (await connection.execute(sa.delete(widget_sessions).where(old, unused))).rowcount


async def prune_page_drafts(connection: AsyncConnection, before: datetime) -> int:
    """Delete a batch of form drafts that were last saved before `before`. Return the number
    deleted, or 0 if none is left."""
    unsent = page_drafts.c.saved_at < before
    old = some_of(page_drafts, _BATCH, unsent)
    # The condition is checked again because a user may have saved the draft while the statement
    # waited for the row lock.
    return (await connection.execute(sa.delete(page_drafts).where(old, unsent))).rowcount


async def prune_sign_in_links(connection: AsyncConnection, before: datetime) -> int:
    """Delete a batch of sign-in links that expired before `before`. Return the number deleted, or 0
    if none is left."""
    old = some_of(sign_in_links, _BATCH, sign_in_links.c.expires_at < before)
    return (await connection.execute(sa.delete(sign_in_links).where(old))).rowcount


async def empty_bodies(connection: AsyncConnection, before: datetime) -> int:
    """Clear the bodies of a batch of webhook events created before `before`. Return their number,
    or 0 if none is left.

    The rows remain as a record of the reported events.
    """
    old = some_of(outbox, _BATCH, outbox.c.body.is_not(None), outbox.c.created_at < before)
    return (await connection.execute(sa.update(outbox).where(old).values(body=None))).rowcount
