"""Erasure requests: what a worker receives, and permissions."""

import pytest
from structlog.testing import capture_logs

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.core.ids import TenantId
from domain.privacy.contracts import EraseInput
from domain.privacy.erasure import ErasureScope, subject_digests
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import ClientNotFound, RoleRequired
from services.privacy.erasures import brand_to_erase, order_erasure
from store.core.database import Database
from store.privacy.certificates import Certificates
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop

CUSTOMER = "emma@example.com"
SEALER = FernetSealer(new_seal_key())
OPERATOR = Actor.operator("operator:anna")


async def ordered(
    database: Database, client_id: str, customer: str | None, actor: Actor = OPERATOR
) -> EraseInput:
    async with units_on(database).spanning(TenantId(client_id)) as work:
        return await order_erasure(work, actor, SEALER, customer)


async def test_one_customer_is_named_to_nobody(database: Database, shop: Shop) -> None:
    with capture_logs() as logs:
        wanted = await ordered(database, shop.client_id, CUSTOMER)
    assert (wanted.client_id, wanted.requested_by) == (shop.client_id, OPERATOR.name)
    assert wanted.scope is ErasureScope.CUSTOMER
    assert wanted.subject == subject_digests(SEALER, shop.client_id, CUSTOMER)[0].hex()
    assert SEALER.unseal(wanted.sealed_customer) == CUSTOMER
    assert CUSTOMER not in f"{wanted} {logs}"
    (entry,) = (log for log in logs if log.get("client_id") == shop.client_id)
    assert (entry["event"], entry["erasure_id"]) == ("erasure ordered", wanted.erasure_id)


async def test_who_orders_it_again_joins_it(database: Database, shop: Shop) -> None:
    """Until it has ended; a customer's erasure is separate from the client's."""
    first = await ordered(database, shop.client_id, None)
    assert (first.scope, first.subject, first.sealed_customer) == (ErasureScope.TENANT, "", "")
    async with database.service() as connection:
        certificates = Certificates(connection)
        await certificates.open(
            first.erasure_id, client_id=shop.client_id, scope=first.scope, subject_digest=None,
            requested_by=first.requested_by, now=utc_now(),
        )  # fmt: skip
    assert (await ordered(database, shop.client_id, None)).erasure_id == first.erasure_id
    assert (await ordered(database, shop.client_id, CUSTOMER)).erasure_id != first.erasure_id
    async with database.service() as connection:
        await Certificates(connection).finish(first.erasure_id, utc_now())
    assert (await ordered(database, shop.client_id, None)).erasure_id != first.erasure_id


async def test_who_may_not_and_who_is_not_there(database: Database, shop: Shop) -> None:
    with pytest.raises(RoleRequired):
        await ordered(database, shop.client_id, None, Actor.person("o", Role.OWNER))
    with pytest.raises(ClientNotFound):
        await ordered(database, new_ulid(), None)


async def test_one_that_was_erased_before_may_be_erased_again(database: Database) -> None:
    """For example, after a backup was restored."""
    client_id = TenantId(new_ulid())
    async with database.service() as connection:
        await Certificates(connection).open(
            new_ulid(), client_id=client_id, scope=ErasureScope.TENANT, subject_digest=None,
            requested_by="anna", now=utc_now(),
        )  # fmt: skip
    async with database.reading_across() as connection:
        assert await brand_to_erase(connection, client_id) is None
    assert (await ordered(database, client_id, None)).client_id == client_id


async def test_a_certificate_is_found_by_every_digest_it_may_have(
    database: Database, shop: Shop
) -> None:
    """By the digest with an older key, and by the unkeyed digest of older versions."""
    old = FernetSealer(new_seal_key())
    digests = subject_digests(old, shop.client_id, CUSTOMER)
    ids = [new_ulid() for _ in digests]
    async with database.service() as connection:
        for erasure_id, digest in zip(ids, digests, strict=True):
            await Certificates(connection).open(
                erasure_id, client_id=shop.client_id, scope=ErasureScope.CUSTOMER,
                subject_digest=digest, requested_by="anna", now=utc_now(),
            )  # fmt: skip
        found = await Certificates(connection).latest(subject_digests=digests, limit=9)
        others = await Certificates(connection).latest(
            subject_digests=subject_digests(SEALER, shop.client_id, "x@y.example"), limit=9
        )
    assert {one.id for one in found} == set(ids)
    assert others == ()
