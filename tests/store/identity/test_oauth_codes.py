"""A code is used once, even if several requests arrive at the same time."""

import asyncio
from datetime import timedelta

from adapters.system import new_ulid, utc_now
from domain.identity.grant import CODE_KEPT, CODE_LASTS, OAuthGrant
from store.core.database import Database
from store.identity.oauth_codes import OAuthCodeRepository
from tests.support.tenants.shop import Shop


def grant_of(shop: Shop) -> OAuthGrant:
    return OAuthGrant(
        shop.client_id, shop.owner_user_id, "client", "App", "a.b:/cb", "challenge", None
    )


async def redeemed(database: Database, digest: bytes, **change: str) -> OAuthGrant | None:
    presented = {"oauth_client_id": "client", "redirect_uri": "a.b:/cb", "challenge": "challenge"}
    async with database.service() as connection:
        return await OAuthCodeRepository(connection).redeem(
            digest, **{**presented, **change}, key_id=new_ulid(), now=utc_now()
        )


async def stored(database: Database, shop: Shop, *, age: timedelta = timedelta()) -> bytes:
    digest = new_ulid().encode()
    async with database.service() as connection:
        await OAuthCodeRepository(connection).create(
            new_ulid(), digest, grant_of(shop), utc_now() - age
        )
    return digest


async def test_once_of_ten_at_a_time(database: Database, shop: Shop) -> None:
    digest = await stored(database, shop)
    found = await asyncio.gather(*(redeemed(database, digest) for _ in range(10)))
    assert [one for one in found if one] == [grant_of(shop)]


async def test_only_by_whom_it_was_made_for(database: Database, shop: Shop) -> None:
    digest = await stored(database, shop)
    for change in ("oauth_client_id", "redirect_uri", "challenge"):
        assert await redeemed(database, digest, **{change: "another"}) is None
    assert await redeemed(database, digest) is not None


async def test_for_five_minutes(database: Database, shop: Shop) -> None:
    late = await stored(database, shop, age=CODE_LASTS)
    in_time = await stored(database, shop, age=CODE_LASTS - timedelta(seconds=30))
    assert await redeemed(database, late) is None
    assert await redeemed(database, in_time) is not None


async def test_an_old_one_is_forgotten_with_the_next(database: Database, shop: Shop) -> None:
    old = await stored(database, shop, age=CODE_KEPT * 2)
    await stored(database, shop)
    async with database.service() as connection:
        assert await OAuthCodeRepository(connection).find(old) is None
