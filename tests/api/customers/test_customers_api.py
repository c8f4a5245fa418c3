"""/api/dashboard/customers: the list, the search, a customer, and a data request."""

import pytest

from adapters.system import new_ulid
from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.customers.regular import NAME, SOPHIE, a_regular
from tests.support.reviews.dashboard import code, person
from tests.support.tenants.access import CUSTOMERS, DATA_REQUESTS
from tests.support.tenants.shop import Shop


async def test_a_customer_is_found_and_read(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    customer_id = await a_regular(front.database, shop)
    found = await front.http.get(CUSTOMERS, params={"q": "sophie"}, headers=owner)
    assert found.status_code == 200, found.text
    (listed,) = found.json()["customers"]
    assert (listed["id"], listed["email"], listed["name"]) == (customer_id, SOPHIE, NAME)
    assert listed["figures"]["spent"] == [{"minor": 12_000, "currency": "EUR"}]
    assert found.json()["next_cursor"] is None

    one = await front.http.get(f"{CUSTOMERS}/{customer_id}", headers=owner)
    assert one.status_code == 200, one.text
    assert one.json()["refunded"] == [{"minor": 4_900, "currency": "EUR"}]
    assert [order["number"] for order in one.json()["orders"]] == ["1043"]


async def test_the_data_of_a_customer_is_requested(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    customer_id = await a_regular(front.database, shop)
    asking = f"{CUSTOMERS}/{customer_id}/data-requests"
    agent = await person(front, shop, Role.AGENT)
    assert (await front.http.post(asking, headers=agent)).status_code == 403

    asked, again = [(await front.http.post(asking, headers=owner)).json() for _ in range(2)]

    assert asked == again
    file = await front.http.get(f"{DATA_REQUESTS}/{asked['id']}", headers=owner)
    assert {one["body"] for one in file.json()["messages"]} == {
        "It is broken.",
        "Where is my lamp?",
    }
    unknown = await front.http.post(f"{CUSTOMERS}/{new_ulid()}/data-requests", headers=owner)
    assert code(unknown) == (404, "customer_not_found")


@pytest.mark.parametrize("query", [{"q": "a\x00"}, {"limit": "0"}, {"cursor": "x"}, {"x": "1"}])
async def test_what_is_no_query(
    front: LiveEngine, shop: Shop, owner: dict[str, str], query: dict[str, str]
) -> None:
    answer = await front.http.get(CUSTOMERS, params=query, headers=owner)
    assert code(answer) == (400, "invalid_query")
