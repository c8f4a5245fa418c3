"""A merchant's shop and helpdesk, as the agent asks them."""

from datetime import datetime
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from domain.core.ids import TenantId
from domain.core.money import Money
from domain.integrations.integration import Integration
from domain.integrations.order import Order


class MailServers(Protocol):
    """Which mail servers of clients' may be talked to."""

    async def check(self, client_id: str, host: str, port: int) -> str:
        """The host as it is stored, once it was looked up and each of its addresses may be
        dialled. Raises InvalidMailSender, EngineUnavailable."""


class Shop(Protocol):
    """A merchant's shop or payment provider: it knows orders and gives money back.

    What not every shop can do is a protocol beside the action that needs it
    (`activities/runs/actions.py`).

    Effects raise ActionRefused (NotAuthorized), ActionUnreachable (surely not done) and
    ActionUnknown. `key` is the effect's own, the same however often it is tried, and goes to the
    other side where that deduplicates. `again`: it was begun before and nobody knows what came of
    it; then the other side is asked first, and the effect repeated only if that is safe.
    """

    async def find_order(self, number: str | None, email: str | None) -> Order | None:
        """The order with that number, or without one the latest of that customer.

        Whose it is must still be checked. Raises ActionRefused, ActionUnreachable.
        """

    async def refund(self, order: Order, amount: Money, key: str, *, again: bool) -> str:
        """Give `amount` of the order back once. Returns the other side's id of the refund."""


class HelpdeskTicket(BaseModel):
    """Where in a helpdesk something is said. `customer_email` is who reads public answers."""

    model_config = ConfigDict(frozen=True)

    id: str
    customer_email: str | None = None
    subject: str | None = None


class Helpdesk(Protocol):
    """A merchant's helpdesk. Effects raise, and `key` and `again` mean, what they do for a Shop."""

    async def reply(self, ticket: HelpdeskTicket, text: str, key: str, *, again: bool) -> str:
        """Answer the customer in the ticket. Returns the message's id."""

    async def note(self, ticket: HelpdeskTicket, text: str, key: str, *, again: bool) -> str:
        """Leave a note that only staff can read. Returns its id."""

    async def tag(self, ticket: HelpdeskTicket, tags: tuple[str, ...]) -> None:
        """Add tags; those that are there already change nothing."""

    async def check(self) -> None:
        """Ask who we are there. Raises ActionRefused (NotAuthorized), ActionUnreachable."""


class NoticeBoard(Protocol):
    """Where a merchant's people read what waits for them. Errors as for a Shop."""

    async def tell(self, text: str) -> None:
        """Post it, for everybody there to read."""


class Connectors(Protocol):
    """The other ends of a client's integrations. All raise ActionRefused for a provider that is
    no such thing, NotAuthorized for credentials that cannot be read."""

    def shop(self, integration: Integration) -> Shop: ...

    def helpdesk(self, integration: Integration) -> Helpdesk: ...

    def notices(self, integration: Integration) -> NoticeBoard: ...


class DemoShops(Protocol):
    """Shops on this machine that members may connect by themselves, to try the service."""

    async def open(self, tenant: TenantId, now: datetime) -> str:
        """The path of the client's own one, which is made if it is not there."""

    def is_own(self, tenant: TenantId, path: str) -> bool:
        """Whether `open` gave this path."""
