"""Every helpdesk with one open ticket, for the connector contract."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import httpx

from adapters.connectors.freshdesk import Freshdesk
from adapters.connectors.gorgias import Gorgias
from adapters.connectors.intercom import Intercom
from adapters.connectors.zendesk import Zendesk
from domain.integrations.integration import Integration
from domain.integrations.ports import Helpdesk, HelpdeskTicket
from domain.integrations.providers import Provider
from tests.support.servers import freshdesk, gorgias, intercom, zendesk
from tests.support.servers.http_service import HttpService

CUSTOMER = "lea@example.com"
DESKS = ("zendesk", "gorgias", "intercom", "freshdesk")


@dataclass(frozen=True)
class Desk:
    """A helpdesk with one open ticket. `written` counts the ticket's messages."""

    server: HttpService
    integration: Integration
    credentials: dict[str, str]
    make: Callable[[Integration, dict[str, str], httpx.AsyncClient], Helpdesk]
    ticket: HelpdeskTicket
    write: str
    written: Callable[[], int]
    tags: Callable[[], list[str]]

    def helpdesk(self, http: httpx.AsyncClient, **credentials: str) -> Helpdesk:
        return self.make(self.integration, {**self.credentials, **credentials}, http)


def zendesk_desk(server: zendesk.ZendeskServer) -> Desk:
    number = server.open_ticket(CUSTOMER)
    settings = {"subdomain": "acme", "email": zendesk.EMAIL, "base_url": server.url}
    return Desk(
        server,
        Integration(id="i", provider=Provider.ZENDESK, settings=settings, sealed="sealed"),
        {"api_token": zendesk.API_TOKEN},
        Zendesk.of,
        HelpdeskTicket(id=number, customer_email=CUSTOMER, subject="Ma commande"),
        "PUT",
        lambda: len(server.tickets[number].comments),
        lambda: server.tickets[number].tags,
    )


def gorgias_desk(server: gorgias.GorgiasServer) -> Desk:
    number = server.open_ticket(CUSTOMER)
    settings = {"domain": "acme", "email": "support@acme.example", "base_url": server.url}
    return Desk(
        server,
        Integration(id="i", provider=Provider.GORGIAS, settings=settings, sealed="sealed"),
        {"email": gorgias.LOGIN, "api_key": gorgias.API_KEY},
        Gorgias.of,
        HelpdeskTicket(id=number, customer_email=CUSTOMER, subject="Ma commande"),
        "POST",
        lambda: len(server.tickets[number].messages),
        lambda: server.tickets[number].tags,
    )


def intercom_desk(server: intercom.IntercomServer) -> Desk:
    number = server.open_conversation(CUSTOMER)
    settings = {"admin_id": intercom.ADMIN_ID, "base_url": server.url}
    return Desk(
        server,
        Integration(id="i", provider=Provider.INTERCOM, settings=settings, sealed="sealed"),
        {"access_token": intercom.ACCESS_TOKEN},
        Intercom.of,
        HelpdeskTicket(id=number, customer_email=CUSTOMER, subject="Ma commande"),
        "POST",
        lambda: len(server.conversations[number].parts),
        lambda: server.conversations[number].tags,
    )


def freshdesk_desk(server: freshdesk.FreshdeskServer) -> Desk:
    number = server.open_ticket(CUSTOMER)
    settings = {"domain": "acme", "email": "agent@acme.example", "base_url": server.url}
    return Desk(
        server,
        Integration(id="i", provider=Provider.FRESHDESK, settings=settings, sealed="sealed"),
        {"api_key": freshdesk.API_KEY},
        Freshdesk.of,
        HelpdeskTicket(id=number, customer_email=CUSTOMER, subject="Ma commande"),
        "POST",
        lambda: len(server.tickets[number].conversations),
        lambda: server.tickets[number].tags,
    )


@contextmanager
def desk_of(name: str) -> Iterator[Desk]:
    """Return one of `DESKS` while its server runs."""
    with ExitStack() as held:
        match name:
            case "zendesk":
                yield zendesk_desk(held.enter_context(zendesk.zendesk_server()))
            case "gorgias":
                yield gorgias_desk(held.enter_context(gorgias.gorgias_server()))
            case "intercom":
                yield intercom_desk(held.enter_context(intercom.intercom_server()))
            case _:
                yield freshdesk_desk(held.enter_context(freshdesk.freshdesk_server()))
