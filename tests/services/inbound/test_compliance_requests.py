"""Compliance requests: performed once, for the named customer only, and the rest reported to the
owners."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.inbound.inbound_webhook import Outcome, WebhookKind
from domain.inbound.meaning import ComplianceKind, ComplianceRequest
from domain.inbound.performed import ComplianceReason, Performed
from domain.integrations.order_fact import OrderFact
from domain.integrations.providers import Provider
from domain.privacy.erasure import subject_digests
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.inbound.compliance_requests import perform
from store.audit.tables import audit_entries
from store.core.database import Database
from store.inbound.poll_cursors import PollCursorRepository
from store.inbound.tables import data_requests, inbound_webhooks, poll_cursors
from store.integrations.integrations import IntegrationRepository
from store.integrations.order_facts import OrderFactRepository
from store.integrations.tables import integrations, order_facts
from store.runs.tables import engine_runs
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.inbound.stored import listen_to, store_webhook
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop
from tests.support.webhooks.told import told_events

SEALER = FernetSealer(new_seal_key())
SYSTEM = Actor.system("inbound")
ANN = "ann@x.example"


async def listening(database: Database, shop: Shop, provider: Provider = Provider.SHOPIFY) -> str:
    async with database.tenant(shop.tenant) as connection:
        return await listen_to(connection, shop.tenant, provider)


async def tell(database: Database, shop: Shop, integration_id: str, order_id: str) -> None:
    fact = OrderFact(order_id=order_id, version=utc_now(), customer_email=ANN)
    async with database.tenant(shop.tenant) as connection:
        facts = OrderFactRepository(connection, shop.tenant)
        await facts.apply(integration_id, fact, utc_now())


async def done(
    database: Database,
    shop: Shop,
    integration_id: str,
    duty: ComplianceRequest,
    webhook_id: str = "W",
) -> Performed:
    """Perform the request twice: the second time returns the same and changes nothing."""
    said = []
    for _ in range(2):
        async with units_on(database).of(shop.tenant) as work:
            performed = await perform(
                work, SYSTEM, duty, webhook_id=webhook_id, integration_id=integration_id,
                provider=Provider.SHOPIFY, is_trusted=True, sealer=SEALER,
            )  # fmt: skip
            said.append(performed)
    first, second = said
    assert (first.outcome, first.reason, first.reference) == (
        second.outcome, second.reason, second.reference,
    )  # fmt: skip
    return first


async def proved(database: Database, shop: Shop) -> str:
    """A connection whose credentials have authenticated with its shop."""
    here = await listening(database, shop)
    async with database.tenant(shop.tenant) as connection:
        await IntegrationRepository(connection, shop.tenant).prove(here, "a.myshopify.com")
    return here


async def test_a_redaction_of_an_unproved_shop_erases_nothing(
    database: Database, shop: Shop
) -> None:
    """A manager chooses the shop's name and the secret of a connection without credentials."""
    here = await listening(database, shop)
    await tell(database, shop, here, "1")
    duty = ComplianceRequest(ComplianceKind.REDACT_CUSTOMER, customer_email=ANN, order_ids=("1",))

    performed = await done(database, shop, here, duty)

    assert performed == Performed(Outcome.DUTY_FOR_PEOPLE, ComplianceReason.SHOP_UNPROVED)
    assert len(await rows(database, order_facts, of=shop)) == 1
    noted = [row["what"] for row in await rows(database, audit_entries, of=shop)]
    assert "erasure requested" in noted
    assert "erasure ordered" not in noted


async def test_a_redaction_erases_the_customer_it_names(database: Database, shop: Shop) -> None:
    here = await proved(database, shop)
    for order_id in ("1", "2"):
        await tell(database, shop, here, order_id)
    duty = ComplianceRequest(
        ComplianceKind.REDACT_CUSTOMER, customer_email=" ANN@x.example", order_ids=("1",)
    )
    performed = await done(database, shop, here, duty)

    assert (performed.outcome, performed.reason) == (Outcome.DUTY_DONE, None)
    erase = performed.erase
    assert erase is not None
    assert (erase.erasure_id, erase.client_id) == ("W", shop.client_id)
    assert erase.subject == subject_digests(SEALER, shop.client_id, ANN)[0].hex()
    assert SEALER.unseal(erase.sealed_customer) == ANN
    assert [row["order_id"] for row in await rows(database, order_facts, of=shop)] == ["2"]


async def test_without_an_address_people_do_the_rest(database: Database, shop: Shop) -> None:
    here = await proved(database, shop)
    for order_id in ("1", "2"):
        await tell(database, shop, here, order_id)
    performed = await done(
        database, shop, here, ComplianceRequest(ComplianceKind.REDACT_CUSTOMER, order_ids=("1",))
    )

    assert performed == Performed(Outcome.DUTY_FOR_PEOPLE, ComplianceReason.NO_ADDRESS)
    assert [row["order_id"] for row in await rows(database, order_facts, of=shop)] == ["2"]


