"""Senders of rejected events have a share of the event loop, and accepted events are free."""

import pytest

from services.core.cpu_allowance import BURST_S, CpuAllowance
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.tenants.shop import Shop, open_shop
from tests.support.widget.page import CHAT, CONFIG, ORIGIN, page_of

AT = {"origin": ORIGIN}


@pytest.fixture
async def shop(front: LiveEngine) -> Shop:
    """A shop without a playbook for the events sent here, which no worker then processes."""
    return await open_shop(front.database, event_type="other")


def cpu_of(front: LiveEngine) -> CpuAllowance:
    cpu: CpuAllowance = front.app.state.resources.limiter.cpu
    return cpu


def charged(front: LiveEngine) -> dict[str, float]:
    return {sender: used for sender, (used, _) in cpu_of(front)._charged.items()}


async def sent(front: LiveEngine, shop: Shop, **fields: object) -> tuple[int, str]:
    """Send an event without a playbook, and return the response's status and code."""
    event = {"client_id": shop.client_id, "event_type": "none.such", "message": "Bonjour"}
    answer = await front.http.post(GATEWAY, json=event | fields, headers=shop.headers)
    return answer.status_code, answer.json().get("code", "")


async def test_a_rejected_event_is_charged_to_its_client(front: LiveEngine, shop: Shop) -> None:
    assert (await sent(front, shop))[0] == 200
    assert charged(front) == {}

    assert (await sent(front, shop, message=1))[0] == 400
    assert list(charged(front)) == [f"gateway/{shop.client_id}"]
    assert charged(front)[f"gateway/{shop.client_id}"] > 0


async def test_a_client_with_too_many_rejected_events_waits(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database, event_type="other")
    sender = f"gateway/{shop.client_id}"
    cpu_of(front).charge(sender, BURST_S + 1)
    before = cpu_of(front).wait_s(sender)

    for _ in range(20):
        assert await sent(front, shop) == (429, "too_many_requests")
    assert (await sent(front, other))[0] == 200
    # The wait does not grow while the client repeats its requests.
    assert cpu_of(front).wait_s(sender) <= before


async def test_an_unknown_sender_is_not_charged(front: LiveEngine) -> None:
    assert (await front.http.post(GATEWAY, json={})).status_code == 401
    assert charged(front) == {}


async def test_rejected_widget_requests_are_charged_to_their_address_and_shop(
    front: LiveEngine, shop: Shop
) -> None:
    """A stranger at a shared address cannot keep its other visitors away from other shops."""
    page, other = await page_of(front, shop), await page_of(front, await open_shop(front.database))
    config = await front.http.get(CONFIG, params={"api_key": page.key}, headers=AT)
    assert config.status_code == 200
    assert charged(front) == {}
    answer = await front.http.post(CHAT, params={"api_key": page.key}, json={}, headers=AT)
    assert answer.status_code == 400
    ((sender, used),) = charged(front).items()
    assert used > 0

    cpu_of(front).charge(sender, BURST_S + 1)
    answer = await front.http.get(CONFIG, params={"api_key": page.key}, headers=AT)
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_requests")
    answer = await front.http.get(CONFIG, params={"api_key": other.key}, headers=AT)
    assert answer.status_code == 200
    assert (await sent(front, shop))[0] == 200


async def test_unknown_widget_keys_are_charged_to_the_address_alone(
    front: LiveEngine, shop: Shop
) -> None:
    page = await page_of(front, shop)
    unknown = {"api_key": f"{page.key[:-6]}000000"}
    assert (await front.http.get(CONFIG, params=unknown, headers=AT)).status_code == 401
    ((sender, used),) = charged(front).items()
    assert used > 0
    assert shop.client_id not in sender

    cpu_of(front).charge(sender, BURST_S + 1)
    assert (await front.http.get(CONFIG, params=unknown, headers=AT)).status_code == 429
    answer = await front.http.get(CONFIG, params={"api_key": page.key}, headers=AT)
    assert answer.status_code == 200


async def test_a_widget_message_has_few_values(front: LiveEngine, shop: Shop) -> None:
    """A body that no model of the widget has is rejected before it is parsed."""
    page = await page_of(front, shop)
    body = {"message": "Bonjour", "x": [0] * 150}
    answer = await front.http.post(CHAT, params={"api_key": page.key}, json=body, headers=AT)

    assert answer.status_code == 400
    assert "100" in answer.json()["error"]
