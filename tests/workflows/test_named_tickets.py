"""Attack: an event whose caller may not name tickets carries the id of another customer's helpdesk
ticket. The agent writes nothing in that ticket."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from domain.agent.brain import Category
from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, Rulebook
from domain.integrations.integration import BASE_URL
from domain.integrations.providers import Provider
from store.intake.tables import engine_events
from tests.support.agent.acting import CUSTOMER, Acting, ScriptedBrain, connect, think_by
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.servers.gorgias import API_KEY, LOGIN, GorgiasServer, gorgias_server
from tests.support.servers.zendesk import API_TOKEN, EMAIL, ZendeskServer, zendesk_server
from tests.support.tenants.identity import session_token
from tests.support.tenants.shop import Shop, open_shop
from tests.workflows.test_who_vouches import _mcp_key, _push

VICTIM = "victim@example.net"
RULES = Rulebook(
    actions={
        ActionKind.NOTE: ActionRule(level=ActionLevel.AUTONOMOUS),
        ActionKind.TAG: ActionRule(level=ActionLevel.AUTONOMOUS, tags=("vip",)),
    }
)


@dataclass(frozen=True)
class Desks:
    shop: Shop
    zendesk: ZendeskServer
    gorgias: GorgiasServer


@pytest.fixture
def servers() -> Iterator[tuple[ZendeskServer, GorgiasServer]]:
    with zendesk_server() as zendesk, gorgias_server() as gorgias:
        yield zendesk, gorgias


@pytest.fixture
async def desks(acting: LiveEngine, servers: tuple[ZendeskServer, GorgiasServer]) -> Desks:
    zendesk, gorgias = servers
    brain = ScriptedBrain(
        ActionKind.NOTE, ActionKind.TAG, category=Category.OTHER, text="Bonjour, merci beaucoup !"
    )
    think_by(acting, brain)
    shop = await open_shop(acting.database, rulebook=RULES)
    settings = {"subdomain": "acme", "email": EMAIL, BASE_URL: zendesk.url}
    await connect(acting, shop, Provider.ZENDESK, settings, json.dumps({"api_token": API_TOKEN}))
    await connect(
        acting,
        shop,
        Provider.GORGIAS,
        {"domain": "acme", "email": "support@acme.example", BASE_URL: gorgias.url},
        json.dumps({"email": LOGIN, "api_key": API_KEY}),
    )
    return Desks(shop, zendesk, gorgias)


@pytest.mark.own_database
@pytest.mark.parametrize("by", ["mcp", "session"])
async def test_a_caller_that_may_not_name_tickets_writes_in_none(
    acting: LiveEngine, desks: Desks, by: str
) -> None:
    it = Acting(desks.shop, Path())
    if by == "mcp":
        headers = await _mcp_key(acting, it)
    else:
        token = session_token(acting.settings, desks.shop.owner_user_id)
        headers = {"authorization": f"Bearer {token}"}
    asked = desks.zendesk.open_ticket(VICTIM)
    sold = desks.gorgias.open_ticket(VICTIM)
    async with acting.working():
        for event_type, ticket in (
            ("zendesk.ticket.created", str(asked)),
            ("zendesk", str(asked)),
            ("gorgias.ticket.created", sold),
        ):
            for claimed in (VICTIM, "attacker@evil.example"):
                await _push(
                    acting, it, headers, event_type=event_type, ticket_id=ticket,
                    customer_email=claimed, message="Merci !", caller_vouches=True,
                )  # fmt: skip

    assert desks.zendesk.tickets[asked].comments == []
    assert desks.zendesk.tickets[asked].tags == []
    assert desks.gorgias.tickets[sold].messages == []
    assert desks.gorgias.tickets[sold].tags == []
    stored = await rows(acting.database, engine_events, of=desks.shop)
    assert {one["unified"]["may_name_tickets"] for one in stored} == {False}


@pytest.mark.own_database
async def test_the_merchants_own_system_writes_in_its_customers_ticket(
    acting: LiveEngine, desks: Desks
) -> None:
    asked = desks.zendesk.open_ticket(CUSTOMER)
    sold = desks.gorgias.open_ticket(CUSTOMER)
    async with acting.working():
        for event_type, ticket in (
            ("zendesk.ticket.created", str(asked)),
            ("gorgias.ticket.created", sold),
        ):
            told = await _push(
                acting, Acting(desks.shop, Path()), desks.shop.headers, event_type=event_type,
                ticket_id=ticket, customer_email=CUSTOMER, message="Merci !",
            )  # fmt: skip
            assert (told["status"], told["steps_executed"]) == ("completed", 3)
    assert desks.zendesk.tickets[asked].tags == ["vip"]
    assert desks.gorgias.tickets[sold].tags == ["vip"]
    assert len(desks.gorgias.tickets[sold].messages) == 2
