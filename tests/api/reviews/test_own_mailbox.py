"""Attack: a member asks the shop for a refund as a customer, and approves it as a reviewer."""

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid
from domain.tenants.client import Role
from store.intake.tables import engine_events
from tests.support.agent.policy_context import an_event
from tests.support.core.engine import LiveEngine
from tests.support.reviews.dashboard import act, code
from tests.support.reviews.reviews import open_review, refund
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop

REFUND = (refund(4_900),)


async def _asked_by(front: LiveEngine, shop: Shop, email: str) -> None:
    event = an_event().model_copy(update={"customer_email": email})
    unified = event.model_dump(mode="json", exclude={"subject", "text"})
    async with front.database.tenant(shop.tenant) as connection:
        await connection.execute(sa.update(engine_events).values(unified=unified))


async def _agent(front: LiveEngine, shop: Shop, email: str) -> dict[str, str]:
    user_id = new_ulid()
    async with front.database.service() as connection:
        await join(connection, shop.client_id, user_id, Role.AGENT, email=email)
    return bearer(session_token(front.settings, user_id))


@pytest.mark.parametrize("what", ["approve", "edit"])
@pytest.mark.parametrize("as_customer", ["Nina.{}@gmail.com", "nina{}+shop@googlemail.com"])
async def test_a_member_asks_as_a_customer_and_approves(
    front: LiveEngine, shop: Shop, owner: dict[str, str], as_customer: str, what: str
) -> None:
    name = new_ulid().lower()
    agent = await _agent(front, shop, f"nina.{name}@gmail.com")
    review_id = await open_review(front.database, shop, plan=REFUND)
    await _asked_by(front, shop, as_customer.format(name))

    assert code(await act(front, review_id, what, agent)) == (403, "own_request")
    assert (await act(front, review_id, "approve", owner)).json()["status"] == "approved"


async def test_a_member_may_reject_and_may_answer_without_money(
    front: LiveEngine, shop: Shop
) -> None:
    address = f"nina.{new_ulid().lower()}@gmail.com"
    agent = await _agent(front, shop, address)
    money = await open_review(front.database, shop, plan=REFUND)
    plain = await open_review(front.database, shop)
    await _asked_by(front, shop, address)

    assert (await act(front, money, "reject", agent)).status_code == 200
    assert (await act(front, plain, "approve", agent)).status_code == 200
