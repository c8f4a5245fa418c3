"""A question that the agent cannot surely answer: people get it, and the customer an excerpt."""

import pytest

from adapters.system import new_ulid, utc_now
from domain.agent.rulebook import Rulebook
from domain.tenants.client_settings import SettingsChange
from store.content.content import ContentRepository
from store.reviews.tables import escalation_tickets
from store.tenants.client_settings import SettingsRepository
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.tenants.shop import Shop, open_shop

BODY = "Wash the winter duvet at 40 degrees and dry it flat. Do not bleach it."
QUESTION = "Can my winter duvet be washed at 40 degrees with the curtains?"


async def _shop(engine: LiveEngine, rulebook: Rulebook | None = None) -> Shop:
    shop = await open_shop(engine.database, rulebook=rulebook or Rulebook())
    async with engine.database.tenant(shop.tenant) as connection:
        await ContentRepository(connection, shop.tenant).add_knowledge(
            entry_id=new_ulid(),
            title="Winter duvet",
            body=BODY,
            language="en",
            now=utc_now(),
        )
    return shop


async def test_the_customer_receives_an_excerpt_and_people_the_draft(engine: LiveEngine) -> None:
    shop = await _shop(engine)
    asked = {"message": QUESTION, "customer_name": "Sophie Martin"}
    answer = (await engine.post(shop, **asked)).json()

    assert (answer["status"], answer["response"]) == ("needs_review", "")
    said = answer["acknowledgement"]
    assert "this excerpt from our article “Winter duvet” may help" in said
    assert said.startswith("Hello Sophie Martin,\n\nA member of our team will answer you.")
    assert said.count("Wash the winter duvet at 40 degrees") == said.count("Sophie Martin") == 1
    review = await only_row(engine.database, escalation_tickets, of=shop)
    assert review["reason"] == "low_confidence"
    assert "Wash the winter duvet" in review["draft"]
    assert "this excerpt" not in review["draft"]


@pytest.mark.parametrize(
    "change", [SettingsChange(answers_from_knowledge=False), SettingsChange(answer_decision=2)]
)
async def test_a_client_with_the_earlier_decision_shows_none(
    engine: LiveEngine, change: SettingsChange
) -> None:
    shop = await _shop(engine)
    async with engine.database.tenant(shop.tenant) as connection:
        await SettingsRepository(connection, shop.tenant).change(change, utc_now())

    answer = (await engine.post(shop, message=QUESTION)).json()

    assert answer["status"] == "needs_review"
    assert answer.get("acknowledgement") is None


async def test_shadow_mode_shows_none(engine: LiveEngine) -> None:
    shop = await _shop(engine, Rulebook(shadow=True))
    answer = (await engine.post(shop, message=QUESTION)).json()
    assert (answer["status"], answer.get("acknowledgement")) == ("needs_review", None)
