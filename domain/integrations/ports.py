"""Ports to a merchant's shop, helpdesk and notification channel."""

from datetime import datetime
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from domain.core.ids import TenantId
from domain.core.money import Money
from domain.integrations.integration import Integration
from domain.integrations.order import Order


class MailServers(Protocol):
    """Decides to which of the clients' mail servers the service may connect."""

    async def check(self, client_id: str, host: str, port: int) -> str:
        """Return the host in its stored form, after checking that all addresses it resolves to are
        allowed.

        Raises InvalidMailSender, EngineUnavailable.
        """


class Shop(Protocol):
    """A merchant's shop or payment provider, which finds orders and refunds them.

    Capabilities that only some shops have are separate protocols, next to the action that needs
    them (`activities/runs/actions.py`). Effects raise ActionRefused (NotAuthorized),
    ActionUnreachable (certainly no effect) and ActionUnknown. `key`: the idempotency key, the same
    for all attempts; it is sent if the external system deduplicates. `again`: whether the outcome
    of an earlier attempt is unknown; the implementation then looks for its effect first, and
    repeats the effect only if that is safe.
    """

    async def find_order(self, number: str | None, email: str | None) -> Order | None:
        """Return the order with that number, or the customer's latest order if no number is given.

        The caller must check the order's owner. Raises ActionRefused, ActionUnreachable.
        """

    async def refund(self, order: Order, amount: Money, key: str, *, again: bool) -> str:
        """Refund `amount` of the order once. Return the external system's id for the refund."""


class HelpdeskTicket(BaseModel):
    """A ticket in a helpdesk. `customer_email`: the person who receives its public answers."""

    model_config = ConfigDict(frozen=True)

    id: str
    customer_email: str | None = None
    subject: str | None = None


class Helpdesk(Protocol):
    """A merchant's helpdesk. Errors, `key` and `again` are as for `Shop`."""

    async def reply(self, ticket: HelpdeskTicket, text: str, key: str, *, again: bool) -> str:
        """Answer the customer in the ticket. Return the message's id."""

    async def note(self, ticket: HelpdeskTicket, text: str, key: str, *, again: bool) -> str:
        """Add a note that only staff can read. Return the note's id."""

    async def tag(self, ticket: HelpdeskTicket, tags: tuple[str, ...]) -> None:
        """Add tags. Existing tags remain."""

    async def check(self) -> None:
        """Verify our credentials. Raises ActionRefused (NotAuthorized), ActionUnreachable."""


class NoticeBoard(Protocol):
    """A channel for notifications to a merchant's team, such as Slack. Errors are as for `Shop`."""

    async def tell(self, text: str) -> None:
        """Post the text to all members of the channel."""


class Connectors(Protocol):
    """Creates API clients for the systems that a client has connected. All methods raise
    ActionRefused for a provider of another class, and NotAuthorized for unreadable credentials."""

    def shop(self, integration: Integration) -> Shop: ...

    def helpdesk(self, integration: Integration) -> Helpdesk: ...

    def notices(self, integration: Integration) -> NoticeBoard: ...


class DemoShops(Protocol):
    """Demo shops on this machine, which members may connect to try the service."""

    async def open(self, tenant: TenantId, now: datetime) -> str:
        """Return the path of the client's own demo shop; create the shop if it does not exist."""

    def is_own(self, tenant: TenantId, path: str) -> bool:
        """Return whether this is the path that `open` returns for the tenant."""
