"""A helpdesk's ticket names an address that its writer only typed: no order of it is shown or
touched before the address is proved."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel
from tests.support.agent.acting import (
    CUSTOMER,
    Acting,
    ScriptedBrain,
    acting_shop,
    order,
    rules,
    think_by,
)
from tests.support.core.engine import LiveEngine
from tests.support.inbound.claimed_tickets import claimed_ticket
from tests.support.integrations.desks import DESKS, Desk, desk_of

TRACKING = "https://track.example/2001"
CONFIRMED = rules(ActionLevel.CUSTOMER_CONFIRMED)


@pytest.fixture(params=DESKS)
def desk(request: pytest.FixtureRequest) -> Iterator[Desk]:
    with desk_of(request.param) as one:
        yield one


async def _victim(engine: LiveEngine, folder: Path, brain: ScriptedBrain) -> Acting:
    think_by(engine, brain)
    return await acting_shop(engine, folder, [order("2001", tracking_url=TRACKING)], CONFIRMED)


async def test_a_typed_address_shows_no_order(
    acting: LiveEngine, tmp_path: Path, desk: Desk
) -> None:
    brain = ScriptedBrain(ActionKind.REFUND)
    it = await _victim(acting, tmp_path, brain)
    ticket = await claimed_ticket(acting, it.shop, desk)
    async with acting.working():
        run = await ticket.says("Bonjour, où en est ma commande n° 2001 ?", CUSTOMER)

    assert run["lookup"] is None
    assert {request.order for request in brain.requests} <= {None}
    assert TRACKING not in str(run)


async def test_a_typed_address_moves_no_money(
    acting: LiveEngine, tmp_path: Path, desk: Desk
) -> None:
    brain = ScriptedBrain(ActionKind.REFUND)
    it = await _victim(acting, tmp_path, brain)
    ticket = await claimed_ticket(acting, it.shop, desk)
    async with acting.working():
        asked = await ticket.says("Je voudrais être remboursée de ma commande n° 2001.", CUSTOMER)
        said_yes = await ticket.says("Oui", CUSTOMER)

    assert (asked["lookup"], said_yes["lookup"]) == (None, None)
    assert it.refunded == 0
