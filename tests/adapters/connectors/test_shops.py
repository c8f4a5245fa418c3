"""Shops over a network: certain and unknown results, and exactly-once effects."""

import logging
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from adapters.connectors.http import open_client
from domain.core.errors import DomainError
from domain.core.money import Money
from domain.integrations.errors import (
    ActionForbidden,
    ActionRefused,
    ActionUnknown,
    ActionUnreachable,
    NotAuthorized,
)
from domain.integrations.order import OrderState
from domain.integrations.ports import Shop
from domain.integrations.providers import Provider
from embedded.ports import free_port
from tests.adapters.connectors.shop_case import (
    CUSTOMER,
    FAULTS,
    KEY,
    PART,
    QUICK,
    Case,
    patience_for,
    shopify_case,
    stripe_case,
    woocommerce_case,
)
from tests.support.servers.http_service import Fault


@pytest.fixture(params=[shopify_case, stripe_case, woocommerce_case])
def case(request: pytest.FixtureRequest) -> Iterator[Case]:
    with request.param() as case:
        yield case


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with open_client() as client:
        yield client


@pytest.fixture
def shop(case: Case, http: httpx.AsyncClient) -> Shop:
    return case.make(case.integration, case.credentials, http)


@pytest.mark.parametrize("number", ["1001", "#1001", " 1001 "])
async def test_an_order_is_found_by_its_number(case: Case, shop: Shop, number: str) -> None:
    found = await shop.find_order(number, None)
    assert found is not None
    assert (found.id, found.number, found.integration_id) == (case.order_id, "1001", "i")
    assert found.provider is case.integration.provider
    assert found.total == found.refundable == Money(minor=4990, currency="EUR")
    knows_parcels = found.provider is not Provider.STRIPE
    assert found.state is (OrderState.OPEN if knows_parcels else OrderState.UNKNOWN)
    assert found.belongs_to(CUSTOMER)


@pytest.mark.parametrize(
    "number",
    [
        "100",
        "1002",
        "",
        "1001 OR name:1002",
        '1001" OR name:"1002',
        "1001' OR metadata['order_number']:'1002",
        "*",
        "1001\n1002",
        "\u0661\u0660\u0660\u0661",
        "1" * 500,
    ],
)
async def test_nothing_else_is_found(shop: Shop, number: str) -> None:
    assert await shop.find_order(number, CUSTOMER) is None


async def test_refunded_once(case: Case, shop: Shop) -> None:
    refund = await shop.refund(case.order, PART, KEY, again=False)

    assert case.moved() == [1500]
    assert await shop.refund(case.order, PART, KEY, again=True) == refund
    assert case.moved() == [1500]
    found = await shop.find_order("1001", None)
    assert found is not None
    assert found.refundable == Money(minor=3490, currency="EUR")
    assert found.total == Money(minor=4990, currency="EUR")


async def test_another_key_is_another_refund(case: Case, shop: Shop) -> None:
    await shop.refund(case.order, PART, KEY, again=False)
    await shop.refund(case.order, PART, "3f2b7c1e-0000-5000-8000-000000000002", again=True)

    assert case.moved() == [1500, 1500]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("case", "fault"), FAULTS, indirect=["case"])
async def test_unknown_and_then_exactly_one(
    case: Case, shop: Shop, fault: Fault, after: bool
) -> None:
    """Whether or not the refund succeeded before the failure."""
    case.server.fail_next(fault, case.act, after=after)

    with patience_for(fault), pytest.raises(ActionUnknown):
        await shop.refund(case.order, PART, KEY, again=False)
    assert len(case.moved()) == int(after)

    await shop.refund(case.order, PART, KEY, again=True)
    assert case.moved() == [1500]


async def test_found_when_the_key_is_long_forgotten(case: Case, shop: Shop) -> None:
    """A human may approve a retry days later."""
    refund = await shop.refund(case.order, PART, KEY, again=False)
    case.server.forget_keys()

    assert await shop.refund(case.order, PART, KEY, again=True) == refund
    assert case.moved() == [1500]


@pytest.mark.parametrize("case", [shopify_case, stripe_case], indirect=True)
async def test_the_key_holds_where_the_look_came_too_early(case: Case, shop: Shop) -> None:
    await shop.refund(case.order, PART, KEY, again=False)
    case.server.hides_refunds = True

    await shop.refund(case.order, PART, KEY, again=True)
    assert case.moved() == [1500]


