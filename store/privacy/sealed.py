"""Re-encryption of all sealed values, across clients, after a key rotation."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from store.inbound.tables import inbound_endpoints
from store.integrations.tables import integrations, mail_senders
from store.webhooks.tables import webhook_subscriptions
from store.widget.tables import widgets

_COLUMNS: Final = (
    integrations.c.sealed,
    webhook_subscriptions.c.secret_sealed,
    webhook_subscriptions.c.previous_sealed,
    widgets.c.sealed_secret,
    widgets.c.previous_sealed_secret,
    mail_senders.c.sealed_smtp_password,
    inbound_endpoints.c.sealed_secret,
    inbound_endpoints.c.sealed_previous_secret,
)


@dataclass(frozen=True, slots=True)
class Resealed:
    """The counts from a re-encryption. `unreadable` counts values with an unknown key, which stay
    unchanged."""

    resealed: int
    unreadable: int


async def reseal(connection: AsyncConnection, seal_again: Callable[[str], str]) -> Resealed:
    """Re-encrypt all sealed values, and return the counts. `seal_again` must raise ValueError for a
    value that no key decrypts.

    A value replaced meanwhile is skipped because it already has the current key.
    """
    resealed = unreadable = 0
    for column in _COLUMNS:
        key = column.table.primary_key.columns
        rows = await connection.execute(sa.select(column.label("sealed"), *key).where(column != ""))
        for sealed, *whose in rows.all():
            try:
                new = seal_again(sealed)
            except ValueError:
                unreadable += 1
                continue
            changed = await connection.execute(
                sa.update(column.table)
                .where(sa.tuple_(*key) == tuple(whose), column == sealed)
                .values({column: new})
            )
            resealed += changed.rowcount
    return Resealed(resealed, unreadable)
