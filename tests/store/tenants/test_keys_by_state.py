"""Keys as the pages list them: active and revoked."""

from datetime import timedelta

from adapters.system import utc_now
from domain.tenants.api_key import UNUSED_AFTER, is_unused
from store.core.database import Database
from store.tenants.keys import KeyRepository
from tests.support.tenants.shop import Shop


async def test_revoked_keys_stand_apart(database: Database, shop: Shop) -> None:
    async with database.tenant(shop.tenant) as connection:
        keys = KeyRepository(connection)

        async def listed(*, revoked: bool | None) -> list[str]:
            page = await keys.page(shop.client_id, after=None, limit=10, revoked=revoked)
            return [one.id for one in page]

        assert await listed(revoked=False) == [shop.key_id]
        assert await listed(revoked=True) == []
        await keys.revoke(shop.key_id, utc_now())
        assert await listed(revoked=False) == []
        assert await listed(revoked=True) == await listed(revoked=None) == [shop.key_id]


def test_a_key_is_unused_once_nothing_used_it_for_90_days() -> None:
    now = utc_now()
    long_ago = now - UNUSED_AFTER - timedelta(days=1)
    assert is_unused(long_ago, None, now)
    assert is_unused(long_ago, long_ago, now)
    assert not is_unused(long_ago, now - timedelta(days=1), now)
    assert not is_unused(now - timedelta(days=1), None, now)
