"""A fingerprint of a client's records, to detect changes."""

from typing import Final

import sqlalchemy as sa

from store.metadata import metadata
from tests.support.core.engine import LiveEngine
from tests.support.tenants.shop import Shop

_RECORDS: Final = sa.text(
    " UNION ALL ".join(
        f"SELECT '{name}' AS name, md5(string_agg(t::text, chr(10) ORDER BY t::text)) AS digest "  # noqa: S608
        f"FROM {name} t WHERE client_id = :client_id"
        for name, table in metadata.tables.items()
        if "client_id" in table.c
    )
)


async def records(front: LiveEngine, shop: Shop) -> dict[str, str | None]:
    """Return a hash of each table's rows for a client, to detect changes."""
    async with front.database.service() as connection:
        found = await connection.execute(_RECORDS, {"client_id": shop.client_id})
        return {row.name: row.digest for row in found}
