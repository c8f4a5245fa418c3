"""The use cases for clients: only operators can create them."""

import pytest
import structlog

from adapters.system import new_ulid
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.tenants.actor import Actor
from domain.tenants.client import Plan, Role
from domain.tenants.errors import ClientNotFound, RoleRequired
from services.tenants.clients import NewClient, give_brain_budget, open_client
from store.core.database import Database
from store.tenants.clients import ClientRepository
from store.tenants.tables import clients
from tests.support.core.rows import rows
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop

OPERATOR = Actor.operator("operator:test")


async def test_an_owner_who_is_known_owns_the_next_one_too(database: Database) -> None:
    mail, owner_id = f"{new_ulid()}@Example.com", f"sub|{new_ulid()}"
    owners, made = [], []
    with structlog.testing.capture_logs() as lines:
        for new in (
            NewClient(" Boutique ", mail, Plan.PRO, owner_id),
            NewClient("Autre", mail.lower()),
        ):
            async with units_on(database).spanning(TenantId(new_ulid())) as work:
                owners.append(await open_client(work, OPERATOR, new))
            made.append(work.tenant)

    assert owners == [owner_id, owner_id]
    kept = {row["id"]: (row["brand_name"], row["plan"]) for row in await rows(database, clients)}
    assert [kept[client_id] for client_id in made] == [("Boutique", "pro"), ("Autre", "free")]
    assert [(line["event"], line["client_id"]) for line in lines] == [
        ("client created", client_id) for client_id in made
    ]


@pytest.mark.parametrize(
    ("actor", "new", "refusal"),
    [
        (OPERATOR, NewClient(" ", "o@b.example"), InvalidInput),
        (OPERATOR, NewClient("B", "nobody"), InvalidInput),
        (OPERATOR, NewClient("B", "o@b.example", owner_id="a\nb"), InvalidInput),
        (Actor.person("sub|1", Role.OWNER), NewClient("B", "o@b.example"), RoleRequired),
        (Actor.key("k"), NewClient("B", "o@b.example"), RoleRequired),
    ],
)
async def test_refused(
    database: Database, actor: Actor, new: NewClient, refusal: type[Exception]
) -> None:
    async with units_on(database).spanning(TenantId(new_ulid())) as work:
        with pytest.raises(refusal):
            await open_client(work, actor, new)
    assert await rows(database, clients, id=work.tenant) == []


async def test_brain_budget(database: Database, shop: Shop) -> None:
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(RoleRequired):
            await give_brain_budget(work, Actor.person(shop.owner_user_id, Role.OWNER), 1)
        await give_brain_budget(work, OPERATOR, 2_500_000)
    async with database.reading(shop.tenant) as connection:
        assert await ClientRepository(connection).brain_budget(shop.client_id) == 2_500_000
    async with units_on(database).of(TenantId("nobody")) as work:
        with pytest.raises(ClientNotFound):
            await give_brain_budget(work, OPERATOR, None)
