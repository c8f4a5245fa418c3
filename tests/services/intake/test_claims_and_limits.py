"""A stranger who claims an address does not use its holder's limit."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from pydantic import JsonValue

from adapters.system import new_ulid
from domain.intake.errors import CustomerRateLimited
from domain.tenants.actor import Actor
from domain.tenants.client_settings import SettingsChange
from services.core.unit_of_work import UnitsOfWork
from services.intake.admission import receive_event
from services.intake.entry_limiter import EntryLimiter
from store.core.database import Database
from store.tenants.client_settings import SettingsRepository
from tests.support.core.units import Recorder
from tests.support.intake.admission import arrival
from tests.support.tenants.shop import Shop

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
VICTIM = "victim@b.example"
SERVER = "mx.shop.example"

Sent = tuple[str, str | None, Mapping[str, JsonValue]]
"""Event type, customer_email and payload."""


def mail(result: str) -> Sent:
    return (
        "email.inbound",
        None,
        {
            "headers": [
                ["Authentication-Results", f"{SERVER}; dmarc={result} header.from=b.example"],
                ["From", f"<{VICTIM}>"],
            ],
            "text": "Where is my order?",
        },
    )


CLAIMS: Mapping[str, Sent] = {
    "a caller whose word does not count": ("x", VICTIM, {"caller_vouches": False}),
    "a customer who is not verified": ("x", VICTIM, {"customer_verified": False}),
    "a ticket of a helpdesk": ("zendesk.ticket.created", VICTIM, {"message": "x"}),
    "another spelling of the address": ("x", "victim@b.ex\uff41mple", {}),
    "a mail that fails authentication": mail("fail"),
}
PROOFS: Mapping[str, Sent] = {
    "a key": ("x", VICTIM, {}),
    "a ticket whose author is verified": (
        "zendesk.ticket.created",
        VICTIM,
        {"customer_verified": True},
    ),
    "a mail": mail("pass"),
}


class Entrance:
    """Events of one shop through one process's entry limiter."""

    def __init__(self, database: Database, shop: Shop) -> None:
        self._units = UnitsOfWork(database, Recorder(), lambda: NOON, new_ulid)
        self._shop, self._entry_limiter = shop, EntryLimiter()

    async def receive(self, sent: Sent) -> object:
        event_type, email, payload = sent
        return await receive_event(
            self._units,
            self._entry_limiter,
            Actor.key(self._shop.key_id),
            arrival(event_type=event_type, customer_email=email, payload=dict(payload), now=NOON),
            tenant=self._shop.tenant,
            now=lambda: NOON,
        )


@pytest.fixture
async def entrance(database: Database, shop: Shop) -> Entrance:
    async with database.tenant(shop.tenant) as connection:
        change = SettingsChange(authserv_ids=(SERVER,))
        await SettingsRepository(connection, shop.tenant).change(change, NOON)
    return Entrance(database, shop)


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
async def test_claims_of_strangers_leave_the_holders_limit_alone(
    entrance: Entrance, claim: Sent
) -> None:
    for _ in range(10):
        await entrance.receive(claim)
    for _ in range(2):  # the second time, the process remembers it
        with pytest.raises(CustomerRateLimited):
            await entrance.receive(claim)

    for proved in PROOFS.values():
        assert not isinstance(await entrance.receive(proved), CustomerRateLimited)


async def test_proofs_of_one_address_share_one_limit(entrance: Entrance) -> None:
    for number in range(10):
        await entrance.receive(list(PROOFS.values())[number % len(PROOFS)])

    for proved in PROOFS.values():
        with pytest.raises(CustomerRateLimited):
            await entrance.receive(proved)
    assert await entrance.receive(CLAIMS["a customer who is not verified"]) is not None
