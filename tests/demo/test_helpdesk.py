"""The demo helpdesk accepts the connector's requests, and the inbound hub verifies its webhooks."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from adapters.connectors.zendesk import Zendesk, account_of
from adapters.connectors.zendesk_changes import ZendeskChanges
from demo.helpdesk import AGENT, DemoDesk, DeskComment
from demo.hub import HubAddress
from demo.platforms import (
    PHOTO,
    CustomerMail,
    SentWebhook,
    ShopOrder,
    mail_webhook,
    order_webhook,
    ticket_webhook,
)
from domain.inbound.errors import InboundRefused
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.meaning import InboundTicket, Meaning, OrderNews, StaffMessage
from domain.inbound.platform_catalogue import PLATFORMS
from domain.inbound.ports import EndpointFacts
from domain.integrations.errors import NotAuthorized
from domain.integrations.integration import Integration
from domain.integrations.ports import HelpdeskTicket
from domain.integrations.providers import Provider

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
ADDRESS = HubAddress("/api/webhooks/x/y", "0123456789abcdef")
CUSTOMER = "paul@example.com"


@pytest.fixture
def desk() -> DemoDesk:
    return DemoDesk("http://127.0.0.1:9", "token", 500, lambda: NOW)


@pytest.fixture
async def http(desk: DemoDesk) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(desk.application())
    async with httpx.AsyncClient(transport=transport) as client:
        yield client


def connector(desk: DemoDesk, http: httpx.AsyncClient, token: str) -> Zendesk:
    settings = {"subdomain": "acme", "email": AGENT, "base_url": desk.url}
    integration = Integration(id="i", provider=Provider.ZENDESK, settings=settings, sealed="s")
    return Zendesk.of(integration, {"api_token": token}, http)


async def test_answers_once(desk: DemoDesk, http: httpx.AsyncClient) -> None:
    opened = desk.open(CUSTOMER, "Livraison", "Combien ?")
    ticket = HelpdeskTicket(id=str(opened.number), customer_email=CUSTOMER)
    zendesk = connector(desk, http, desk.token)

    await zendesk.check()
    for again in (False, True):
        await zendesk.reply(ticket, "C'est 9,90 €.\n\nPaul", "key", again=again)
    await zendesk.note(ticket, "vu", "other", again=False)
    await zendesk.tag(ticket, ("VIP",))

    assert opened.answers == [
        DeskComment("agent", "C'est 9,90 €.\n\nPaul", is_public=True, key="key"),
        DeskComment("agent", "vu", is_public=False, key="other"),
    ]
    assert opened.tags == ["vip"]
    page = (await http.get(f"{desk.url}/")).text
    assert "agent (internal): vu" in page
    with pytest.raises(NotAuthorized):
        await connector(desk, http, "wrong").check()


async def test_is_asked_what_has_changed(desk: DemoDesk, http: httpx.AsyncClient) -> None:
    """A poll returns the customer's message under the webhook's id, and then the answer."""
    opened = desk.open(CUSTOMER, "Livraison", "Combien ?")
    settings = {"subdomain": "acme", "email": AGENT, "base_url": desk.url}
    integration = Integration(id="i", provider=Provider.ZENDESK, settings=settings, sealed="s")
    polls = ZendeskChanges(account_of(integration, {"api_token": desk.token}, http))

    first = await polls.changes({}, NOW - timedelta(minutes=1))
    (asked,) = first.changes
    platform, facts = PLATFORMS[Provider.ZENDESK], EndpointFacts("i", received_at=NOW)
    found = platform.read(InboundRequest({}, asked.body), asked.identity, facts)
    told = meaning_of(ticket_webhook(ADDRESS, opened, "two", NOW), Provider.ZENDESK)
    assert isinstance(found, InboundTicket)
    assert isinstance(told, InboundTicket)
    assert found.message_key == told.message_key
    assert not (await polls.changes(first.position, NOW)).changes

    ticket = HelpdeskTicket(id=str(opened.number), customer_email=CUSTOMER)
    reference = await connector(desk, http, desk.token).reply(ticket, "9,90 €", "key", again=False)
    changed = (await polls.changes(first.position, NOW)).changes
    read = [platform.read(InboundRequest({}, one.body), one.identity, facts) for one in changed]
    (ours,) = [one for one in read if isinstance(one, StaffMessage)]
    assert (ours.message_id, ours.by) == (reference, AGENT)


def meaning_of(webhook: SentWebhook, provider: Provider) -> Meaning:
    """Return what the hub reads from a verified webhook; a modified body is rejected."""
    platform, facts = PLATFORMS[provider], EndpointFacts("i", received_at=NOW)
    headers = {name.lower(): value for name, value in webhook.headers.items()}
    request = InboundRequest(headers, webhook.body)
    secrets = (webhook.address.secret,)
    platform.verify(request, secrets, NOW)
    if platform.signs:
        with pytest.raises(InboundRefused):
            platform.verify(InboundRequest(headers, webhook.body + b" "), secrets, NOW)
    identity = platform.identify(request)
    assert webhook.topic == identity.topic
    assert webhook.delivery in identity.dedup_key
    return platform.read(request, identity, facts)


def test_what_the_platforms_send_is_believed_and_read(desk: DemoDesk) -> None:
    order = ShopOrder("501042", CUSTOMER, NOW - timedelta(days=2), "https://suivi.example/1")
    news = meaning_of(order_webhook(ADDRESS, order, "orders/updated", "one", NOW), Provider.SHOPIFY)
    opened = desk.open(CUSTOMER, "Livraison", "Combien ?")
    ticket = meaning_of(ticket_webhook(ADDRESS, opened, "two", NOW), Provider.ZENDESK)
    mail = meaning_of(
        mail_webhook(
            ADDRESS, CustomerMail(CUSTOMER, "Paul", "Vase", "Bonjour", "a@b.example", NOW)
        ),
        Provider.POSTMARK,
    )

    assert isinstance(news, OrderNews)
    assert (news.facts[0].number, news.facts[0].tracking_url) == ("501042", order.tracking_url)
    assert isinstance(ticket, InboundTicket)
    assert (ticket.ticket_id, ticket.attachments) == ("500", ())
    assert isinstance(mail, InboundTicket)
    assert [file.data for file in mail.attachments] == [PHOTO]
