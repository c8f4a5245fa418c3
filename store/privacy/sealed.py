"""All that is stored sealed, of all clients, for whoever changes the key."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from store.integrations.tables import integrations
from store.webhooks.tables import webhook_subscriptions

_COLUMNS: Final = (
    integrations.c.sealed,
    webhook_subscriptions.c.secret_sealed,
    webhook_subscriptions.c.previous_sealed,
)


@dataclass(frozen=True, slots=True)
class Resealed:
    """`unreadable`: sealed with a key that is not there; they are left as they are."""

    resealed: int
    unreadable: int


async def reseal(connection: AsyncConnection, seal_again: Callable[[str], str]) -> Resealed:
    """Seal everything again. `seal_again` raises ValueError for what no key opens.

    What somebody replaces meanwhile is left alone: the present key has sealed it.
    """
    resealed = unreadable = 0
    for column in _COLUMNS:
        key = column.table.c
        rows = await connection.execute(
            sa.select(key.client_id, key.id, column.label("sealed")).where(column != "")
        )
        for row in rows.all():
            try:
                new = seal_again(row.sealed)
            except ValueError:
                unreadable += 1
                continue
            changed = await connection.execute(
                sa.update(column.table)
                .where(key.client_id == row.client_id, key.id == row.id, column == row.sealed)
                .values({column: new})
            )
            resealed += changed.rowcount
    return Resealed(resealed, unreadable)
