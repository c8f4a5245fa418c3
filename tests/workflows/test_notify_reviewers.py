"""Review notices: posted once in the client's Slack, without customer text."""

import json
from collections.abc import Iterator

import pytest

from adapters.system import new_ulid
from domain.core import names
from domain.integrations.providers import Provider
from domain.reviews.contracts import TellReviewersInput
from domain.reviews.escalation import Decision
from store.integrations.tables import integrations
from store.reviews.tables import escalation_tickets
from tests.support.agent.acting import connect
from tests.support.core.engine import LiveEngine
from tests.support.core.histories import history_bytes
from tests.support.core.rows import only_row
from tests.support.core.waiting import eventually
from tests.support.reviews.reviews import open_review
from tests.support.servers.http_service import Fault
from tests.support.servers.slack import WEBHOOK_URL, SlackServer, slack_server
from tests.support.tenants.shop import UNSURE_MESSAGE, Shop, open_shop

EMAIL = "lea@example.com"


@pytest.fixture
def slack() -> Iterator[SlackServer]:
    with slack_server() as server:
        yield server


async def with_slack(engine: LiveEngine, slack: SlackServer, **settings: str) -> Shop:
    shop = await open_shop(engine.database)
    secrets = json.dumps({"webhook_url": WEBHOOK_URL})
    await connect(engine, shop, Provider.SLACK, {"base_url": slack.url, **settings}, secrets)
    return shop


async def tell(engine: LiveEngine, shop: Shop, review_id: str) -> None:
    """Run the notice workflow to its end."""
    await engine.client.execute_workflow(
        names.TELL_REVIEWERS,
        TellReviewersInput(client_id=shop.client_id, review_id=review_id),
        id=f"{names.tell_reviewers_id(shop.client_id, review_id)}/{new_ulid()}",
        task_queue=names.ENGINE_QUEUE,
    )


async def test_notices(acting: LiveEngine, slack: SlackServer) -> None:
    """One worker for all cases."""
    async with acting.working():
        await _a_review_that_opens_is_told(acting, slack)
        await _slack_that_is_away_is_told_later(acting, slack)
        await _a_decided_review_is_no_news(acting, slack)
        await _an_address_that_is_gone_ends_the_connection(acting, slack)


async def _a_review_that_opens_is_told(engine: LiveEngine, slack: SlackServer) -> None:
    shop = await with_slack(engine, slack)
    answer = (await engine.post(shop, message=UNSURE_MESSAGE, customer_email=EMAIL)).json()
    assert answer["status"] == "needs_review"

    (text,) = await eventually(lambda: _some(slack))
    review = await only_row(engine.database, escalation_tickets, client_id=shop.client_id)
    assert text.startswith("Une réponse attend une personne.\nRaison : ")
    assert f"/reviews/{review['id']}" in text
    assert f"cli.py review show {review['id']}" in text
    assert "rappeler" not in text
    assert EMAIL not in text
    child = engine.client.get_workflow_handle(names.tell_reviewers_id(shop.client_id, review["id"]))
    await child.result()
    history = await history_bytes(child)
    assert b"CANARY" not in history
    slack.told.clear()


async def _some(slack: SlackServer) -> list[str] | None:
    return [*slack.told] or None


async def _slack_that_is_away_is_told_later(engine: LiveEngine, slack: SlackServer) -> None:
    shop = await with_slack(engine, slack, language="en")
    review = await open_review(engine.database, shop)
    slack.fail_next(Fault.STATUS, "POST", status=429, headers={"retry-after": "0"})

    await tell(engine, shop, review)

    (text,) = slack.told
    assert text.startswith("An answer waits for a person.\nReason: the agent is not sure enough.")
    slack.told.clear()


async def _a_decided_review_is_no_news(engine: LiveEngine, slack: SlackServer) -> None:
    shop = await with_slack(engine, slack)
    review = await open_review(engine.database, shop)
    await engine.decide(review, Decision.REJECT, signal=False)

    await tell(engine, shop, review)

    assert slack.told == []


async def _an_address_that_is_gone_ends_the_connection(
    engine: LiveEngine, slack: SlackServer
) -> None:
    shop = await with_slack(engine, slack)
    slack.channel = "archived"

    await tell(engine, shop, await open_review(engine.database, shop))
    await tell(engine, shop, await open_review(engine.database, shop))

    chat = await only_row(engine.database, integrations, client_id=shop.client_id)
    assert (chat["status"], chat["error_code"]) == ("error", "not_authorized")
    # The second was not even attempted.
    assert len(slack.seen) == 4
