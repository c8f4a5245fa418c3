"""Ports for a client's shop, helpdesk, mail server and notification channel."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from domain.core.attached_file import AttachedFile
from domain.core.ids import TenantId
from domain.core.money import Money
from domain.integrations.integration import Integration
from domain.integrations.order import Order


class MailServers(Protocol):
    """A check that decides whether the service may connect to a client's own mail server."""

    async def check(self, client_id: str, host: str, port: int) -> str:
        """Resolve the mail server's host, check that all its addresses are allowed, and return the
        host in its stored form.

        Raises InvalidMailSender, EngineUnavailable.
        """


class Shop(Protocol):
    """A client's shop or payment provider. Finds orders and refunds them.

    Optional capabilities are separate protocols (`activities/runs/actions.py`). Methods with an
    effect raise ActionRefused (NotAuthorized), ActionUnreachable (no effect) and ActionUnknown.
    `key` is the idempotency key of all attempts. If `again` is true, an earlier attempt's outcome
    is unknown, so the implementation first looks for its effect.
    """

    async def find_order(self, number: str | None, email: str | None) -> Order | None:
        """Return the order with the given number or, without a number, the latest order for
        `email`. Return None if there is none.

        The caller must check that the order belongs to the customer. Raises ActionRefused,
        ActionUnreachable.
        """

    async def refund(self, order: Order, amount: Money, key: str, *, again: bool) -> str:
        """Refund `amount` of the order once. Return the external system's id for the refund."""


class HelpdeskTicket(BaseModel):
    """A ticket in a helpdesk. `customer_email` receives the public answers. `requester_email` must
    be the requester's address before a note or tag is added. It is None if the helpdesk itself
    reported the ticket."""

    model_config = ConfigDict(frozen=True)

    id: str
    customer_email: str | None = None
    requester_email: str | None = None
    subject: str | None = None


class Helpdesk(Protocol):
    """A client's helpdesk. Errors, `key` and `again` are as for `Shop`."""

    async def reply(
        self,
        ticket: HelpdeskTicket,
        text: str,
        key: str,
        *,
        again: bool,
        bare: str = "",
        files: Sequence[AttachedFile] = (),
    ) -> str:
        """Post an answer to the customer in the ticket. Return the helpdesk's id for the message.

        `bare` is the text without the AI disclosure, or "". If `again` is true, an earlier attempt
        may have sent this text.
        """

    async def note(self, ticket: HelpdeskTicket, text: str, key: str, *, again: bool) -> str:
        """Add an internal note, visible to staff only, to the ticket. Return the helpdesk's id for
        the note."""

    async def tag(self, ticket: HelpdeskTicket, tags: tuple[str, ...]) -> None:
        """Add tags to the ticket. Existing tags are kept."""

    async def check(self) -> None:
        """Verify that the helpdesk accepts the connection's credentials. Raises ActionRefused
        (NotAuthorized), ActionUnreachable."""


class NoticeBoard(Protocol):
    """A channel for notifications to a merchant's team, such as Slack. Its methods raise the same
    errors as `Shop`."""

    async def tell(self, text: str) -> None:
        """Post the text to the channel."""


class Connectors(Protocol):
    """A factory of API clients for the systems that a client has connected. All methods raise
    ActionRefused if the method does not support the provider's kind, and NotAuthorized if the
    credentials cannot be decrypted."""

    def shop(self, integration: Integration) -> Shop: ...

    def helpdesk(self, integration: Integration) -> Helpdesk: ...

    def notices(self, integration: Integration) -> NoticeBoard: ...


class DemoShops(Protocol):
    """Demo shops on this machine. A client's members may connect one to try out the service."""

    async def open(self, tenant: TenantId, now: datetime) -> str:
        """Return the file path of the client's own demo shop. Create the shop if it does not
        exist."""

    def is_own(self, tenant: TenantId, path: str) -> bool:
        """Return True if `path` is the path of the client's own demo shop."""