@pytest.mark.parametrize("fault", QUICK)
async def test_never_repeated_where_nobody_can_look(case: Case, shop: Shop, fault: Fault) -> None:
    case.server.fail_next(Fault.CUT, case.act, after=True)
    with pytest.raises(ActionUnknown):
        await shop.refund(case.order, PART, KEY, again=False)
    case.server.fail_next(fault, case.verify)

    with patience_for(fault), pytest.raises(ActionUnknown):
        await shop.refund(case.order, PART, KEY, again=True)
    assert case.moved() == [1500]


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422, 423, 429, 500, 503])
async def test_what_an_unlooked_at_repetition_says_is_unknown(
    case: Case, shop: Shop, status: int
) -> None:
    case.server.fail_next(Fault.STATUS, case.verify, status=status, headers={"retry-after": "1"})

    with pytest.raises(ActionUnknown):
        await shop.refund(case.order, PART, KEY, again=True)
    assert case.moved() == []


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (302, ActionRefused),
        (400, ActionRefused),
        (401, NotAuthorized),
        (402, ActionRefused),
        (403, ActionForbidden),
        (404, ActionRefused),
        (408, ActionUnknown),
        (422, ActionRefused),
        (429, ActionUnreachable),
        (500, ActionUnknown),
        (502, ActionUnknown),
        (503, ActionUnreachable),
        (504, ActionUnknown),
    ],
)
async def test_what_a_status_says_of_a_refund(
    case: Case, shop: Shop, status: int, expected: type[DomainError]
) -> None:
    case.server.fail_next(Fault.STATUS, case.act, status=status, headers={"retry-after": "7"})

    with pytest.raises(DomainError) as caught:
        await shop.refund(case.order, PART, KEY, again=False)
    assert isinstance(caught.value, expected)
    assert isinstance(caught.value, NotAuthorized) == (expected is NotAuthorized)
    assert case.moved() == []
    if expected is ActionUnreachable:
        assert caught.value.retry_after_s == 7


async def test_away_without_a_time_is_unknown(case: Case, shop: Shop) -> None:
    case.server.fail_next(Fault.STATUS, case.act, status=503)

    with pytest.raises(ActionUnknown):
        await shop.refund(case.order, PART, KEY, again=False)


@pytest.mark.parametrize(("case", "fault"), FAULTS, indirect=["case"])
async def test_a_lookup_that_went_wrong_can_be_repeated(
    case: Case, shop: Shop, fault: Fault
) -> None:
    case.server.fail_next(fault, case.read)

    with patience_for(fault), pytest.raises(ActionUnreachable):
        await shop.find_order("1001", None)
    assert await shop.find_order("1001", None) is not None


async def test_no_server_no_refund(case: Case, http: httpx.AsyncClient) -> None:
    settings = {**case.integration.settings, "base_url": f"http://127.0.0.1:{free_port()}"}
    integration = case.integration.model_copy(update={"settings": settings})
    shop = case.make(integration, case.credentials, http)

    with pytest.raises(ActionUnreachable):
        await shop.refund(case.order, PART, KEY, again=False)


async def test_wrong_credentials(case: Case, http: httpx.AsyncClient) -> None:
    shop = case.make(case.integration, dict.fromkeys(case.credentials, "expired"), http)

    with pytest.raises(NotAuthorized):
        await shop.find_order("1001", None)
    with pytest.raises(NotAuthorized):
        await shop.refund(case.order, PART, KEY, again=False)


@pytest.mark.parametrize(
    ("minor", "currency"), [(0, "EUR"), (4991, "EUR"), (10**9, "EUR"), (100, "USD")]
)
async def test_more_than_there_is_or_another_currency(
    case: Case, shop: Shop, minor: int, currency: str
) -> None:
    with pytest.raises(ActionRefused):
        await shop.refund(case.order, Money(minor=minor, currency=currency), KEY, again=False)
    assert case.moved() == []


@pytest.mark.parametrize("fault", [*QUICK, None])
async def test_nothing_secret_is_told(
    case: Case, shop: Shop, fault: Fault | None, caplog: pytest.LogCaptureFixture
) -> None:
    """No credential or response text appears in a log, an error or its causes."""
    caplog.set_level(logging.DEBUG)
    if fault is not None:
        case.server.fail_next(fault, case.act, after=True)
        with patience_for(fault), pytest.raises(ActionUnknown) as caught:
            await shop.refund(case.order, PART, KEY, again=False)
        told = list(_chain(caught.value))
    else:
        await shop.refund(case.order, PART, KEY, again=False)
        told = []

    secret = next(iter(case.credentials.values()))
    texts = [*told, *(record.getMessage() for record in caplog.records), repr(shop)]
    assert not [text for text in texts if secret in text or "not what you asked" in text]


def _chain(error: BaseException | None) -> Iterator[str]:
    while error is not None:
        yield f"{error!r} {error}"
        error = error.__cause__ or error.__context__


async def test_no_proxy_and_no_redirect(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """No URL from the environment or from a response is called."""
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("NO_PROXY", "")
    async with open_client() as http:
        shop = case.make(case.integration, case.credentials, http)
        assert await shop.find_order("1001", None) is not None
        seen = len(case.server.seen)
        case.server.fail_next(
            Fault.STATUS, case.read, status=307, headers={"location": case.server.url}
        )
        with pytest.raises(ActionRefused):
            await shop.find_order("1001", None)
        assert len(case.server.seen) == seen + 1


async def test_no_connection_is_kept(case: Case, shop: Shop, http: httpx.AsyncClient) -> None:
    """A stale connection would break during an action."""
    pool = http._transport._pool  # type: ignore[attr-defined]

    await shop.find_order("1001", None)
    assert not pool.connections
    case.server.fail_next(Fault.CUT, case.act)
    with pytest.raises(ActionUnknown):
        await shop.refund(case.order, PART, KEY, again=False)
    assert not pool.connections


async def test_an_order_that_is_not_there(case: Case, shop: Shop) -> None:
    order = case.order.model_copy(update={"id": f"{case.order_id}99"})

    with pytest.raises(ActionRefused):
        await shop.refund(order, PART, KEY, again=False)
