"""Interfaces to a merchant's shop, helpdesk and notices."""

from datetime import datetime
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from domain.core.ids import TenantId
from domain.core.money import Money
from domain.integrations.integration import Integration
from domain.integrations.order import Order


class MailServers(Protocol):
    """Decides which of the clients' mail servers the service may connect to."""

    async def check(self, client_id: str, host: str, port: int) -> str:
        """Return the host in its stored form after resolving it and checking that all of its
        addresses are allowed. Raises InvalidMailSender, EngineUnavailable."""


class Shop(Protocol):
    """A merchant's shop or payment provider: it finds orders and refunds them.

    Capabilities that only some shops have are separate protocols beside the action that needs them
    (`activities/runs/actions.py`).

    Effects raise ActionRefused (NotAuthorized), ActionUnreachable (certainly no effect) and
    ActionUnknown. `key`: the idempotency key, the same for all attempts; it is sent if the other
    side deduplicates. `again`: an earlier attempt started and its outcome is unknown; the
    implementation looks for it first, and repeats the effect only if that is safe.
    """

    async def find_order(self, number: str | None, email: str | None) -> Order | None:
        """Return the order with that number, or the customer's latest order if no number is given.

        The caller must check the owner. Raises ActionRefused, ActionUnreachable.
        """

    async def refund(self, order: Order, amount: Money, key: str, *, again: bool) -> str:
        """Refund `amount` of the order once. Returns the other side's id of the refund."""


class HelpdeskTicket(BaseModel):
    """A ticket in a helpdesk. `customer_email`: the reader of its public answers."""

    model_config = ConfigDict(frozen=True)

    id: str
    customer_email: str | None = None
    subject: str | None = None


class Helpdesk(Protocol):
    """A merchant's helpdesk. Errors, `key` and `again` are as for `Shop`."""

    async def reply(self, ticket: HelpdeskTicket, text: str, key: str, *, again: bool) -> str:
        """Answer the customer in the ticket. Returns the message's id."""

    async def note(self, ticket: HelpdeskTicket, text: str, key: str, *, again: bool) -> str:
        """Leave a note that only staff can read. Returns its id."""

    async def tag(self, ticket: HelpdeskTicket, tags: tuple[str, ...]) -> None:
        """Add tags. Existing tags stay."""

    async def check(self) -> None:
        """Verify our credentials. Raises ActionRefused (NotAuthorized), ActionUnreachable."""


class NoticeBoard(Protocol):
    """A channel that notifies a merchant's team, such as Slack. Errors as for `Shop`."""

    async def tell(self, text: str) -> None:
        """Post the text for all members of the channel."""


class Connectors(Protocol):
    """Clients for the systems that a client has connected. All methods raise ActionRefused for a
    provider of another class, and NotAuthorized for unreadable credentials."""

    def shop(self, integration: Integration) -> Shop: ...

    def helpdesk(self, integration: Integration) -> Helpdesk: ...

    def notices(self, integration: Integration) -> NoticeBoard: ...


class DemoShops(Protocol):
    """Demo shops on this machine that members may connect themselves to try the service."""

    async def open(self, tenant: TenantId, now: datetime) -> str:
        """Return the path of the client's own shop, and create it if it does not exist."""

    def is_own(self, tenant: TenantId, path: str) -> bool:
        """Return whether `open` returned this path for the tenant."""
