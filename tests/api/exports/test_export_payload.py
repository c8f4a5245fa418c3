"""`payload` in the export: the caller's own fields beside the gateway's."""

from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.exports.export import exported
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import ORDER_QUESTION, Shop

EXTRAS = {
    "ticket_id": "T-77",
    "Subject": "  Colis ",
    "orders": [{"order_number": "1042", "total": 49.5, "gift": None}],
    "caller's own": {"Clé": "à garder"},
    "customer_verified": True,
}


async def test_a_payload_is_exported_as_it_was_sent(engine: LiveEngine, shop: Shop) -> None:
    """Names, types and nesting are unchanged; `unified` contains what the engine reads from it."""
    await engine.post(shop, customer_email="a@b.example", message=ORDER_QUESTION, **EXTRAS)

    (run,) = (await exported(engine, shop))["engine_runs"]

    assert run["event"]["payload"] == EXTRAS
    assert run["event"]["unified"]["ticket_id"] == "T-77"


async def test_marks_of_a_caller_that_does_not_vouch_are_added(
    engine: LiveEngine, shop: Shop
) -> None:
    token = session_token(engine.settings, shop.owner_user_id)
    event = {"client_id": shop.client_id, "message": ORDER_QUESTION, **EXTRAS}
    answer = await engine.http.post(GATEWAY, json=event, headers=bearer(token))
    assert answer.status_code == 200

    (run,) = (await exported(engine, shop))["engine_runs"]

    marks = {"customer_verified": False, "caller_vouches": False}
    assert run["event"]["payload"] == {**EXTRAS, **marks}
