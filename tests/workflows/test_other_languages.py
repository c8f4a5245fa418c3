"""A message in an unsupported language: handed to human agents, with an acknowledgement."""

import pytest

from store.reviews.tables import escalation_tickets
from store.runs.tables import engine_runs
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.tenants.shop import open_shop


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [
        ("de", "Wo ist meine Bestellung? Ich warte seit zwei Wochen", "Wir haben Ihre Nachricht"),
        ("es", "¿Dónde está mi pedido? Todavía no ha llegado", "Hemos recibido su mensaje"),
    ],
)
async def test_people_get_it_and_the_customer_is_told_in_the_language(
    engine: LiveEngine, language: str, text: str, said: str
) -> None:
    shop = await open_shop(engine.database)
    answer = (await engine.post(shop, message=text)).json()

    assert (answer["status"], answer["response"]) == ("needs_review", "")
    assert said in answer["acknowledgement"]
    review = await only_row(engine.database, escalation_tickets, of=shop)
    assert (review["reason"], review["draft"]) == ("unsupported_request", "")
    assert (await only_row(engine.database, engine_runs, of=shop))["language"] == language


async def test_a_language_that_is_answered_gets_no_acknowledgement(engine: LiveEngine) -> None:
    shop = await open_shop(engine.database)
    answer = (await engine.post(shop, message="Do the shelves come in walnut?")).json()

    assert answer["status"] == "needs_review"
    assert answer.get("acknowledgement") is None