async def test_a_request_for_data_is_noted_once_with_its_day(
    database: Database, shop: Shop
) -> None:
    here = await listening(database, shop)
    duty = ComplianceRequest(ComplianceKind.CUSTOMER_DATA, customer_email=ANN, order_ids=("1",))
    performed = await done(database, shop, here, duty, new_ulid())

    assert (performed.outcome, performed.reason) == (
        Outcome.DUTY_FOR_PEOPLE, ComplianceReason.DATA_REQUESTED,
    )  # fmt: skip
    request = await only_row(database, data_requests, client_id=shop.client_id)
    assert (request["id"], request["customer_email"]) == (performed.reference, ANN)
    assert request["due_at"] - request["created_at"] == timedelta(days=30)


async def test_a_shops_redaction_erases_what_came_from_it_alone(
    database: Database, shop: Shop
) -> None:
    here = await listening(database, shop)
    other = await listening(database, shop, Provider.WOOCOMMERCE)
    kept = {}
    for integration_id in (here, other):
        await tell(database, shop, integration_id, "1")
        async with database.tenant(shop.tenant) as connection:
            kept[integration_id] = await store_webhook(
                connection, shop.tenant, integration_id, b"{}", kind=WebhookKind.FACT
            )
            await PollCursorRepository(connection, shop.tenant).advance(
                integration_id, {}, utc_now()
            )
        run = await write(database, shop, "?", now=utc_now())
        async with database.tenant(shop.tenant) as connection:
            found = {"state": "found", "order": {"integration_id": integration_id}}
            await connection.execute(
                sa.update(engine_runs).where(engine_runs.c.id == run.run_id).values(lookup=found)
            )
    performed = await done(database, shop, here, ComplianceRequest(ComplianceKind.REDACT_SHOP))

    assert performed == Performed(Outcome.DUTY_FOR_PEOPLE, ComplianceReason.CONVERSATIONS_LEFT)
    for table in (order_facts, poll_cursors):
        assert [row["integration_id"] for row in await rows(database, table, of=shop)] == [other]
    bodies = {row["id"]: row["body"] for row in await rows(database, inbound_webhooks, of=shop)}
    assert bodies == {kept[here]: None, kept[other]: b"{}"}
    lookups = [row["lookup"] for row in await rows(database, engine_runs, of=shop)]
    assert {"state": "unavailable"} in lookups
    assert {"state": "found", "order": {"integration_id": other}} in lookups


async def test_a_shops_redaction_leaves_the_duties_behind_it(
    database: Database, shop: Shop
) -> None:
    here = await listening(database, shop)
    async with database.tenant(shop.tenant) as connection:
        first, second = [
            await store_webhook(connection, shop.tenant, here, b"{}", kind=WebhookKind.DUTY)
            for _ in range(2)
        ]
    await done(database, shop, here, ComplianceRequest(ComplianceKind.REDACT_SHOP), first)

    bodies = {row["id"]: row["body"] for row in await rows(database, inbound_webhooks, of=shop)}
    assert bodies == {first: b"{}", second: b"{}"}


async def test_a_shop_that_left_is_found_until_it_is_redacted(
    database: Database, shop: Shop
) -> None:
    """A live connection continues to be found."""
    left = await listening(database, shop)
    async with database.tenant(shop.tenant) as connection:
        repository = IntegrationRepository(connection, shop.tenant)
        await repository.prove(left, "a.myshopify.com")
        await repository.disconnect(left, utc_now(), new_ulid)
        live = await listen_to(connection, shop.tenant, Provider.SHOPIFY)
        await repository.prove(live, "a.myshopify.com")

    async def found() -> set[str]:
        stored = await rows(database, integrations, of=shop)
        return {row["id"] for row in stored if row["proved_account"]}

    assert await found() == {left, live}
    for one in (left, live):
        await done(database, shop, one, ComplianceRequest(ComplianceKind.REDACT_SHOP), new_ulid())
    assert await found() == {live}


async def test_an_uninstalled_app_is_disconnected_and_told_once(
    database: Database, shop: Shop
) -> None:
    here = await listening(database, shop)
    assert (
        await done(database, shop, here, ComplianceRequest(ComplianceKind.DISCONNECT))
    ).outcome is (Outcome.DUTY_DONE)
    row = await only_row(database, integrations, id=here)
    assert (row["status"], row["sealed"]) == ("disconnected", "")
    told = [one.event for one in await told_events(database, client_id=shop.client_id)]
    assert told.count("integration.disconnected") == 1


async def test_only_the_system_performs_duties(database: Database, shop: Shop) -> None:
    with pytest.raises(RoleRequired):
        async with units_on(database).of(shop.tenant) as work:
            await perform(
                work, Actor.person("u", Role.OWNER),
                ComplianceRequest(ComplianceKind.REDACT_SHOP), webhook_id="W",
                integration_id="i", provider=Provider.SHOPIFY, is_trusted=True, sealer=SEALER,
            )  # fmt: skip
